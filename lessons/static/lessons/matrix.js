// Puts numbers into a matrix that the page already shows (design/matrix.py), in line by their points.

import { heatLevel, numberText, plainNumber } from "./arithmetic.js";

// The cells of a matrix, row by row.
export const cellsOf = (table) =>
  [...table.tBodies[0].rows].map((row) => [...row.querySelectorAll("td.cell")]);

// The numbers of a matrix; what is struck out or infinite has none.
export const valuesOf = (table) =>
  cellsOf(table).map((row) =>
    row.map(({ dataset }) => ("value" in dataset ? Number(dataset.value) : -Infinity)),
  );

// Let the table show these values. `heat` is the range of the heat scale, and `heats` that of each
// column where they differ; −∞ is struck out.
export function showMatrix(
  table,
  values,
  { decimals = null, heat = null, heats = values[0].map(() => heat) } = {},
) {
  const cells = cellsOf(table);
  const texts = values.map((row) => row.map((value) => numberText(value, decimals)));
  const columns = texts[0].map((_, j) => columnOf(texts.map((row) => row[j])));
  cells.forEach((row, i) =>
    row.forEach((cell, j) => {
      showNumber(cell.querySelector(".number"), texts[i][j], columns[j]);
      showValue(cell, values[i][j], heats[j]);
    }),
  );
}

function showValue(cell, value, heat) {
  const level = heat && `heat-${heatLevel(value, ...heat)}`;
  const old = [...cell.classList].find((name) => name.startsWith("heat-"));
  if (old && old !== level) cell.classList.remove(old);
  if (level) cell.classList.add(level);
  cell.classList.toggle("is-fixed", value === -Infinity);
  if (Number.isFinite(value)) cell.dataset.value = plainNumber(value);
  else delete cell.dataset.value;
}

function showNumber(span, text, column) {
  if (span.textContent !== text) span.textContent = text;
  const [lead, trail] = paddingOf(text, column);
  set(span, "lead", lead);
  set(span, "trail", trail);
}

function set(span, name, value) {
  if (value) span.dataset[name] = value;
  else delete span.dataset[name];
}

const partsOf = (text) => text.match(/^(\u2212?)(\d+)((?:[.,]\d+)?)$/);

// How wide the numbers of a column are on both sides of the point, and what that looks like.
function columnOf(texts) {
  const found = texts.map(partsOf).filter(Boolean);
  return {
    sign: found.find(([, , , fraction]) => fraction)?.[3][0],
    signed: found.some(([, sign]) => sign),
    whole: Math.max(0, ...found.map(([, , whole]) => whole.length)),
    fraction: Math.max(0, ...found.map(([, , , fraction]) => fraction.length)),
  };
}

// What is printed, unseen, before and after a number, so that the points of a column are in line.
function paddingOf(text, { sign, signed, whole, fraction }) {
  const found = partsOf(text);
  if (!found) return ["", ""];
  const missing = fraction - found[3].length;
  const point = missing && !found[3] ? sign : "";
  return [
    (signed && !found[1] ? "\u2212" : "") + "0".repeat(whole - found[2].length),
    point + "0".repeat(missing - point.length),
  ];
}
