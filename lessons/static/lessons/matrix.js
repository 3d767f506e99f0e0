// Puts numbers into a matrix on the page (design/matrix.py), aligned at their decimal points.

import { heatLevel, numberText, plainNumber } from "./arithmetic.js";

// The cells of a matrix, row by row.
export const cellsOf = (table) =>
  [...table.tBodies[0].rows].map((row) => [...row.querySelectorAll("td.cell")]);

// The numbers of a matrix; masked and infinite cells have none.
export const valuesOf = (table) =>
  cellsOf(table).map((row) =>
    row.map(({ dataset }) => ("value" in dataset ? Number(dataset.value) : -Infinity)),
  );

// Shows these values in the table. `heat` is the range of the heat scale, or `heats` that of each
// column; −∞ is shown as masked.
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

// The widths of a column's numbers on both sides of the point, and the texts of these widths.
function columnOf(texts) {
  const found = texts.map(partsOf).filter(Boolean);
  return {
    sign: found.find(([, , , fraction]) => fraction)?.[3][0],
    signed: found.some(([, sign]) => sign),
    whole: Math.max(0, ...found.map(([, , whole]) => whole.length)),
    fraction: Math.max(0, ...found.map(([, , , fraction]) => fraction.length)),
  };
}

// The invisible texts before and after a number that align the points of its column.
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
