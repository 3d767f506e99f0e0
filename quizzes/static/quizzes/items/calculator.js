// A calculator beside the question, which keeps its last results and inserts them into cells.

import { write } from "./cells.js";
import { evaluate, inFigures } from "./expression.js";
import { remember, remembered } from "./remembered.js";
import { inPlainSigns } from "./signs.js";
import { text } from "./texts.js";

const KEPT = 8;
const OPERATOR = /^[-+*×/÷^]/;

export class Calculator {
  // Whether the input shows a result: then a digit begins a new sum, and an operator continues.
  #done = false;

  constructor(dialog, cells, form) {
    this.dialog = dialog;
    this.cells = cells;
    this.find = (name) => dialog.querySelector(`[data-${name}]`);
    this.input = this.find("sum");
    this.key = `softmark/calculator/${form.dataset.user}/${form.dataset.attempt}`;
    this.kept = { results: [], memory: 0, open: false, ...JSON.parse(this.#read() ?? "{}") };
    this.opener = document.querySelector("[data-calculator]");
    document.addEventListener("click", ({ target }) => {
      const opener = target.closest("[data-calculator]");
      if (opener) this.toggle(opener);
    });
    this.find("close").addEventListener("click", () => this.toggle());
    this.find("insert").addEventListener("click", () => this.#insert());
    this.input.addEventListener("input", () => (this.#done = false));
    dialog.addEventListener("keydown", (event) => this.#press(event));
    dialog.addEventListener("click", ({ target }) => this.#click(target.closest("button")));
    form.addEventListener("focusin", () => this.#showPlace());
    // It has its own keypad, so phones need not show theirs.
    this.byTouch = matchMedia("(pointer: coarse)").matches;
    if (this.byTouch) this.input.inputMode = "none";
    this.#list();
    if (this.kept.open) this.#open();
  }

  // Moves the focus into the calculator, or from there back to the cell.
  visit() {
    if (this.dialog.open && !this.dialog.contains(document.activeElement)) this.input.focus();
    else this.toggle();
  }

  toggle(opener = this.opener) {
    this.opener = opener;
    if (!this.dialog.open) {
      this.#open();
      this.input.focus();
      return;
    }
    this.dialog.close();
    this.opener.setAttribute("aria-expanded", "false");
    (this.cells.inView ?? this.opener).focus();
    this.#keep({ open: false });
  }

  #open() {
    this.dialog.show();
    this.opener.setAttribute("aria-expanded", "true");
    this.#showPlace();
    this.#uncover();
    this.#keep({ open: true });
  }

  #press(event) {
    const { key, target, ctrlKey, metaKey } = event;
    if (key === "Escape") this.toggle();
    else if (target !== this.input || ctrlKey || metaKey) return;
    else if (key === "Enter" && this.#done) this.#insert();
    else if (key === "Enter" || key === "=") this.#calculate();
    else if (this.#done && OPERATOR.test(inPlainSigns(key))) this.#type(key);
    else return;
    event.preventDefault();
  }

  #click(button) {
    if (!button) return;
    const { type, act, result } = button.dataset;
    if (type) this.#type(type);
    else if (result) this.#type(asValue(result));
    else if (act) this[act]();
  }

  #type(typed) {
    const { input } = this;
    const goesOn = this.#done && OPERATOR.test(inPlainSigns(typed).trimStart());
    if (goesOn) input.value = asValue(input.value);
    const [from, to] = goesOn ? [input.value.length, input.value.length] : this.#selected();
    input.setRangeText(typed, from, to, "end");
    this.#done = false;
    input.focus();
  }
  #selected() {
    const { value, selectionStart, selectionEnd } = this.input;
    return this.#done ? [0, value.length] : [selectionStart, selectionEnd];
  }

  #calculate() {
    const typed = this.input.value.trim();
    if (!typed) return;
    try {
      this.value = evaluate(typed);
    } catch (error) {
      this.#tell(text(error.message, { word: error.word }));
      return this.input.focus();
    }
    const result = inFigures(this.value);
    const worked = `${typed} = ${result}`;
    const inRadians = /sin|cos/i.test(typed);
    this.#tell(inRadians ? text("sum-radians", { worked }) : worked, { listed: !inRadians });
    this.#keep({ results: [[typed, result], ...this.kept.results].slice(0, KEPT) });
    this.#list();
    this.input.value = result;
    this.#done = true;
    this.input.focus();
    this.input.select();
    this.#uncover();
  }

  // Scrolls the cell into view, in case the calculator is a sheet that has grown over it.
  #uncover() {
    this.cells.inView?.scrollIntoView({ block: "nearest" });
  }

  // Keys with an action
  equals() {
    this.#calculate();
  }
  back() {
    const [from, to] = this.#selected();
    if (from === to) this.input.setRangeText("", Math.max(0, from - 1), to, "end");
    else this.input.setRangeText("", from, to, "end");
    this.#done = false;
    this.input.focus();
  }
  clear() {
    this.input.value = "";
    this.#tell("");
    this.input.focus();
  }
  addToMemory() {
    if (!this.#done) this.#calculate();
    if (this.#done) this.#remember(this.kept.memory + this.value);
  }
  recall() {
    this.#type(asValue(inFigures(this.kept.memory)));
  }
  forget() {
    this.#remember(0);
  }

  #remember(memory) {
    this.#keep({ memory });
    this.#tell(text("sum-memory", { value: inFigures(memory) }));
  }

  #insert() {
    if (!this.#done) this.#calculate();
    const cell = this.cells.inView;
    if (!this.#done || !cell) return;
    write(cell, inFigures(this.value));
    // The next sum is a new one, even if it begins with a minus; the list keeps the result.
    this.input.value = "";
    this.#done = false;
    if (this.byTouch) {
      // Focusing the cell would open the phone's keyboard. The next target is the first empty cell.
      this.cells.last = null;
      this.#showPlace();
      this.input.focus();
    } else {
      cell.focus();
      cell.select();
    }
  }

  #showPlace() {
    const cell = this.cells.inView;
    this.find("insert").disabled = !cell;
    this.find("somewhere").hidden = !cell;
    this.find("nowhere").hidden = cell;
    this.find("place").textContent = cell?.labels[0].textContent.trim() ?? "";
  }

  // A text that the list shows too is only announced.
  #tell(words, { listed = false } = {}) {
    const message = this.find("message");
    message.textContent = words;
    message.toggleAttribute("data-listed", listed);
  }

  #list() {
    const lines = this.kept.results.map(([typed, result]) => {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: "link-button", textContent: result });
      button.dataset.result = result;
      const line = document.createElement("li");
      line.append(`${typed} = `, button);
      return line;
    });
    this.find("results").replaceChildren(...lines);
  }

  #read() {
    return remembered(this.key, "sessionStorage");
  }
  #keep(changes) {
    Object.assign(this.kept, changes);
    remember(this.key, JSON.stringify(this.kept), "sessionStorage");
  }
}

// A result as part of a sum: a negative one needs brackets, as in (−2)^2.
const asValue = (figures) => (figures.startsWith("-") ? `(${figures})` : figures);
