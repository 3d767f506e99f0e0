// A matrix to type into. A message beside it names an unreadable entry, whose last number counts.

import { numberText, readNumber } from "./arithmetic.js";
import { filled } from "./filled.js";
import { cellsOf } from "./matrix.js";

export class TypedMatrix {
  // `texts` are the sentences for what is `unreadable` and what is `empty`.
  constructor(table, values, texts) {
    this.table = table;
    this.texts = texts;
    this.inputs = cellsOf(table).map((row) => row.map((cell) => cell.querySelector("input")));
    this.set(values);
  }

  set(values) {
    this.values = structuredClone(values);
    this.inputs.forEach((row, i) =>
      row.forEach((input, j) => {
        input.value = numberText(values[i][j]);
        this.tell(input, null);
      }),
    );
  }

  // Reads this input; returns false if it is not one of this matrix.
  read(input) {
    const i = this.inputs.findIndex((row) => row.includes(input));
    if (i < 0) return false;
    const j = this.inputs[i].indexOf(input);
    const number = readNumber(input.value);
    if (number !== null) this.values[i][j] = number;
    this.tell(input, number === null ? numberText(this.values[i][j]) : null);
    return true;
  }

  tell(input, number) {
    const id = `${input.id}-note`;
    const notes = this.table.closest(".matrix").querySelector(".matrix-notes");
    notes.querySelector(`[id="${id}"]`)?.remove();
    if (number === null) {
      input.removeAttribute("aria-invalid");
      input.removeAttribute("aria-describedby");
      return;
    }
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", id);
    const note = document.createElement("li");
    note.id = id;
    const text = input.value.trim();
    const sentence = text ? this.texts.unreadable : this.texts.empty;
    note.append(filled(sentence, { text, number }));
    notes.append(note);
  }
}
