// Reads pasted text as a table of numbers for the grid that it goes into, without the DOM.
//
// A text may have several layouts, which differ in the separators of rows and cells and in whether
// a comma is a decimal comma. Each layout uses all of the text. A valid one has only numbers, in
// rows of one length; of these the one that fits the grid is taken. If several fit, the student
// chooses.

import { NoResult, evaluate } from "./expression.js";
import { layoutsOf } from "./layouts.js";
import { inPlainSigns, withoutUnseen } from "./signs.js";

const LONGEST = 20_000; // characters of the whole text, and of one number:
const LONGEST_NUMBER = 64;
const DIGITS = String.raw`(?:\d+[.,]?\d*|[.,]\d+)`;
const POWER = String.raw`(?:e[-+]?\d+| ?[×·*] ?10\^(?:[-+]?\d+|\([-+]?\d+\)))?`;
const NUMBER = new RegExp(`^[-+]?(?:${DIGITS}${POWER}(?:/[-+]?${DIGITS})?%?|\\((?:\\d+\\+)?\\d+/\\d+\\))$`, "i");
// Accepted, because the cell's own message says what to type instead.
const THOUSANDS = /^[-+]?\d{1,3}(,\d{3})+\.\d*$/;

// Returns {rows}, with text that was {left} out; {readings} to choose from; an {error} with the
// wrong {word}; or null if the text is no table, so that the browser pastes it. The grid is {rows,
// columns}, of which {freeRows, freeColumns} begin at the focused cell.
export function readPasted(pasted, grid) {
  if (pasted.length > LONGEST) return { error: "paste-too-large" };
  const text = withoutUnseen(pasted).replace(/\r\n?/g, "\n").replace(/[^\S\t\n]/g, " ");
  const isLine = !text.includes("\t") && !text.trim().includes("\n");
  const layouts = layoutsOf(text);
  const tables = layouts.filter((layout) => layout.rows && isTable(layout));
  if (tables.length === 0) return isLine && !isMeantAsTable(text, layouts) ? null : troubleWith(layouts);
  if (isLine && !tables[0].inBrackets && countOf(tables[0]) < 2) return null;
  const decided = tables.find(
    ({ rows, partsRows }) => partsRows && rows[0].length === grid.columns && rows.length <= grid.rows,
  );
  if (decided) return reading(decided);
  const fitting = distinct(tables.filter((table) => fits(table, grid)));
  return fitting.length > 1 ? { readings: fitting.map(reading) } : reading(fitting[0] ?? tables[0]);
}

const reading = ({ rows, left }) => (left ? { rows, left } : { rows });

const isNumber = (cell) => {
  if (cell.length > LONGEST_NUMBER) return false;
  const plain = inPlainSigns(cell);
  return NUMBER.test(plain) || THOUSANDS.test(plain);
};

const countOf = ({ rows }) => rows.flat().length;
const oddIn = ({ rows }) => rows.flat().filter((cell) => cell && !isNumber(cell));
const isRagged = ({ rows }) => rows.some((row) => row.length !== rows[0].length);
const isTable = (layout) =>
  !isRagged(layout) && oddIn(layout).length === 0 && layout.rows.flat().some((cell) => cell !== "");

function fits({ rows }, grid) {
  const [height, width] = [rows.length, rows[0].length];
  if (height === grid.rows && width === grid.columns) return true;
  return height <= grid.freeRows && width <= grid.freeColumns;
}

function distinct(tables) {
  const found = new Map(tables.map((table) => [JSON.stringify(table.rows), table]));
  return [...found.values()];
}

// Words and calculations are pasted as usual.
function isMeantAsTable(text, layouts) {
  if (layouts.length === 0 || isCalculation(text)) return false;
  if (/[[{;&|]/.test(text)) return /\d/.test(text);
  const [{ rows }] = layouts;
  return !rows || (rows.flat().length > 1 && rows.flat().some(isNumber));
}

function isCalculation(text) {
  try {
    evaluate(text);
    return true;
  } catch (error) {
    if (error instanceof NoResult) return false;
    throw error;
  }
}

// The error of the layout with the fewest wrong cells.
function troubleWith(layouts) {
  const broken = layouts.find((layout) => layout.error);
  if (broken) return broken.word ? { error: broken.error, word: broken.word } : { error: broken.error };
  const full = layouts.filter((layout) => layout.rows.flat().some((cell) => cell !== ""));
  if (full.length === 0) return { error: "paste-empty" };
  const odd = full.map(oddIn).reduce((least, each) => (each.length < least.length ? each : least));
  return odd.length ? { error: "paste-no-number", word: odd[0].slice(0, 20) } : { error: "paste-ragged" };
}
