// SPDX-License-Identifier: Apache-2.0
// Opens a report in a headless browser and uses it: node page_test.mjs CHROMIUM MAKE_TEST_REPORT. The trace behind the
// page and its counts are described in src/make_test_report.cc.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { Browser } from "./browser.mjs";

const [, , chromium, makeTestReport] = process.argv;
const folder = mkdtempSync(join(tmpdir(), "report-test-"));
const address = "file://" + join(folder, "report.html");
let browser, page;

before(async () => {
  execFileSync(makeTestReport, [join(folder, "report.html")], { stdio: "inherit" });
  browser = new Browser(chromium);
  page = await browser.open(address, 1300, 3000);
  await page.until("document.body.dataset.ready === 'true'");
});

after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

const text = (selector) => page.value(`document.querySelector(${JSON.stringify(selector)}).textContent`);
const box = (selector) => page.value(
  `(({ left, top, width, height }) => ({ left, top, width, height }))(
     document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect())`);
const press = (figure, label) => page.value(
  `[...document.querySelectorAll("#${figure} button")].find((b) => b.textContent === ${JSON.stringify(label)}).click()`);
const disabled = (figure, label) => page.value(
  `[...document.querySelectorAll("#${figure} button")].find((b) => b.textContent === ${JSON.stringify(label)}).disabled`);

/** Middle of a cell of the first heat map. The square's place is that of page/heatmap.js, heatLayout(). */
async function cell(row, column, tasks = 16) {
  const canvas = await box("#matrix-messages canvas");
  const left = 52, top = 45, size = Math.floor(canvas.width - 52 - 5 - 38 - 14 - 12 - 64);
  return [canvas.left + left + ((column + 0.5) * size) / tasks, canvas.top + top + ((row + 0.5) * size) / tasks];
}

/** Colour of the first heat map under a point, read from a copy. */
const colorAt = async ([x, y]) => page.value(`(() => {
  const canvas = document.querySelector("#matrix-messages canvas"), box = canvas.getBoundingClientRect();
  const ratio = canvas.width / box.width;
  const copy = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, (${x} - box.left) * ratio, (${y} - box.top) * ratio, 1, 1, 0, 0, 1, 1);
  return [...copy.getImageData(0, 0, 1, 1).data];
})()`);

test("asks for nothing but itself", () => {
  assert.deepEqual(page.requests, [address]);
});

test("runs nothing that comes from the trace", async () => {
  assert.equal(await page.value("document.hacked === undefined"), true);
  assert.equal(await page.value("document.title"),
               "Communication of <img src=x onerror=\"document.hacked = true\">\"'& ü");
  assert.equal(await text("h1"), await page.value("document.title"));
  assert.equal(await page.value("[...document.querySelectorAll('.metadata td')].at(-1).textContent"),
               "</td></script></title><script>document.hacked = true</script>");
});

// 2 x 16 neighbours + 1 + (reduce 15 + broadcast 15) = 63 messages; 32 x 1000 + 5 x 2^20 + 30 x 8 = 5,275,120 bytes.
// Pairs: 16 neighbours + (3, 12) + 15 to and 15 from task 0, of which 0 -> 1 and 15 -> 0 are neighbours: 45. The pairs
// 0 -> 1 and 15 -> 0 carry 3 messages.
test("unpacks the matrices", async () => {
  assert.equal(await text("#matrix-messages-result"),
               "Total 63 messages in 45 pairs; the most, 3 messages, from task 0 to task 1.");
  assert.equal(await text("#matrix-bytes-result"),
               "Total 5.031 MiB (5,275,120 B) in 45 pairs; the most, 5 MiB (5,242,880 B), from task 3 to task 12.");
});

test("draws a bar per operation with its number", async () => {
  const bars = (id) => page.value(`[...document.querySelectorAll("#${id} rect title")].map((t) => t.textContent)`);
  assert.deepEqual(await bars("calls"), ["send: 33", "all-reduce: 16"]);
  assert.deepEqual(await bars("bytes"), ["send: 5.031 MiB (5,274,880 B)", "all-reduce: 128 B"]);
  assert.deepEqual(await bars("sizes"), ["8 ... 15 B: 30 messages, in collectives",
                                         "512 ... 1,023 B: 32 messages, point-to-point",
                                         "4,194,304 ... 8,388,607 B: 1 message, point-to-point"]);
});

