// A table pasted into a cell fills the cells from there on, says so, and can be taken back.

import { gridAround, isCell, write } from "./cells.js";
import { readPasted } from "./pasted.js";
import { text } from "./texts.js";

export function listenForPastes(form) {
  form.addEventListener("paste", (event) => {
    if (!isCell(event.target)) return;
    const pasted = readPasted(event.clipboardData.getData("text/plain"));
    if (!pasted) return;
    event.preventDefault();
    fill(event.target, pasted);
  });
}

function fill(input, { rows, error, word }) {
  const line = input.closest("fieldset").querySelector("[data-pasted]");
  if (error) return tell(line, text(error, { word }));
  const height = rows.length;
  const width = rows[0].length;
  const target = placeFor(input, height, width);
  const shape = { rows: height, columns: width, place: placeOf(target.first) };
  if (!target.cells) return tell(line, text("paste-no-fit", { ...shape, ...target.room }));
  const before = [];
  for (const [at, typed] of rows.flat().entries()) {
    const cell = target.cells[at].querySelector("input");
    // What is filled in by construction stays as it is.
    if (!cell || cell.value === typed) continue;
    before.push([cell, cell.value, typed]);
    write(cell, typed);
  }
  tell(line, text("paste-filled", shape), () => {
    // What was typed since then stays.
    for (const [cell, typed, filled] of before) if (cell.value === filled) write(cell, typed);
    tell(line, text("paste-undone"));
    input.focus();
  });
}

// The cells from the one in focus; or the whole grid, if that is what was pasted.
function placeFor(input, height, width) {
  const { grid, row, column } = gridAround(input);
  const room = { freeRows: grid.length - row, freeColumns: grid[0].length - column };
  const whole = height === grid.length && width === grid[0].length;
  if (whole) return { first: grid[0][0], cells: grid.flat() };
  const first = grid[row][column];
  if (height > room.freeRows || width > room.freeColumns) return { first, room };
  const taken = grid.slice(row, row + height).map((line) => line.slice(column, column + width));
  return { first, cells: taken.flat() };
}

// A cell's row and column in words.
function placeOf(cell) {
  const { column } = gridAround(cell);
  const row = cell.parentElement;
  const heads = cell.closest("table").tHead?.querySelectorAll("th") ?? [];
  const words = [];
  const label = row.querySelector("th");
  if (label) words.push(text("row", { name: label.textContent.trim() }));
  if (heads[column]) words.push(text("column", { name: heads[column].textContent.trim() }));
  return words.join(", ") || text("first-cell");
}

function tell(line, words, undo) {
  line.replaceChildren(words);
  if (!undo) return;
  const button = Object.assign(document.createElement("button"), {
    type: "button",
    className: "button-small",
    textContent: text("undo"),
  });
  button.addEventListener("click", undo);
  line.append(" ", button);
}
