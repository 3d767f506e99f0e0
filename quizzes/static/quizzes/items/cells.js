// Moving between cells by Enter and arrow keys, and typing into them by buttons.

import { inPlainSigns, withoutUnseen } from "./signs.js";

export class Cells {
  // The last focused cell.
  last = null;

  constructor(form) {
    this.form = form;
    form.addEventListener("keydown", (event) => this.#press(event));
    form.addEventListener("focusin", ({ target }) => {
      if (isCell(target)) this.last = target;
    });
    if (!matchMedia("(pointer: coarse)").matches) return;
    for (const input of form.querySelectorAll(".cell input")) input.inputMode = "decimal";
  }

  // The cell to write into: the last one if its question is in view, or else the first empty one.
  get inView() {
    if (this.last?.checkVisibility()) return this.last;
    const cells = [...this.form.querySelectorAll(".cell input")];
    return cells.find((cell) => cell.checkVisibility() && !cell.value) ?? null;
  }

  #press(event) {
    const { target, key, isComposing, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (!isCell(target) || isComposing || ctrlKey || metaKey || altKey) return;
    if (shiftKey && key !== "Enter") return;
    const next = key === "Enter" ? this.#following(target, 1) : beside(target, key);
    goTo(next);
    if (next || ["Enter", "ArrowUp", "ArrowDown"].includes(key)) event.preventDefault();
  }

  #following(cell, by) {
    const fields = [...cell.closest("fieldset").querySelectorAll("input:not([type=hidden])")];
    const after = [...this.form.querySelectorAll("[data-next], .steps [name=review], [name=check]")];
    const beyond = by > 0 ? after.find((button) => button.checkVisibility()) : null;
    return fields[fields.indexOf(cell) + by] ?? beyond;
  }

  // Goes to the field after or before a cell.
  move(cell, by) {
    goTo(this.#following(cell, by));
  }

  // Types at the caret of a cell.
  type(cell, typed) {
    const { value, selectionStart, selectionEnd } = cell;
    write(cell, value.slice(0, selectionStart) + typed + value.slice(selectionEnd));
    cell.focus();
    cell.setSelectionRange(selectionStart + typed.length, selectionStart + typed.length);
  }

  turnSign(cell) {
    const typed = withoutUnseen(cell.value).trim();
    const sign = inPlainSigns(typed[0] ?? "");
    const unsigned = sign === "-" || sign === "+" ? typed.slice(1) : typed;
    write(cell, sign === "-" ? unsigned : `-${unsigned}`);
    cell.focus();
    cell.setSelectionRange(cell.value.length, cell.value.length);
  }
}

function goTo(field) {
  field?.focus();
  if (field && isCell(field)) field.select();
}

export const isCell = (element) => element.matches?.(".cell input[type=text]") ?? false;

// Writes into a cell as if typed, with the events before and after.
export function write(cell, typed) {
  cell.dispatchEvent(new Event("beforeinput", { bubbles: true }));
  cell.value = typed;
  cell.dispatchEvent(new Event("input", { bubbles: true }));
}

// The grid around a cell, row by row, and the cell's place in it.
export function gridAround(input) {
  const rows = [...input.closest("tbody").rows];
  const grid = rows.map((row) => [...row.querySelectorAll("td.cell")]);
  const row = rows.indexOf(input.closest("tr"));
  return { grid, row, column: grid[row].indexOf(input.closest("td")) };
}

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

// The next cell in that direction; sideways only from the end of the text.
function beside(input, key) {
  const [down, right] = STEPS[key] ?? [0, 0];
  if (!down && !(right && atEnd(input, right))) return null;
  let { grid, row, column } = gridAround(input);
  for (;;) {
    row += down;
    column += right;
    if (!grid[row]?.[column]) return null;
    const found = grid[row][column].querySelector("input");
    if (found) return found;
  }
}

function atEnd({ value, selectionStart, selectionEnd }, right) {
  const all = selectionStart === 0 && selectionEnd === value.length;
  return all || (selectionStart === selectionEnd && selectionEnd === (right > 0 ? value.length : 0));
}
