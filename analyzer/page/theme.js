// SPDX-License-Identifier: Apache-2.0
// Colours. Light or dark follows the system; paper is always light. Operations keep their colour and dash in every
// figure. The colours can be told apart with every common colour blindness, and the dashes without any colour.

const darkQuery = matchMedia("(prefers-color-scheme: dark)");
let printing = false;

function isDark() {
  return darkQuery.matches && !printing;
}

/** A colour of page.css by name. */
function themeColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// By operation number: send, broadcast, reduce, all-reduce, gather, scatter, all-gather, barrier, all-to-all,
// reduce-scatter, scan, exscan.
const OPERATION_STYLES = [
  { light: "#0067b0", dark: "#58b0f0", dash: [] },
  { light: "#d98a00", dark: "#f0b040", dash: [] },
  { light: "#3fa7d6", dark: "#8fd4f7", dash: [7, 3] },
  { light: "#c8441b", dark: "#f2774d", dash: [] },
  { light: "#00875f", dark: "#2fc79a", dash: [] },
  { light: "#b8659a", dark: "#e59acb", dash: [] },
  { light: "#8a7a00", dark: "#e3d24a", dash: [7, 3] },
  { light: "#7d8794", dark: "#a9b4c2", dash: [2, 3] },
  { light: "#1b2430", dark: "#eef2f7", dash: [7, 3, 2, 3] },
  { light: "#9a3fb5", dark: "#d18be6", dash: [] },
  { light: "#5a6b00", dark: "#b9cf4a", dash: [] },
  { light: "#5a6b00", dark: "#b9cf4a", dash: [2, 3] },
];

function operationColor(style) {
  return OPERATION_STYLES[style][isDark() ? "dark" : "light"];
}

// From little to much, lightness falling (on paper) or rising (on a dark screen) all the way.
const RAMP_LIGHT = [[212, 226, 148], [158, 210, 152], [84, 184, 170], [38, 134, 168], [36, 82, 148], [34, 28, 92]];
const RAMP_DARK = [[52, 62, 128], [34, 98, 150], [44, 152, 158], [112, 200, 132], [206, 228, 120], [255, 250, 196]];

function rampColors() {
  const stops = isDark() ? RAMP_DARK : RAMP_LIGHT;
  const table = new Uint8ClampedArray(256 * 3);
  for (let i = 0; i < 256; i++) {
    const at = (i / 255) * (stops.length - 1);
    const low = Math.min(Math.floor(at), stops.length - 2);
    for (let c = 0; c < 3; c++) table[i * 3 + c] = stops[low][c] + (stops[low + 1][c] - stops[low][c]) * (at - low);
  }
  return table;
}

/** Calls `redraw` whenever colours or the page's width change: theme, window, printing. */
function onAppearance(redraw) {
  darkQuery.addEventListener("change", redraw);
  let lastWidth = document.documentElement.clientWidth;
  addEventListener("resize", () => {
    const width = document.documentElement.clientWidth;
    if (width !== lastWidth) redraw();
    lastWidth = width;
  });
  const paper = (on) => {
    printing = on;
    document.documentElement.classList.toggle("paper", on);
    redraw();
  };
  addEventListener("beforeprint", () => paper(true));
  addEventListener("afterprint", () => paper(false));
}

// Widths to draw for on A4, in CSS pixels: across the page; and for half of it, which style then shrinks a little.
const PAPER_WHOLE = 682;
const PAPER_HALF = 420;

/** A group of buttons of which one is pressed. */
function choice(controls, label, options, chosen, onChoose) {
  const group = document.createElement("span");
  group.className = "group";
  group.innerHTML = "<span></span>";
  group.firstChild.textContent = label;
  const buttons = options.map((option) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = option;
    button.setAttribute("aria-pressed", String(option === chosen));
    button.addEventListener("click", () => {
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      onChoose(option);
    });
    group.append(button);
    return button;
  });
  controls.append(group);
}

function action(controls, label, onClick) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = label;
  button.addEventListener("click", onClick);
  controls.append(button);
  return button;
}

function hint(controls, text) {
  const span = document.createElement("span");
  span.className = "hint";
  span.textContent = text;
  controls.append(span);
}
