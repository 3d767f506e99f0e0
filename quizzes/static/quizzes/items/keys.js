// Keys above a phone's keyboard while a cell is focused: what its keypad lacks, and what is far away.

import { isCell } from "./cells.js";
import { part } from "./texts.js";
import "./seen.js";

const root = document.documentElement;

export class Keys {
  constructor(form, cells, pasting) {
    if (!matchMedia("(pointer: coarse)").matches) return;
    this.cells = cells;
    this.pasting = pasting;
    this.bar = part("keys");
    this.bar.querySelector("[data-key=point]").textContent = root.dataset.decimalSign ?? ".";
    this.bar.querySelector("[data-key=paste]").hidden = !navigator.clipboard?.readText;
    this.checking = form.elements.namedItem("check");
    this.bar.querySelector("[data-key=check]").hidden = !this.checking || this.checking.disabled;
    // A tap leaves the focus, and the phone's keyboard, where they are.
    this.bar.addEventListener("pointerdown", (event) => event.preventDefault());
    this.bar.addEventListener("click", ({ target }) => {
      const key = target.closest("[data-key]");
      if (key && cells.last) this[key.dataset.key](cells.last);
    });
    form.addEventListener("focusin", ({ target }) => {
      if (!this.bar.contains(target)) this.#show(form, isCell(target));
    });
    this.#show(form, form.contains(document.activeElement) && isCell(document.activeElement));
    form.addEventListener("focusout", ({ relatedTarget }) => {
      if (!form.contains(relatedTarget)) this.#show(form, false);
    });
  }

  #show(form, shown) {
    if (shown) form.append(this.bar);
    else this.bar.remove();
    root.toggleAttribute("data-keys", shown);
    if (shown) root.style.setProperty("--keys", `${this.bar.offsetHeight}px`);
    else root.style.removeProperty("--keys");
  }

  // The keys, by their names
  sign(cell) {
    this.cells.turnSign(cell);
  }
  point(cell) {
    this.cells.type(cell, root.dataset.decimalSign ?? ".");
  }
  previous(cell) {
    this.cells.move(cell, -1);
  }
  next(cell) {
    this.cells.move(cell, 1);
  }
  paste(cell) {
    this.pasting.pasteInto(cell);
  }
  undo(cell) {
    this.pasting.undoing.back(cell.closest("fieldset"));
  }
  check() {
    this.checking.click();
  }
}
