// SPDX-License-Identifier: Apache-2.0
// Values per operation over time, drawn by uPlot: (c) and (d). Both zoom together; the y axis is logarithmic from 1
// up, with 0 on the base line, or linear.

const linkedCharts = [];

function seriesFigure(figureId, time, operations, valuesOf, quantity, unitName) {
  const figure = document.getElementById(figureId);
  const plot = figure.querySelector(".plot");
  const controls = figure.querySelector(".controls");
  if (time.intervals === 0) {
    plot.textContent = "No messages.";
    return () => {};
  }
  let logarithmic = true;
  let chart = null;
  let zoomed = null;  // [begin, end] in seconds
  const whole = [time.begin, time.begin + time.intervals * time.width];
  const xs = Array.from({ length: time.intervals + 1 }, (_, i) => time.begin + i * time.width);
  const columns = operations.map((operation) => {
    const values = valuesOf(operation);
    return [...values, values[values.length - 1]];  // the last interval's value holds until its end
  });

  function timeSpan(u, index) {
    if (index === null || index === undefined) return "";
    const begin = xs[Math.min(index, time.intervals - 1)];
    const shown = u.scales.x.max;
    return formatTimeAt(begin, shown, time.width) + " + " + formatTimeAt(time.width, time.width, time.width);
  }

  function yTicks(u, axis, low, high) {
    if (!logarithmic) return evenTicks(high, 6, quantity.inBytes);
    const ticks = logTicks(1, Math.max(high, 1), quantity, 7);
    return [0, ...(quantity.inBytes && ticks.length > 1 ? ticks.slice(1) : ticks)];  // 1 B would touch 0
  }

  function axisStyle() {
    const font = (printing ? 10 : 12) + "px system-ui, Arial, sans-serif";
    return { stroke: themeColor("--soft"), font, labelFont: font, labelSize: 20, grid: { stroke: themeColor("--grid"), width: 1 },
             ticks: { stroke: themeColor("--soft"), width: 1, size: 5 } };
  }

  function seriesOptions() {
    return operations.map((operation) => ({
      label: operation.name,
      stroke: operationColor(operation.style),
      dash: OPERATION_STYLES[operation.style].dash,
      width: 1.5,
      paths: uPlot.paths.stepped({ align: 1 }),
      points: { show: false },
      value: (u, value) => (value === null || value === undefined ? "" : quantity.inBytes ? formatBytes(value) : formatCount(value)),
    }));
  }

  function options(width) {
    return {
      width, height: printing ? 235 : 270,
      cursor: { sync: { key: "time", setSeries: false }, drag: { x: true, y: false },
                // The interval under the pointer, not the one whose beginning is nearest.
                dataIdx: (u, series, nearest, x) => Math.min(Math.max(Math.floor((x - time.begin) / time.width), 0), time.intervals) },
      legend: { live: true },
      scales: {
        x: { time: false, range: (u, low, high) => [low, high] },
        y: { ...(logarithmic ? { distr: 4, asinh: 1 } : {}), range: (u, low, high) => [0, Math.max(high, 1) * (logarithmic ? 1.3 : 1.05)] },
      },
      axes: [
        { ...axisStyle(), label: "time on an ideal network", space: 110, size: 28,
          values: (u, splits, axis, space, step) => splits.map((t) => formatTimeAt(t, splits[splits.length - 1], step)) },
        { ...axisStyle(), label: unitName, size: 66, splits: yTicks,
          filter: (u, splits) => splits,  // the ticks of yTicks, all of them
          values: (u, splits) => splits.map((v) => (v === 0 ? "0" : quantity.tick(v))) },
      ],
      series: [{ label: "time", value: (u, value, series, index) => timeSpan(u, index) }, ...seriesOptions()],
      hooks: { setSelect: [(u) => { if (u.select.width > 2) zoomAll(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")); }] },
    };
  }

  function zoom(begin, end) {
    zoomed = begin === null ? null : [begin, end];
    const [min, max] = zoomed || whole;
    chart.setScale("x", { min, max });
    reset.disabled = zoomed === null;
  }

  function draw() {
    const shown = chart ? chart.series.map((s) => s.show) : null;
    if (chart) chart.destroy();
    chart = new uPlot(options(printing ? PAPER_WHOLE : plot.clientWidth), [xs, ...columns], plot);
    if (shown) shown.forEach((show, i) => { if (i > 0 && !show) chart.setSeries(i, { show }); });
    zoom(...(zoomed || [null, null]));
  }

  choice(controls, unitName, ["log", "linear"], "log", (name) => { logarithmic = name === "log"; draw(); });
  const reset = action(controls, "whole time", () => zoomAll(null, null));
  action(controls, "PNG", () => savePng(chart.ctx.canvas, figureId));
  hint(controls, "Drag to zoom into a time; click an operation below to hide it.");
  linkedCharts.push(zoom);
  draw();
  return draw;
}

function zoomAll(begin, end) {
  for (const zoom of linkedCharts) zoom(begin, end);
}

/** Offers a canvas as a file. */
function savePng(canvas, name) {
  const copy = document.createElement("canvas");
  copy.width = canvas.width;
  copy.height = canvas.height;
  const context = copy.getContext("2d");
  context.fillStyle = themeColor("--panel");
  context.fillRect(0, 0, copy.width, copy.height);
  context.drawImage(canvas, 0, 0);
  const link = document.createElement("a");
  link.download = name + ".png";
  link.href = copy.toDataURL("image/png");
  link.click();
}
