// SPDX-License-Identifier: Apache-2.0
// The source x destination matrix: unpacking (see analyzer/src/pack.h) and its sums. Only cells with messages are
// kept: row r holds the cells starts[r] ... starts[r + 1] - 1, by column.

/** Inflates base64 gzip to bytes. */
async function inflate(base64) {
  const text = atob(base64);
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function varintReader(bytes) {
  let at = 0;
  return () => {
    let value = 0, factor = 1;
    while (bytes[at] >= 128) {
      value += (bytes[at++] - 128) * factor;
      factor *= 128;
    }
    return value + bytes[at++] * factor;
  };
}

/** A growing list of numbers in a typed array. */
class NumberList {
  constructor(Type) { this.values = new Type(1 << 12); this.length = 0; }
  push(value) {
    if (this.length === this.values.length) {
      const larger = new this.values.constructor(this.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length++] = value;
  }
  done() { return this.values.subarray(0, this.length); }
}

async function unpackMatrix({ side, block, tasks, packed }) {
  const next = varintReader(await inflate(packed));
  const columns = new NumberList(Uint16Array);
  const messages = new NumberList(Float64Array);
  const bytes = new NumberList(Float64Array);
  const starts = new Uint32Array(side + 1);
  for (let row = 0; row < side; row++) {
    let column = 0;
    for (let left = next(); left > 0; left--) {
      column += next();
      columns.push(column++);
      messages.push(next());
      bytes.push(next());
    }
    starts[row + 1] = columns.length;
  }
  const matrix = { side, block, tasks, starts, columns: columns.done() };
  matrix.messages = quantityOf(matrix, messages.done());
  matrix.bytes = quantityOf(matrix, bytes.done());
  return matrix;
}

/** Values of one quantity with their sums and extremes. */
function quantityOf(matrix, values) {
  const rows = new Float64Array(matrix.side), columns = new Float64Array(matrix.side);
  let total = 0, largest = 0, smallest = Infinity, largestCell = [0, 0];
  for (let row = 0; row < matrix.side; row++) {
    for (let i = matrix.starts[row]; i < matrix.starts[row + 1]; i++) {
      const value = values[i];
      rows[row] += value;
      columns[matrix.columns[i]] += value;
      total += value;
      if (value > largest) { largest = value; largestCell = [row, matrix.columns[i]]; }
      if (value > 0 && value < smallest) smallest = value;
    }
  }
  return { values, rows, columns, total, largest, largestCell, smallest: Math.min(smallest, largest) };
}

/** Index of the cell's value, or -1. */
function cellIndex(matrix, row, column) {
  let low = matrix.starts[row], high = matrix.starts[row + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (matrix.columns[middle] < column) low = middle + 1; else high = middle;
  }
  return low < matrix.starts[row + 1] && matrix.columns[low] === column ? low : -1;
}

/** "task 7", or "tasks 8–11", for the cells [begin, end) of one axis. */
function taskName(matrix, begin, end = begin + 1) {
  const first = begin * matrix.block, last = Math.min(end * matrix.block, matrix.tasks) - 1;
  return first === last ? "task " + first : "tasks " + first + "–" + last;
}

/** The view's largest values on a grid of `rows` x `columns` points: no hot cell vanishes when many share a point. */
function poolMax(matrix, values, view, rows, columns) {
  const grid = new Float64Array(rows * columns);
  const rowSpan = view.rowEnd - view.rowBegin, columnSpan = view.columnEnd - view.columnBegin;
  for (let row = view.rowBegin; row < view.rowEnd; row++) {
    const base = Math.floor(((row - view.rowBegin) * rows) / rowSpan) * columns;
    for (let i = matrix.starts[row]; i < matrix.starts[row + 1]; i++) {
      const column = matrix.columns[i];
      if (column < view.columnBegin || column >= view.columnEnd) continue;
      const at = base + Math.floor(((column - view.columnBegin) * columns) / columnSpan);
      if (values[i] > grid[at]) grid[at] = values[i];
    }
  }
  return grid;
}

/** The cell with the largest value among those that share the pooled point of (row, column). */
function largestNear(matrix, values, range) {
  let best = -1, bestRow = range.rowBegin;
  for (let row = range.rowBegin; row < range.rowEnd; row++) {
    for (let i = matrix.starts[row]; i < matrix.starts[row + 1]; i++) {
      const column = matrix.columns[i];
      if (column < range.columnBegin || column >= range.columnEnd) continue;
      if (best < 0 || values[i] > values[best]) { best = i; bestRow = row; }
    }
  }
  return best < 0 ? null : { row: bestRow, column: matrix.columns[best] };
}
