// Attention in steps: every input can be changed, and every cell shows its calculation.

import { attention, numberText } from "../arithmetic.js";
import { filled } from "../filled.js";
import { keepInLink, numbersInLink } from "../link.js";
import { showMatrix, valuesOf } from "../matrix.js";
import { ChosenCell } from "./attention_steps_cell.js";
import { TypedMatrix } from "../typed_matrix.js";

// The steps in order, each with the result of `attention` that it shows.
const SHOWS = { score: "raw", scale: "scores", mask: "masked", softmax: "weights", blend: "output" };
const NAMES = Object.keys(SHOWS);

class Steps {
  constructor(figure, key) {
    this.figure = figure;
    this.key = key;
    figure.id = key;
    this.lines = NAMES.map((name) => this.find(`[data-step=${name}]`));
    this.tables = this.lines.map((line) => line.querySelector("table"));
    this.slider = this.find("[type=range]");
    this.temperatures = this.slider.dataset.temperatures.trim().split(" ").map(Number);
    this.given = this.all(".steps-given table");
    this.original = {
      step: 0,
      scaled: Number(figure.dataset.scaled),
      causal: Number(figure.dataset.causal),
      temperature: Number(figure.dataset.temperature),
      inputs: this.given.map(valuesOf),
    };
    this.state = this.kept() ?? { ...this.original };
    const texts = this.find(".steps-typed").dataset;
    this.typed = this.all(".steps-typed table").map(
      (table, i) => new TypedMatrix(table, this.state.inputs[i], texts),
    );
    const tokens = [...this.tables[0].tBodies[0].rows].map((row) => row.cells[0].textContent);
    this.cell = new ChosenCell(figure, tokens, () => this.shown);
    figure.addEventListener("input", ({ target }) => this.change(target));
    figure.addEventListener("click", ({ target }) => this.press(target.closest("button")));
    this.show();
  }

  find = (selector) => this.figure.querySelector(selector);
  all = (selector) => [...this.figure.querySelectorAll(selector)];

  // Changing the inputs ----------------------------------------------------------------------

  change(input) {
    if (input.dataset.option) this.state[input.dataset.option] = Number(input.checked);
    else if (input === this.slider) this.state.temperature = this.temperatures[input.value];
    else this.typed.some((matrix) => matrix.read(input));
    this.show();
  }

  press(button) {
    if (!button) return;
    if (button.dataset.move) this.move(Number(button.dataset.move));
    else if ("reset" in button.dataset) this.reset();
    else if ("link" in button.dataset) this.copyLink(button.dataset);
  }

  move(by) {
    const present = this.present();
    this.state.step = present[present.indexOf(this.state.step) + by] ?? this.state.step;
    this.showStep();
  }

  reset() {
    this.state = { ...this.original, step: this.state.step };
    this.typed.forEach((matrix, i) => matrix.set(this.original.inputs[i]));
    this.say("");
    this.show();
  }

  // The link ---------------------------------------------------------------------------------

  async copyLink(texts) {
    const { step, scaled, causal, temperature } = this.state;
    const typed = this.typed.flatMap(({ values }) => values.flat());
    const copied = await keepInLink(this.key, [step, scaled, causal, temperature, ...typed]);
    this.say(copied ? texts.copied : texts.kept);
  }

  // Restores the state in the URL, unless it belongs to another page or version.
  kept() {
    const { inputs } = this.original;
    const numbers = numbersInLink(this.key, 4 + inputs.flat(2).length);
    if (numbers === null) return null;
    const [step, scaled, causal, temperature, ...typed] = numbers;
    if (!(step in NAMES && temperature >= 0.01 && temperature <= 100)) {
      this.say(this.find("[data-link]").dataset.outdated);
      return null;
    }
    if (location.hash === `#${this.key}`) this.figure.scrollIntoView();
    const rows = inputs.map((matrix) => matrix.map((row) => typed.splice(0, row.length)));
    return { step, scaled: Number(scaled > 0), causal: Number(causal > 0), temperature, inputs: rows };
  }

  say(text) {
    this.find("[role=status]").textContent = text;
  }

  // Showing the results ----------------------------------------------------------------------

  show() {
    const inputs = this.typed.map(({ values }) => values);
    const [q, k = q, v = q] = inputs;
    this.numbers = { q, k, v };
    this.result = attention(q, k, v, this.withFlags());
    this.given.forEach((table, i) => showMatrix(table, inputs[i])); // these are visible in print
    const decimals = Number(this.figure.dataset.decimals);
    NAMES.forEach((name, i) => {
      const heat = name === "softmax" ? [0, 1] : null;
      showMatrix(this.tables[i], this.result[SHOWS[name]], { decimals, heat });
    });
    this.showOptions();
    this.showStep();
  }

  withFlags = () => ({ ...this.state, warm: this.state.temperature !== 1 });

  showOptions() {
    const { state, slider, temperatures } = this;
    for (const box of this.all("[data-option]")) box.checked = Boolean(state[box.dataset.option]);
    const stop = temperatures.findIndex((each) => each >= state.temperature);
    slider.value = stop < 0 ? temperatures.length - 1 : stop;
    const text = numberText(state.temperature);
    slider.setAttribute("aria-valuetext", text);
    slider.nextElementSibling.textContent = text;
    const holds = this.withFlags();
    const isSo = (word) => (word.startsWith("!") ? !holds[word.slice(1)] : holds[word]);
    for (const element of this.all("[data-when]")) {
      element.hidden = !element.dataset.when.split(" ").every(isSo);
    }
  }

  // The numbers of the steps that are not left out.
  present = () => [...NAMES.keys()].filter((i) => !this.lines[i].hidden);

  showStep() {
    const present = this.present();
    // If the shown step was just left out, show the next.
    const now = present.findIndex((i) => i >= this.state.step);
    const step = (this.state.step = present[now]);
    const before = present[now - 1];
    this.lines.forEach((line, i) => {
      line.classList.toggle("is-now", i === step);
      line.classList.toggle("is-source", i === before);
    });
    const place = this.find(".steps-bar [data-place]");
    const names = { number: now + 1, count: present.length };
    const text = filled(place.dataset.place, names);
    if (place.textContent !== text) place.textContent = text;
    for (const button of this.all("[data-move]")) {
      const isEnd = present[now + Number(button.dataset.move)] === undefined;
      button.setAttribute("aria-disabled", String(isEnd));
    }
    this.shown = {
      name: NAMES[step],
      line: this.lines[step],
      table: this.tables[step],
      before: this.tables[before],
      inputs: this.inputTables(),
      numbers: this.numbers,
      result: this.result,
      temperature: this.state.temperature,
    };
    this.cell.show();
  }

  // The tables of each input: to read, and to type into.
  inputTables() {
    const [q, k = q, v = q] = this.given.map((table, i) => [table, this.typed[i].table]);
    return { q, k, v };
  }
}

document.querySelectorAll(".attention-steps").forEach((figure, i) => {
  new Steps(figure, `attention-${i + 1}`);
});
