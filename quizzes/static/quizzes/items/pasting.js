// A table pasted into a cell fills the cells from there on, says so, and can be taken back.

import { gridAround, isCell, write } from "./cells.js";
import { readPasted } from "./pasted.js";
import { text } from "./texts.js";
import { Undoing, stands } from "./undoing.js";

export class Pasting {
  #told = new WeakMap(); // of each question: the step that its line is about

  constructor(form) {
    this.undoing = new Undoing(form);
    form.addEventListener("paste", (event) => this.#paste(event));
    form.addEventListener("input", ({ target }) => this.#outdate(target.closest("fieldset")));
  }

  #paste(event) {
    if (!isCell(event.target)) return;
    this.#tell(event.target.closest("fieldset"), "");
    const pasted = readPasted(event.clipboardData.getData("text/plain"));
    if (!pasted) return;
    event.preventDefault();
    this.#fill(event.target, pasted);
  }

  #fill(input, { rows, error, word }) {
    const question = input.closest("fieldset");
    if (error) return this.#tell(question, text(error, { word }));
    const height = rows.length;
    const width = rows[0].length;
    const target = placeFor(input, height, width);
    const shape = { rows: height, columns: width, place: placeOf(target.first) };
    if (!target.cells) return this.#tell(question, text("paste-no-fit", { ...shape, ...target.room }));
    const fill = () => {
      for (const [at, typed] of rows.flat().entries()) {
        const cell = target.cells[at].querySelector("input");
        // What is filled in by construction stays as it is.
        if (cell && cell.value !== typed) write(cell, typed);
      }
    };
    const step = this.undoing.asOne(question, fill, () => this.#tell(question, text("paste-undone")));
    this.#tell(question, text("paste-filled", shape), step);
  }

  // It is said for as long as anything of it is there.
  #outdate(question) {
    const step = this.#told.get(question);
    if (!step || !stands(step)) this.#tell(question, "");
  }

  #tell(question, words, step) {
    const line = question.querySelector("[data-pasted]");
    this.#told.set(question, step);
    line?.replaceChildren(words);
    if (!step || !stands(step)) return;
    const button = Object.assign(document.createElement("button"), {
      type: "button",
      className: "button-small",
      textContent: text("undo"),
    });
    button.addEventListener("click", () => this.undoing.back(question, step));
    line.append(" ", button);
  }
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
