// SPDX-License-Identifier: Apache-2.0
// The heat maps (e) and (f): a canvas with the sums of rows and columns at its edges and a colour bar. Dragging zooms
// both maps, a double click shows everything.

const linkedMaps = [];

function heatFigure(figureId, matrix, quantityName) {
  const figure = document.getElementById(figureId);
  const plot = figure.querySelector(".plot");
  const controls = figure.querySelector(".controls");
  const data = matrix[quantityName];
  const quantity = quantityName === "bytes" ? QUANTITIES.bytes : QUANTITIES.count;
  const state = { logarithmic: true, view: null, layout: null };
  const heat = document.createElement("div");
  heat.className = "heat";
  const canvas = document.createElement("canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", figure.querySelector("figcaption b").textContent);
  heat.append(canvas);
  plot.append(heat);

  const draw = () => {
    state.layout = heatLayout(printing ? PAPER_HALF : plot.clientWidth);
    drawHeat(canvas, matrix, data, quantity, state);
  };
  const setView = (view) => { state.view = view; reset.disabled = isWhole(view, matrix.side); draw(); };
  choice(controls, "colour", ["log", "linear"], "log", (name) => { state.logarithmic = name === "log"; draw(); });
  const reset = action(controls, "whole matrix", () => viewAll(wholeView(matrix.side)));
  action(controls, "PNG", () => savePng(canvas, figureId));
  hint(controls, "Drag to zoom.");
  linkedMaps.push(setView);
  attachPointer(heat, canvas, matrix, state, data.values);
  setView(wholeView(matrix.side));
  return draw;
}

function wholeView(side) { return { rowBegin: 0, rowEnd: side, columnBegin: 0, columnEnd: side }; }
function isWhole(view, side) {
  return view.rowEnd - view.rowBegin === side && view.columnEnd - view.columnBegin === side;
}
function viewAll(view) {
  for (const setView of linkedMaps) setView(view);
}

/** Where things are, in CSS pixels: the square, the sums above and to the right of it, the colour bar. */
function heatLayout(width) {
  const left = 52, strip = 38, gap = 5, bar = 12, barText = 64, bottom = 42;
  const size = Math.max(120, Math.floor(width - left - gap - strip - 14 - bar - barText));
  const top = strip + gap + 2;
  return { width, height: top + size + bottom, left, top, size, strip, gap,
           barLeft: left + size + gap + strip + 14, bar };
}

/** Share of the ramp for a value, 0 ... 1. */
function colorPosition(value, data, logarithmic) {
  if (!logarithmic) return data.largest > 0 ? value / data.largest : 0;
  return data.largest > data.smallest ? Math.log(value / data.smallest) / Math.log(data.largest / data.smallest) : 1;
}

function drawHeat(canvas, matrix, data, quantity, state) {
  const { layout } = state;
  const ratio = window.devicePixelRatio;  // at least 2, see page.html
  canvas.width = Math.round(layout.width * ratio);
  canvas.height = Math.round(layout.height * ratio);
  canvas.style.width = layout.width + "px";
  canvas.style.height = layout.height + "px";
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, layout.width, layout.height);
  context.font = "12px system-ui, Arial, sans-serif";
  const colors = rampColors();
  drawCells(context, matrix, data, state, colors);
  drawSums(context, data, state);
  drawTaskAxes(context, matrix, state);
  drawColorBar(context, data, quantity, state, colors);
}

/** Points of one axis: a cell each, or one CSS pixel where there are more cells than pixels. */
function pointsOf(span, layout) { return Math.min(span, layout.size); }

function drawCells(context, matrix, data, state, colors) {
  const { layout, view } = state;
  const rows = pointsOf(view.rowEnd - view.rowBegin, layout);
  const columns = pointsOf(view.columnEnd - view.columnBegin, layout);
  const grid = poolMax(matrix, data.values, view, rows, columns);
  const image = new ImageData(columns, rows);
  for (let i = 0; i < grid.length; i++) {
    if (grid[i] === 0) continue;  // nothing sent: transparent
    const color = Math.round(255 * colorPosition(grid[i], data, state.logarithmic)) * 3;
    image.data.set([colors[color], colors[color + 1], colors[color + 2], 255], i * 4);
  }
  const small = document.createElement("canvas");
  small.width = columns;
  small.height = rows;
  small.getContext("2d").putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(small, layout.left, layout.top, layout.size, layout.size);
  context.strokeStyle = themeColor("--soft");
  context.lineWidth = 1;
  context.strokeRect(layout.left - 0.5, layout.top - 0.5, layout.size + 1, layout.size + 1);
}

