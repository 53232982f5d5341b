// SPDX-License-Identifier: Apache-2.0
// Bar charts on a logarithmic axis, as SVG: (a), (b) and (g).

function svgElement(parent, name, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

function svgRoot(plot, width, height, label) {
  plot.replaceChildren();
  return svgElement(plot, "svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
}

/** A scale from value to length. It begins at half, so that a single call or byte still shows. */
function logScale(largest, quantity, length) {
  const low = 0.5;
  const high = Math.max(largest, quantity.base) * 1.05;
  const span = Math.log(high / low);
  const scale = (value) => (value < low ? 0 : (Math.log(value / low) / span) * length);
  scale.ticks = logTicks(1, high, quantity, 8);
  return scale;
}

/** One bar per entry {name, value, color}, with its number behind it. */
function horizontalBars(plot, entries, quantity, axisName, width) {
  const left = 84, right = 104, top = 4, row = 27;
  const bottom = top + row * Math.max(entries.length, 1);
  const svg = svgRoot(plot, width, bottom + 40, axisName);
  const scale = logScale(Math.max(...entries.map((e) => e.value), 1), quantity, width - left - right);
  for (const tick of scale.ticks) {
    const x = left + scale(tick);
    svgElement(svg, "line", { class: "grid", x1: x, x2: x, y1: top, y2: bottom });
    svgElement(svg, "text", { class: "soft", x, y: bottom + 16, "text-anchor": "middle" }, quantity.tick(tick));
  }
  entries.forEach((entry, i) => {
    const y = top + row * i;
    svgElement(svg, "text", { x: left - 8, y: y + row / 2 + 4, "text-anchor": "end" }, entry.name);
    const bar = svgElement(svg, "rect",
                           { x: left, y: y + 4, width: scale(entry.value), height: row - 8, fill: entry.color });
    svgElement(bar, "title", {}, `${entry.name}: ${quantity.exact(entry.value)}`);
    const text = quantity.inBytes ? formatBytes(entry.value) : formatCount(entry.value);
    svgElement(svg, "text", { x: left + scale(entry.value) + 6, y: y + row / 2 + 4 }, text);
  });
  svgElement(svg, "line", { class: "axis", x1: left, x2: left, y1: top, y2: bottom });
  svgElement(svg, "line", { class: "axis", x1: left, x2: width - right, y1: bottom, y2: bottom });
  svgElement(svg, "text", { class: "soft", x: left + (width - left - right) / 2, y: bottom + 34,
                            "text-anchor": "middle" }, axisName);
}

/** (g): for each size class present between the smallest and the largest two columns, sends and collectives. */
function sizeColumns(plot, sizes, width) {
  const height = 250, left = 56, right = 8, top = 26, bottom = height - 48;
  const svg = svgRoot(plot, width, height, "Messages by size");
  const legend = [["point-to-point", "var(--bar)"], ["in collectives", "var(--bar-second)"]];
  legend.forEach(([name, fill], i) => {
    svgElement(svg, "rect", { x: left + i * 130, y: 4, width: 12, height: 12, fill });
    svgElement(svg, "text", { x: left + 17 + i * 130, y: 14 }, name);
  });
  const classes = sizes.map((s) => s.class);
  const first = Math.min(...classes), last = Math.max(...classes);
  const scale = logScale(Math.max(...sizes.map((s) => Math.max(s.sends, s.inCollectives)), 1), QUANTITIES.count,
                         bottom - top);
  for (const tick of scale.ticks) {
    const y = bottom - scale(tick);
    svgElement(svg, "line", { class: "grid", x1: left, x2: width - right, y1: y, y2: y });
    svgElement(svg, "text", { class: "soft", x: left - 6, y: y + 4, "text-anchor": "end" }, formatTickCount(tick));
  }
  const slot = (width - left - right) / (last - first + 1);
  const column = Math.min(22, slot * 0.38);
  const every = Math.ceil(62 / slot);
  const nameOf = (k) => (k === 0 ? "0 B" : formatBytes(2 ** (k - 1)));
  for (let k = first; k <= last; k++) {
    const middle = left + slot * (k - first + 0.5);
    if ((k - first) % every === 0) {
      svgElement(svg, "text", { class: "soft", x: middle, y: bottom + 16, "text-anchor": "middle" }, nameOf(k));
    }
    const entry = sizes.find((s) => s.class === k);
    if (!entry) continue;
    [[entry.sends, 0], [entry.inCollectives, 1]].forEach(([value, which]) => {
      if (value === 0) return;
      const bar = svgElement(svg, "rect", { x: middle + (which - 1) * column, y: bottom - scale(value), width: column - 1,
                                            height: scale(value), fill: legend[which][1] });
      const range = k < 2 ? nameOf(k) : `${formatCount(2 ** (k - 1))} ... ${formatCount(2 ** k - 1)} B`;
      svgElement(bar, "title", {}, `${range}: ${formatMessages(value)}, ${legend[which][0]}`);
    });
  }
  svgElement(svg, "line", { class: "axis", x1: left, x2: width - right, y1: bottom, y2: bottom });
  svgElement(svg, "text", { class: "soft", x: left + (width - left - right) / 2, y: bottom + 36,
                            "text-anchor": "middle" }, "size of the message, class begins at");
  svgElement(svg, "text", { class: "soft", "text-anchor": "middle",
                            transform: `translate(12 ${(top + bottom) / 2}) rotate(-90)` }, "messages");
}
