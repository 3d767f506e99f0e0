// Undo and redo of what was typed, pasted or inserted into cells. A browser's own history does not
// include what scripts write, and undoing with it would leave digits that nobody typed.

import { isCell, write } from "./cells.js";

// Consecutive keys of one kind in one cell are one step.
const RUNS = ["insertText", "deleteContentBackward", "deleteContentForward"];

export class Undoing {
  #histories = new WeakMap(); // by question: the steps to undo, and those to redo
  #before = new WeakMap();
  #step = null;
  #run = "";

  constructor(form) {
    form.addEventListener("focusin", () => (this.#run = ""));
    form.addEventListener("beforeinput", (event) => this.#foresee(event));
    form.addEventListener("input", (event) => this.#note(event));
    form.addEventListener("keydown", (event) => this.#press(event));
  }

  // Records everything that `act` writes into cells as one step. `onBack` is called when it is
  // undone.
  asOne(question, act, onBack) {
    const step = this.#recorded(act);
    step.onBack = onBack;
    this.#keep(question, step);
    return step;
  }

  // Undoes the last step, or a given one, in cells that still have the step's text.
  back(question, step = this.#of(question).back.findLast(stands)) {
    const history = this.#of(question);
    history.back = history.back.filter((other) => other !== step);
    if (!step) return;
    history.forth.push(this.#turned(step));
    step.onBack?.();
  }

  forth(question) {
    const { back, forth } = this.#of(question);
    const step = forth.pop();
    if (step && stands(step)) back.push(this.#turned(step));
  }

  #of(question) {
    if (!this.#histories.has(question)) this.#histories.set(question, { back: [], forth: [] });
    return this.#histories.get(question);
  }

  #keep(question, step) {
    const history = this.#of(question);
    history.back.push(step);
    history.forth = [];
  }

  #recorded(act) {
    const step = (this.#step = { changes: [] });
    act();
    this.#step = null;
    this.#run = "";
    return step;
  }

  // Reverts a step and returns the reverse step. Cells that were changed since keep their text.
  #turned({ changes }) {
    const cells = changes.map(([cell]) => cell);
    if (!cells.includes(document.activeElement)) cells[0].focus();
    return this.#recorded(() => {
      for (const [cell, before, after] of changes) if (cell.value === after) write(cell, before);
    });
  }

  #foresee(event) {
    const { target, inputType } = event;
    if (!isCell(target)) return;
    this.#before.set(target, target.value);
    const way = { historyUndo: "back", historyRedo: "forth" }[inputType];
    if (way) this.#go(way, event);
  }

  #note({ target, inputType }) {
    if (!isCell(target)) return;
    const change = [target, this.#before.get(target), target.value];
    if (this.#step) return this.#step.changes.push(change);
    const question = target.closest("fieldset");
    const last = this.#of(question).back.at(-1);
    if (inputType === this.#run && RUNS.includes(inputType)) last.changes[0][2] = target.value;
    else this.#keep(question, { changes: [change] });
    this.#run = inputType;
  }

  #press(event) {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (altKey || ctrlKey === metaKey) return;
    const pressed = key.toLowerCase();
    if (pressed === "y" || (pressed === "z" && shiftKey)) this.#go("forth", event);
    else if (pressed === "z") this.#go("back", event);
  }

  // Applies to the focused question, instead of the browser's own undo.
  #go(way, event) {
    event.preventDefault();
    const question = document.activeElement.closest("fieldset");
    if (question) this[way](question);
  }
}

// Whether any cell still has the step's text.
export const stands = ({ changes }) => changes.some(([cell, , after]) => cell.value === after);