/** Sums of the whole rows and columns in view, linear from 0. */
function drawSums(context, data, state) {
  const { layout, view } = state;
  const { left, top, size, strip, gap } = layout;
  const largestOf = (values, begin, end) => values.subarray(begin, end).reduce((a, b) => Math.max(a, b), 0);
  const columnPeak = largestOf(data.columns, view.columnBegin, view.columnEnd);
  const rowPeak = largestOf(data.rows, view.rowBegin, view.rowEnd);
  context.fillStyle = themeColor("--bar");
  const columnWidth = size / (view.columnEnd - view.columnBegin), rowHeight = size / (view.rowEnd - view.rowBegin);
  const thin = (extent) => Math.max(0.5, extent - (extent > 4 ? 1 : 0));
  for (let c = view.columnBegin; c < view.columnEnd && columnPeak > 0; c++) {
    const length = (data.columns[c] / columnPeak) * strip;
    context.fillRect(left + (c - view.columnBegin) * columnWidth, top - gap - length, thin(columnWidth), length);
  }
  for (let r = view.rowBegin; r < view.rowEnd && rowPeak > 0; r++) {
    const length = (data.rows[r] / rowPeak) * strip;
    context.fillRect(left + size + gap, top + (r - view.rowBegin) * rowHeight, length, thin(rowHeight));
  }
  context.fillStyle = themeColor("--soft");
  context.textAlign = "right";
  context.textBaseline = "alphabetic";
  context.font = "11px system-ui, Arial, sans-serif";
  context.fillText("received", left - 6, top - gap - 2);
  context.textAlign = "left";
  context.fillText("sent", left + size + gap, top + size + 14);
  context.font = "12px system-ui, Arial, sans-serif";
}

/** First tasks of about eight equally spaced cells of [begin, end). */
function taskTicks(begin, end) {
  const step = [1, 2, 4, 5, 8, 10, 16, 20, 25, 32, 50, 64, 100, 128, 200, 250, 256, 500, 512, 1000, 1024, 2000]
    .find((s) => (end - begin) / s <= 8.01) || 4000;
  const ticks = [];
  for (let i = Math.ceil(begin / step) * step; i < end; i += step) ticks.push(i);
  return ticks;
}

function drawTaskAxes(context, matrix, state) {
  const { layout, view } = state;
  const { left, top, size } = layout;
  context.fillStyle = themeColor("--text");
  context.strokeStyle = themeColor("--soft");
  context.beginPath();
  context.textAlign = "center";
  context.textBaseline = "top";
  for (const c of taskTicks(view.columnBegin, view.columnEnd)) {
    const x = left + ((c + 0.5 - view.columnBegin) * size) / (view.columnEnd - view.columnBegin);
    context.moveTo(x, top + size + 1);
    context.lineTo(x, top + size + 5);
    context.fillText(String(c * matrix.block), x, top + size + 7);
  }
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const r of taskTicks(view.rowBegin, view.rowEnd)) {
    const y = top + ((r + 0.5 - view.rowBegin) * size) / (view.rowEnd - view.rowBegin);
    context.moveTo(left - 1, y);
    context.lineTo(left - 5, y);
    context.fillText(String(r * matrix.block), left - 8, y);
  }
  context.stroke();
  context.fillStyle = themeColor("--soft");
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  context.fillText("destination task", left + size / 2, top + size + 36);
  context.save();
  context.translate(11, top + size / 2);
  context.rotate(-Math.PI / 2);
  context.fillText("source task", 0, 0);
  context.restore();
}

function drawColorBar(context, data, quantity, state, colors) {
  const { layout } = state;
  const { barLeft, bar, top, size } = layout;
  if (data.largest === 0) return;
  for (let y = 0; y < size; y++) {
    const color = Math.round(255 * (1 - y / (size - 1))) * 3;
    context.fillStyle = `rgb(${colors[color]},${colors[color + 1]},${colors[color + 2]})`;
    context.fillRect(barLeft, top + y, bar, 1.5);
  }
  context.strokeStyle = themeColor("--soft");
  context.strokeRect(barLeft - 0.5, top - 0.5, bar + 1, size + 1);
  const ends = state.logarithmic ? [data.smallest, data.largest] : [0, data.largest];
  const inner = state.logarithmic ? logTicks(data.smallest, data.largest, quantity, 6)
                                  : evenTicks(data.largest, 5, quantity.inBytes);
  const place = (value) => {
    const share = value === 0 ? 0 : colorPosition(value, data, state.logarithmic);
    return top + size * (1 - share);
  };
  // The ends are exact; ticks between them give way where they would touch.
  const shown = ends[0] === ends[1] ? [ends[1]] : [...ends];
  for (const tick of inner) {
    if (shown.every((other) => Math.abs(place(other) - place(tick)) >= 15)) shown.push(tick);
  }
  context.fillStyle = themeColor("--text");
  context.textAlign = "left";
  context.textBaseline = "middle";
  for (const value of shown) context.fillText((ends.includes(value) ? quantity.end : quantity.tick)(value), barLeft + bar + 5, place(value));
}

