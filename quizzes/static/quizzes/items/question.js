// One question of the form: its answers, and the server's notes on them.

import { text } from "./texts.js";

export class Question {
  constructor(fieldset) {
    this.fieldset = fieldset;
    this.position = Number(fieldset.dataset.item);
    this.saveUrl = fieldset.dataset.save;
    this.prefix = `item-${this.position}-`;
    this.inputs = [...fieldset.querySelectorAll("input:not([type=hidden])")];
    this.notes = new Map(this.inputs.filter(isInvalid).map((input) => [input, noteOf(input)]));
    fieldset.addEventListener("input", ({ target }) => {
      this.#forget(target);
      unmark(target);
      const outdated = fieldset.form.parentElement.querySelector("[data-outdated]");
      if (outdated) outdated.hidden = false;
    });
  }

  // The revision and token that the page's text is based on, in hidden inputs, so that a plain post
  // sends them too.
  get revision() {
    return Number(this.#hidden("revision").value);
  }
  get token() {
    return this.#hidden("token").value;
  }
  standOn({ revision, token }) {
    this.#hidden("revision").value = revision;
    this.#hidden("token").value = token;
  }

  get fields() {
    return this.#read("value", "checked");
  }
  // The fields as the server sent them.
  get served() {
    return this.#read("defaultValue", "defaultChecked");
  }
  #read(value, checked) {
    const fields = {};
    for (const input of this.inputs) {
      const key = this.#key(input);
      if (input.type !== "radio") fields[key] = input[value];
      else if (input[checked] || !(key in fields)) fields[key] = input[checked] ? input.value : "";
    }
    return fields;
  }
  set fields(fields) {
    for (const input of this.inputs) {
      const typed = fields[this.#key(input)] ?? "";
      if (input.type === "radio") input.checked = input.value === typed;
      else input.value = typed;
    }
  }

  // Fields in words, as [place, text].
  #inWords(fields) {
    return this.inputs
      .filter((input) => {
        const typed = fields[this.#key(input)] ?? "";
        return input.type === "radio" ? input.value === typed : typed !== "";
      })
      .map((input) => {
        const label = input.labels[0]?.textContent.trim() ?? "";
        return input.type === "radio" ? [text("your-choice"), label] : [label, asPrinted(fields[this.#key(input)])];
      });
  }

  // Shows the server's notes beside cells whose text has not changed since.
  showNotes(notes, fields) {
    for (const input of this.inputs) {
      if (input.type === "radio" || input.value !== fields[this.#key(input)]) continue;
      this.#forget(input);
      const found = notes.find((note) => note.input === input.name);
      if (found?.note) this.#complain(input, found);
      else if (found?.read_as) this.#tell(input, found.read_as);
    }
  }

  #hidden(name) {
    return this.fieldset.elements.namedItem(this.prefix + name);
  }
  #key(input) {
    return input.name.slice(this.prefix.length);
  }

  #complain(input, note) {
    this.notes.set(input, note);
    input.setAttribute("aria-invalid", "true");
    this.#list(input.closest(".matrix"));
  }

  // Cells with the same note share a line, whose id comes from the first of them.
  #list(matrix) {
    const inputsByNote = new Map();
    for (const input of this.inputs.filter((each) => matrix.contains(each) && this.notes.has(each))) {
      const { note } = this.notes.get(input);
      inputsByNote.set(note, [...(inputsByNote.get(note) ?? []), input]);
    }
    const lines = [...inputsByNote].map(([note, inputs]) => {
      const line = element("li", { id: `${inputs[0].id}-note` });
      const places = inputs.map((input) => this.notes.get(input).place).filter(Boolean);
      for (const [at, place] of places.entries()) {
        const where = { className: "matrix-note-place", textContent: place };
        line.append(at ? "; " : "", element("span", where));
      }
      line.append(places.length ? ": " : "", note);
      for (const input of inputs) input.dataset.note = line.id;
      return line;
    });
    const list = matrix.querySelector(".matrix-notes");
    // Keep an unchanged live region, or screen readers would announce it again.
    if (list.textContent.trim() !== lines.map((line) => line.textContent).join("")) list.replaceChildren(...lines);
    else for (const [at, line] of lines.entries()) list.children[at].id = line.id;
    for (const input of this.inputs) if (matrix.contains(input)) describe(input);
  }

  #tell(input, number) {
    const reading = element("span", { className: "cell-read", id: `${input.id}-read` });
    const words = { className: "visually-hidden", textContent: `${text("read-as")} ` };
    reading.append(element("span", words), number);
    input.after(reading);
    describe(input);
  }

  #forget(input) {
    document.getElementById(`${input.id}-read`)?.remove();
    input.removeAttribute("aria-invalid");
    delete input.dataset.note;
    if (this.notes.delete(input)) this.#list(input.closest(".matrix"));
    else describe(input);
  }

  // A newer draft is stored: show both answers, and let the student choose.
  letChoose(stored, { keep, take }) {
    this.fieldset.querySelector(".conflict")?.remove();
    const box = element("div", { className: "notice conflict" });
    box.append(element("h3", { textContent: text("changed-title") }));
    const lines = this.#inWords(stored.fields).map(([place, typed]) => {
      const line = element("li");
      line.append(`${place}: `, element("b", { textContent: typed }));
      return line;
    });
    if (lines.length) {
      const list = element("ul");
      list.append(...lines);
      box.append(element("p", { textContent: text("stored-there") }), list);
    } else {
      box.append(element("p", { textContent: text("emptied-there") }));
    }
    const actions = element("p", { className: "actions" });
    for (const [words, then] of [
      [text("keep"), keep],
      [text("take"), take],
    ]) {
      const button = element("button", { type: "button", textContent: words });
      button.addEventListener("click", () => {
        box.remove();
        then();
        this.inputs[0]?.focus();
      });
      actions.append(button);
    }
    box.append(actions);
    this.fieldset.querySelector(".statement").before(box);
  }
}

// Removes a cell's mark, which was about its former text. A placeholder keeps its space.
function unmark(input) {
  const cell = input.closest(".cell");
  const mark = cell?.querySelector(".cell-mark");
  if (!mark) return;
  mark.replaceWith(element("span", { className: "cell-unmarked" }));
  cell.className = "cell";
  describe(input);
}

const isInvalid = (input) => input.getAttribute("aria-invalid") === "true";

// The note on a cell in the page as the server rendered it.
function noteOf(input) {
  const id = input.getAttribute("aria-describedby").split(" ").find((each) => each.endsWith("-note"));
  const line = document.getElementById(id);
  const sharing = [...line.closest(".matrix").querySelectorAll("input")].filter((each) =>
    each.getAttribute("aria-describedby")?.split(" ").includes(id),
  );
  const places = [...line.querySelectorAll(".matrix-note-place")].map((place) => place.textContent);
  const note = places.length ? line.textContent.slice(places.join("; ").length + 2) : line.textContent;
  input.dataset.note = id;
  return { place: places[sharing.indexOf(input)] ?? "", note };
}

// The text with a real minus sign, as numbers are printed.
const asPrinted = (typed) => typed.trim().replace(/^-/, "−");

// Updates the references to an input's descriptions, beside it and below the matrix.
function describe(input) {
  const ids = [input.dataset.note, `${input.id}-read`, `${input.id}-mark`].filter(Boolean);
  const there = ids.filter((id) => document.getElementById(id));
  if (there.length) input.setAttribute("aria-describedby", there.join(" "));
  else input.removeAttribute("aria-describedby");
}

function element(name, properties = {}) {
  return Object.assign(document.createElement(name), properties);
}
