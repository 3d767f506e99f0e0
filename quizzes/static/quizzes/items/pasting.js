// Pastes a table into the cells from the focused one on, with a message and a button to undo it.

import { gridAround, isCell, write } from "./cells.js";
import { readPasted } from "./pasted.js";
import { text } from "./texts.js";
import { Undoing, stands } from "./undoing.js";

const LONGEST_SHOWN = 60; // characters of each reading to choose from

export class Pasting {
  #steps = new WeakMap(); // by question: the undo step that its message is about

  constructor(form) {
    this.undoing = new Undoing(form);
    form.addEventListener("paste", (event) => this.#paste(event));
    form.addEventListener("input", ({ target }) => this.#outdate(target.closest("fieldset")));
  }

  #paste(event) {
    if (!isCell(event.target)) return;
    if (this.#take(event.target, event.clipboardData.getData("text/plain"))) event.preventDefault();
  }

  // Pastes from the clipboard, which the browser may refuse to have read.
  async pasteInto(cell) {
    let pasted;
    try {
      pasted = await navigator.clipboard.readText();
    } catch {
      return this.#tell(cell.closest("fieldset"), text("paste-refused"));
    }
    if (!this.#take(cell, pasted)) this.undoing.asOne(cell.closest("fieldset"), () => write(cell, pasted.trim()));
  }

  // Returns whether the text was a table, so that nothing is left to paste.
  #take(cell, text) {
    this.#tell(cell.closest("fieldset"), "");
    const pasted = readPasted(text, shapeAround(cell));
    if (pasted?.readings) this.#ask(cell, pasted.readings);
    else if (pasted) this.#fill(cell, pasted);
    return pasted !== null;
  }

  // If a text can be read in several ways, the student chooses one.
  #ask(input, readings) {
    const question = input.closest("fieldset");
    const buttons = readings.map((reading) => {
      const { rows } = reading;
      const shown = rows.map((row) => row.join(" | ")).join(" / ");
      const words = text("paste-reading", { rows: rows.length, columns: rows[0].length, shown: cut(shown) });
      return button(words, () => {
        input.focus();
        this.#fill(input, reading);
      });
    });
    this.#tell(question, text("paste-open"), ...buttons);
  }

  #fill(input, { rows, left, error, word }) {
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
        // Cells that are filled in for the student have no input.
        if (cell && cell.value !== typed) write(cell, typed);
      }
    };
    const step = this.undoing.asOne(question, fill, () => this.#tell(question, text("paste-undone")));
    const words = [text("paste-filled", shape)];
    if (left) words.push(text("paste-left", { left }));
    const undo = button(text("undo"), () => this.undoing.back(question, step));
    this.#tell(question, words.join(" "), ...(stands(step) ? [undo] : []));
    this.#steps.set(question, step);
  }

  // The message stays as long as any of the pasted numbers do.
  #outdate(question) {
    const step = this.#steps.get(question);
    if (!step || !stands(step)) this.#tell(question, "");
  }

  #tell(question, words, ...buttons) {
    const line = question.querySelector("[data-pasted]");
    this.#steps.delete(question);
    line?.replaceChildren(words, ...buttons.flatMap((each) => [" ", each]));
  }
}

function button(words, act) {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", className: "button-small", textContent: words });
  made.addEventListener("click", act);
  return made;
}

const cut = (shown) => (shown.length > LONGEST_SHOWN ? `${shown.slice(0, LONGEST_SHOWN)}…` : shown);

// The size of the grid, and of its part from this cell on.
function shapeAround(input) {
  const { grid, row, column } = gridAround(input);
  const [rows, columns] = [grid.length, grid[0].length];
  return { rows, columns, freeRows: rows - row, freeColumns: columns - column };
}

// The cells from the focused one on, or the whole grid if the table has its size.
function placeFor(input, height, width) {
  const { grid, row, column } = gridAround(input);
  const { rows, columns, ...room } = shapeAround(input);
  const whole = height === rows && width === columns;
  if (whole) return { first: grid[0][0], cells: grid.flat() };
  const first = grid[row][column];
  if (height > room.freeRows || width > room.freeColumns) return { first, room };
  const taken = grid.slice(row, row + height).map((line) => line.slice(column, column + width));
  return { first, cells: taken.flat() };
}

// A cell's row and column in words.
export function placeOf(cell) {
  const { column } = gridAround(cell);
  const row = cell.parentElement;
  const heads = cell.closest("table").tHead?.querySelectorAll("th") ?? [];
  const words = [];
  const label = row.querySelector("th");
  if (label) words.push(text("row", { name: label.textContent.trim() }));
  if (heads[column]) words.push(text("column", { name: heads[column].textContent.trim() }));
  return words.join(", ") || text("first-cell");
}
