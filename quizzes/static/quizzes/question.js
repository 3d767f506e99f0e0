// One question of the form: what is typed in it, and what the server says about that.

export class Question {
  constructor(fieldset) {
    this.fieldset = fieldset;
    this.position = Number(fieldset.dataset.item);
    this.saveUrl = fieldset.dataset.save;
    this.prefix = `item-${this.position}-`;
    this.inputs = [...fieldset.querySelectorAll("input:not([type=hidden])")];
    fieldset.addEventListener("input", ({ target }) => this.#forget(target));
    fieldset.addEventListener("keydown", (event) => this.#move(event));
  }

  // What the text on the page stands on; kept in the form, so that a plain post carries it too.
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
  // As the server sent them.
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
      const text = fields[this.#key(input)] ?? "";
      if (input.type === "radio") input.checked = input.value === text;
      else input.value = text;
    }
  }

  // Fields in words, as [place, text].
  #inWords(fields) {
    return this.inputs
      .filter((input) => {
        const text = fields[this.#key(input)] ?? "";
        return input.type === "radio" ? input.value === text : text !== "";
      })
      .map((input) => {
        const label = input.labels[0]?.textContent.trim() ?? "";
        return input.type === "radio" ? ["Your choice", label] : [label, fields[this.#key(input)]];
      });
  }

  // Notes of the server, beside the cells whose text is still the one they are about.
  showNotes(notes, fields) {
    for (const input of this.inputs) {
      if (input.type === "radio" || input.value !== fields[this.#key(input)]) continue;
      this.#forget(input);
      const told = notes.find((note) => note.input === input.name);
      if (told?.note) this.#complain(input, told);
      else if (told?.read_as) this.#tell(input, told.read_as);
    }
  }

  #hidden(name) {
    return this.fieldset.elements.namedItem(this.prefix + name);
  }
  #key(input) {
    return input.name.slice(this.prefix.length);
  }

  #complain(input, { place, note }) {
    const line = element("li", { id: `${input.id}-note` });
    if (place) {
      const where = { className: "matrix-note-place", textContent: `${place}:` };
      line.append(element("span", where), " ");
    }
    line.append(note);
    input.closest(".matrix").querySelector(".matrix-notes").append(line);
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", line.id);
  }

  #tell(input, number) {
    const told = element("span", { className: "cell-read", id: `${input.id}-read` });
    told.append(element("span", { className: "visually-hidden", textContent: "read as " }), number);
    input.after(told);
    input.setAttribute("aria-describedby", told.id);
  }

  #forget(input) {
    document.getElementById(`${input.id}-note`)?.remove();
    document.getElementById(`${input.id}-read`)?.remove();
    input.removeAttribute("aria-invalid");
    input.removeAttribute("aria-describedby");
  }

  // Enter goes on to the next field; up and down go to the row above and below.
  #move(event) {
    const { target, key } = event;
    if (target.type !== "text" || event.isComposing) return;
    let next = null;
    if (key === "Enter") {
      const all = [...this.fieldset.form.querySelectorAll("fieldset input:not([type=hidden])")];
      next = all[all.indexOf(target) + 1];
    } else if (key === "ArrowUp" || key === "ArrowDown") {
      const cell = target.closest("td");
      const rows = cell.closest("tbody").rows;
      const row = rows[cell.parentElement.sectionRowIndex + (key === "ArrowUp" ? -1 : 1)];
      next = row?.cells[cell.cellIndex]?.querySelector("input");
    } else {
      return;
    }
    event.preventDefault();
    next?.focus();
    if (next?.type === "text") next.select();
  }

  // Something newer is stored: both answers are in view, and the student chooses.
  letChoose(stored, { keep, take }) {
    this.fieldset.querySelector(".conflict")?.remove();
    const box = element("div", { className: "notice conflict" });
    box.append(element("h3", { textContent: "This question was changed on another page" }));
    const lines = this.#inWords(stored.fields).map(([place, text]) => {
      const line = element("li");
      line.append(`${place}: `, element("b", { textContent: text }));
      return line;
    });
    if (lines.length) {
      const list = element("ul");
      list.append(...lines);
      box.append(element("p", { textContent: "Stored from there:" }), list);
    } else {
      box.append(element("p", { textContent: "There its answer was emptied." }));
    }
    const actions = element("p", { className: "actions" });
    for (const [text, then] of [
      ["Keep what stands here", keep],
      ["Take what is stored", take],
    ]) {
      const button = element("button", { type: "button", textContent: text });
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

function element(name, properties = {}) {
  return Object.assign(document.createElement(name), properties);
}
