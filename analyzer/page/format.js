// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them, and ticks for axes. Times are seconds, sizes bytes.

const KIB = 1024;
const BYTE_UNITS = [[KIB ** 5, "PiB"], [KIB ** 4, "TiB"], [KIB ** 3, "GiB"], [KIB ** 2, "MiB"], [KIB, "KiB"], [1, "B"]];
const TIME_UNITS = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"], [1e-12, "ps"]];

/** "1,234,567" */
function formatCount(count) {
  return Math.round(count).toLocaleString("en-US");
}

/** Four significant digits without trailing zeros. */
function formatShort(value) {
  return String(Number(value.toPrecision(4)));
}

/** "9.4 MiB" */
function formatBytes(bytes) {
  for (const [factor, unit] of BYTE_UNITS) {
    if (bytes >= factor) return formatShort(bytes / factor) + " " + unit;
  }
  return "0 B";
}

/** "9.4 MiB (9,856,614 B)"; the exact number only where the short one hides it. */
function formatBytesExactly(bytes) {
  return bytes < KIB ? formatBytes(bytes) : formatBytes(bytes) + " (" + formatCount(bytes) + " B)";
}

/** "10k", "2M": counts on an axis. */
function formatTickCount(count) {
  for (const [factor, unit] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (count >= factor) return formatShort(count / factor) + unit;
  }
  return formatShort(count);
}

function timeUnitOf(seconds) {
  return TIME_UNITS.find(([factor]) => Math.abs(seconds) >= factor * 0.9999999) || TIME_UNITS[TIME_UNITS.length - 1];
}

/** `seconds` in the unit of `largest`, with as many decimals as `step` asks for. */
function formatTimeAt(seconds, largest, step) {
  const [factor, unit] = timeUnitOf(largest);
  const decimals = Math.min(12, Math.max(0, Math.ceil(-Math.log10(step / factor) - 1e-6)));
  return (seconds / factor).toFixed(decimals) + " " + unit;
}

/** Powers of `base` from the first at or above `low` to `high`; thinned to at most `limit`. */
function powerTicks(low, high, base, limit) {
  const first = Math.ceil(Math.log(low) / Math.log(base) - 1e-9);
  const last = Math.floor(Math.log(high) / Math.log(base) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first + 1) / limit));
  const ticks = [];
  for (let power = first; power <= last; power += step) ticks.push(base ** power);
  return ticks;
}

/** 0 and multiples of a round step (1, 2, 5 x 10^k; for bytes a power of two) up to `high`, about `count` of them. */
function evenTicks(high, count, inBytes) {
  if (!(high > 0)) return [0];
  const raw = high / count;
  let step;
  if (inBytes) {
    step = 2 ** Math.ceil(Math.log2(raw));
  } else {
    const decade = 10 ** Math.floor(Math.log10(raw));
    step = decade * [1, 2, 5, 10].find((factor) => factor * decade >= raw * 0.9999999);
  }
  step = Math.max(step, 1);
  const ticks = [];
  for (let value = 0; value <= high * 1.0000001; value += step) ticks.push(value);
  return ticks;
}

/** What is counted: the numbers of ticks, of the ends of a colour bar, of a sentence. */
const QUANTITIES = {
  count: { base: 10, tick: formatTickCount, end: (n) => (n < 1e5 ? formatCount(n) : formatTickCount(n)),
           exact: formatCount, inBytes: false },
  bytes: { base: KIB, tick: formatBytes, end: formatBytes, exact: formatBytesExactly, inBytes: true },
};

/** Ticks of a logarithmic axis, finer (1, 2, 5, 10; for bytes powers of 32) where powers of the base are too few. */
function logTicks(low, high, quantity, limit) {
  const ticks = powerTicks(low, high, quantity.base, limit);
  if (ticks.length >= 4) return ticks;
  if (quantity.inBytes) return powerTicks(low, high, 32, limit);
  const finer = powerTicks(low / 10, high, 10, limit).flatMap((power) => [power, 2 * power, 5 * power]);
  return finer.filter((tick) => tick >= low * 0.9999999 && tick <= high * 1.0000001);
}

/** "1 message", "7 messages" */
function formatMessages(count) {
  return formatCount(count) + (count === 1 ? " message" : " messages");
}