/** Cells of [begin, end) that share the point at `share` (0 ... 1) of an axis, as poolMax() divides them. */
function cellsOfPoint(share, begin, end, layout) {
  const span = end - begin, points = pointsOf(span, layout);
  const point = Math.floor(share * points);
  return [begin + Math.ceil((point * span) / points), begin + Math.ceil(((point + 1) * span) / points)];
}

/** Range of matrix cells under the pointer; null outside the square. */
function cellsAt(matrix, state, x, y) {
  const { layout, view } = state;
  const across = (x - layout.left) / layout.size, down = (y - layout.top) / layout.size;
  if (across < 0 || across >= 1 || down < 0 || down >= 1) return null;
  const [rowBegin, rowEnd] = cellsOfPoint(down, view.rowBegin, view.rowEnd, layout);
  const [columnBegin, columnEnd] = cellsOfPoint(across, view.columnBegin, view.columnEnd, layout);
  return { rowBegin, rowEnd, columnBegin, columnEnd };
}

function tooltipText(matrix, values, range) {
  const several = (range.rowEnd - range.rowBegin) * (range.columnEnd - range.columnBegin);
  const cell = largestNear(matrix, values, range);
  if (several > 1 && cell === null) {
    return { head: `${taskName(matrix, range.rowBegin, range.rowEnd)} → ${taskName(matrix, range.columnBegin, range.columnEnd)}`,
             lines: ["no messages"] };
  }
  const { row, column } = cell || { row: range.rowBegin, column: range.columnBegin };
  const sums = (what, i) => `${formatMessages(matrix.messages[what][i])}, ${formatBytes(matrix.bytes[what][i])}`;
  const lines = [];
  if (several > 1) lines.push(`largest of the ${formatCount(several)} cells under the pointer`);
  const index = cellIndex(matrix, row, column);
  lines.push(index < 0 ? "no messages"
                       : `${formatMessages(matrix.messages.values[index])}, ${formatBytesExactly(matrix.bytes.values[index])}`);
  lines.push(`row: ${taskName(matrix, row)} sent ${sums("rows", row)}`);
  lines.push(`column: ${taskName(matrix, column)} received ${sums("columns", column)}`);
  return { head: `${taskName(matrix, row)} → ${taskName(matrix, column)}`, lines };
}

function showTooltip(event, content) {
  const tooltip = document.getElementById("tooltip");
  tooltip.hidden = content === null;
  if (content === null) return;
  const head = document.createElement("b");
  head.textContent = content.head;
  tooltip.replaceChildren(head, "\n" + content.lines.join("\n"));
  const box = tooltip.getBoundingClientRect();
  const fits = event.clientX + 16 + box.width < innerWidth;
  tooltip.style.left = (fits ? event.clientX + 16 : Math.max(4, event.clientX - 16 - box.width)) + "px";
  tooltip.style.top = Math.max(4, Math.min(event.clientY + 16, innerHeight - box.height - 4)) + "px";
}

function attachPointer(heat, canvas, matrix, state, values) {
  const selection = document.createElement("div");
  selection.className = "selection";
  selection.hidden = true;
  heat.append(selection);
  let start = null;
  const position = (event) => {
    const box = canvas.getBoundingClientRect();
    const { left, top, size } = state.layout;
    const clamp = (value, low) => Math.min(Math.max(value, low), low + size - 0.01);
    const x = event.clientX - box.left, y = event.clientY - box.top;
    return start ? [clamp(x, left), clamp(y, top)] : [x, y];
  };
  canvas.addEventListener("pointerdown", (event) => {
    const [x, y] = position(event);
    if (event.button !== 0 || !cellsAt(matrix, state, x, y)) return;
    start = [x, y];
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = position(event);
    const range = cellsAt(matrix, state, x, y);
    showTooltip(event, range && tooltipText(matrix, values, range));
    if (!start) return;
    selection.hidden = false;
    Object.assign(selection.style, { left: Math.min(x, start[0]) + "px", top: Math.min(y, start[1]) + "px",
                                     width: Math.abs(x - start[0]) + "px", height: Math.abs(y - start[1]) + "px" });
  });
  canvas.addEventListener("pointerup", (event) => {
    if (!start) return;
    const [x, y] = position(event);
    const a = cellsAt(matrix, state, ...start), b = cellsAt(matrix, state, x, y);
    const dragged = Math.abs(x - start[0]) > 4 && Math.abs(y - start[1]) > 4;
    start = null;
    selection.hidden = true;
    if (!dragged || !a || !b) return;
    viewAll({ rowBegin: Math.min(a.rowBegin, b.rowBegin), rowEnd: Math.max(a.rowEnd, b.rowEnd),
              columnBegin: Math.min(a.columnBegin, b.columnBegin), columnEnd: Math.max(a.columnEnd, b.columnEnd) });
  });
  canvas.addEventListener("pointerleave", (event) => showTooltip(event, null));
  canvas.addEventListener("dblclick", () => viewAll(wholeView(matrix.side)));
}
