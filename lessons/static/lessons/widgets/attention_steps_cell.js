// The chosen cell of a step: highlights the cells it comes from, and writes out its calculation.

import { numberText } from "../arithmetic.js";
import { filled } from "../filled.js";
import { cellsOf } from "../matrix.js";
import { dividedByRoot, shareOfPowers, sumOfProducts, writtenOut } from "../written.js";

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export class ChosenCell {
  // `shown()` returns what the widget shows: the step's name, line and table, the table before it,
  // the inputs' tables and their numbers, the result, and the temperature.
  constructor(figure, tokens, shown) {
    this.figure = figure;
    this.tokens = tokens;
    this.shown = shown;
    this.decimals = Number(figure.dataset.decimals);
    this.row = Number(figure.dataset.row);
    this.column = Number(figure.dataset.column);
    this.place = 0; // the column of the output, which has no token
    const steps = figure.querySelector(".steps");
    for (const table of steps.querySelectorAll("table")) {
      table.setAttribute("role", "grid");
      for (const cell of cellsOf(table).flat()) cell.tabIndex = -1;
    }
    for (const kind of ["pointerover", "focusin", "click"]) {
      steps.addEventListener(kind, ({ target }) => this.choose(target.closest("td.cell")));
    }
    steps.addEventListener("keydown", (event) => this.walk(event));
  }

  choose(cell) {
    const { table } = this.shown();
    if (!cell || !table.contains(cell)) return;
    this.row = cellsOf(table).findIndex((row) => row.includes(cell));
    const column = cellsOf(table)[this.row].indexOf(cell);
    if (this.shown().name === "blend") this.place = column;
    else this.column = column;
    this.show();
  }

  walk(event) {
    const cells = cellsOf(this.shown().table);
    const i = cells.findIndex((row) => row.includes(event.target));
    if (i < 0 || !(event.key in ARROWS)) return;
    event.preventDefault();
    const [down, right] = ARROWS[event.key];
    cells[i + down]?.[cells[i].indexOf(event.target) + right]?.focus();
  }

  show() {
    const { name, line, table } = this.shown();
    for (const cell of this.figure.querySelectorAll(".is-lit")) cell.classList.remove("is-lit");
    for (const cell of this.figure.querySelectorAll(".is-chosen")) {
      cell.classList.remove("is-chosen");
      cell.tabIndex = -1;
    }
    const chosen = cellsOf(table)[this.row][name === "blend" ? this.place : this.column];
    chosen.classList.add("is-chosen");
    chosen.tabIndex = 0; // the tab stop; arrow keys lead to the other cells
    for (const cell of this.origins()) cell.classList.add("is-lit");
    const written = line.querySelector(".written");
    const calculation = this.calculation();
    // The region with the server's calculation: focusable, as it may have to scroll.
    const region = written.querySelector(".formula") ?? document.createElement("div");
    region.classList.add("formula");
    region.replaceChildren(...(calculation ? [calculation] : []));
    written.replaceChildren(this.sentence(written.dataset), region);
  }

  // The cells from which the chosen one was computed.
  origins() {
    const { name, before, inputs } = this.shown();
    const { row, column, place } = this;
    const rowOf = (tables, i) => tables.flatMap((table) => cellsOf(table)[i]);
    switch (name) {
      case "score":
        return [...rowOf(inputs.q, row), ...rowOf(inputs.k, column)];
      case "softmax":
        return rowOf([before], row);
      case "blend": {
        const values = inputs.v.flatMap((table) => cellsOf(table).map((cells) => cells[place]));
        return [...rowOf([before], row), ...values];
      }
      default:
        return [cellsOf(before)[row][column]];
    }
  }

  sentence({ place, hides }) {
    const { name, result } = this.shown();
    const isHidden = name === "mask" && result.masked[this.row][this.column] === -Infinity;
    const names = {
      row: this.tokens[this.row],
      column: name === "blend" ? this.place + 1 : this.tokens[this.column],
    };
    const line = document.createElement("p");
    line.append(filled(isHidden ? hides : place, names));
    return line;
  }

  calculation() {
    const { name, result, numbers, temperature } = this.shown();
    const { row, column, place, decimals } = this;
    const text = (value) => numberText(value, decimals);
    const written = (steps, value) => writtenOut(steps, value, decimals);
    switch (name) {
      case "score": {
        const [query, key] = [numbers.q[row], numbers.k[column]].map((each) =>
          each.map((value) => numberText(value)),
        );
        return written(sumOfProducts(query, key), result.raw[row][column]);
      }
      case "scale": {
        const steps = dividedByRoot(text(result.raw[row][column]), numbers.q[0].length);
        return written(steps, result.scores[row][column]);
      }
      case "softmax": {
        const divisor = temperature === 1 ? "" : numberText(temperature);
        const steps = shareOfPowers(result.masked[row].map(text), column, divisor);
        return written(steps, result.weights[row][column]);
      }
      case "blend": {
        const seen = result.masked[row].flatMap((score, j) => (score === -Infinity ? [] : [j]));
        const weights = seen.map((j) => text(result.weights[row][j]));
        const values = seen.map((j) => numberText(numbers.v[j][place]));
        return written(sumOfProducts(weights, values), result.output[row][place]);
      }
      default:
        return null; // a mask has no calculation
    }
  }
}
