// SPDX-License-Identifier: Apache-2.0
// Draws the report's figures from the JSON in #report-data (written by analyzer/src/page_data.cc).

const report = JSON.parse(document.getElementById("report-data").textContent);

function barFigure(id, key, quantity, axisName) {
  const plot = document.querySelector("#" + id + " .plot");
  return () => horizontalBars(plot, report.operations.map((operation) => (
    { name: operation.name, value: operation[key], color: operationColor(operation.style) })), quantity, axisName,
    printing ? PAPER_HALF : 590);
}

function sizeFigure() {
  const plot = document.querySelector("#sizes .plot");
  if (report.sizes.length === 0) {
    plot.textContent = "No messages.";
    return () => {};
  }
  return () => sizeColumns(plot, report.sizes, printing ? PAPER_WHOLE : 1200);
}

/** The sentence under a matrix. */
function matrixResult(matrix, data, quantity) {
  const pairs = formatCount(matrix.columns.length);
  if (matrix.columns.length === 0) return "No messages.";
  const [row, column] = data.largestCell;
  return `Total ${quantity.exact(data.total)} in ${pairs} pairs; the most, ${quantity.exact(data.largest)}, from ` +
         `${taskName(matrix, row)} to ${taskName(matrix, column)}.`;
}

async function start() {
  const talking = report.operations.filter((operation) => operation.messages > 0);
  const redraws = [
    barFigure("calls", "calls", QUANTITIES.count, "calls"),
    barFigure("bytes", "callBytes", QUANTITIES.bytes, "bytes in buffers"),
    sizeFigure(),
  ];
  for (const redraw of redraws) redraw();
  redraws.push(
    seriesFigure("messages-over-time", report.time, talking, (o) => o.messagesOverTime, QUANTITIES.count, "messages"),
    seriesFigure("bytes-over-time", report.time, talking, (o) => o.bytesOverTime, QUANTITIES.bytes, "bytes"));
  onAppearance(() => { for (const redraw of redraws) redraw(); });

  const matrix = await unpackMatrix(report.matrix);
  redraws.push(heatFigure("matrix-messages", matrix, "messages"), heatFigure("matrix-bytes", matrix, "bytes"));
  document.getElementById("matrix-messages-result").textContent =
    matrixResult(matrix, matrix.messages, { exact: formatMessages });
  document.getElementById("matrix-bytes-result").textContent = matrixResult(matrix, matrix.bytes, QUANTITIES.bytes);
  document.body.dataset.ready = "true";
}

start();