test("tells a cell's numbers under the pointer", async () => {
  await page.mouse("mouseMoved", ...await cell(0, 1));
  // Task 0 sends 2 x 1000 + 15 x 8 bytes; task 1 receives 2 x 1000 + 8.
  assert.equal(await text("#tooltip"), "task 0 → task 1\n3 messages, 1.961 KiB (2,008 B)\n" +
               "row: task 0 sent 17 messages, 2.07 KiB\ncolumn: task 1 received 3 messages, 1.961 KiB");
  await page.mouse("mouseMoved", ...await cell(7, 7));
  assert.match(await text("#tooltip"), /^task 7 → task 7\nno messages\n/);
  await page.mouse("mouseMoved", 5, 5);
  assert.equal(await page.value("document.getElementById('tooltip').hidden"), true);
});

test("colours cells with messages only", async () => {
  assert.equal((await colorAt(await cell(7, 7)))[3], 0);
  const one = await colorAt(await cell(3, 12)), three = await colorAt(await cell(0, 1));
  assert.deepEqual([one[3], three[3]], [255, 255]);
  assert.ok(one[0] + one[1] + one[2] > three[0] + three[1] + three[2], "more is darker on paper");
});

test("zooms both matrices and back", async () => {
  const from = await cell(2, 2), to = await cell(5, 5);
  assert.equal(await disabled("matrix-messages", "whole matrix"), true);
  await page.drag(...from, ...to);
  assert.equal(await disabled("matrix-messages", "whole matrix"), false);
  assert.equal(await disabled("matrix-bytes", "whole matrix"), false);
  await page.mouse("mouseMoved", ...await cell(1, 2, 4));  // tasks 2 ... 5 in view: the second row, the third column
  assert.match(await text("#tooltip"), /^task 3 → task 4\n2 messages, /);
  await press("matrix-bytes", "whole matrix");
  assert.equal(await disabled("matrix-messages", "whole matrix"), true);
});

test("zooms both time series and tells an interval's numbers", async () => {
  const plot = await box("#messages-over-time .u-over");
  const legend = () => page.value(
    `[...document.querySelectorAll("#messages-over-time .u-value")].map((v) => v.textContent)`);
  // The time axis runs from 1 us to 4 us and a little: the first pixel is the first interval, 16 messages.
  await page.mouse("mouseMoved", plot.left + 1, plot.top + 20);
  assert.deepEqual((await legend()).slice(1), ["16", "0"]);
  await page.drag(plot.left + plot.width * 0.25, plot.top + 20, plot.left + plot.width * 0.5, plot.top + 40);
  assert.equal(await disabled("messages-over-time", "whole time"), false);
  assert.equal(await disabled("bytes-over-time", "whole time"), false);
  await press("bytes-over-time", "whole time");
  assert.equal(await disabled("messages-over-time", "whole time"), true);
});

test("switches axes and colours", async () => {
  for (const figure of ["messages-over-time", "bytes-over-time", "matrix-messages", "matrix-bytes"]) {
    for (const label of ["linear", "log"]) {
      await press(figure, label);
      assert.equal(await page.value(`document.querySelector("#${figure} [aria-pressed=true]").textContent`), label);
    }
  }
});

test("prints on A4 in light colours, also from a dark screen", async () => {
  const dark = await browser.open(address, 1300, 1000, [{ name: "prefers-color-scheme", value: "dark" }]);
  await dark.until("document.body.dataset.ready === 'true'");
  const background = () => dark.value("getComputedStyle(document.body).backgroundColor");
  const chartWidth = () => dark.value("document.querySelector('#messages-over-time .uplot').clientWidth");
  assert.equal(await background(), "rgb(17, 21, 27)");
  const onScreen = await chartWidth();
  await dark.value(`addEventListener("afterprint", () => { document.printed = true; });
    addEventListener("beforeprint", () => {
      document.paperWidth = document.querySelector("#messages-over-time .uplot").clientWidth;
      document.paperText = getComputedStyle(document.documentElement).getPropertyValue("--text").trim();
    });`);
  const pdf = await dark.pdf();
  assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
  await dark.until("document.printed === true");
  assert.equal(await dark.value("document.paperText"), "#1b2430");
  assert.ok(await dark.value("document.paperWidth") <= 703);  // A4 less two margins of 12 mm
  assert.equal(await chartWidth(), onScreen);
  assert.deepEqual(dark.complaints, []);
});

test("complains of nothing", () => {
  assert.deepEqual(page.complaints, []);
});
