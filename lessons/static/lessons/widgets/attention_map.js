// Choose a word, and see where it looks: darker for more, with the numbers.

import { heatLevel, numberText } from "../arithmetic.js";
import { filled } from "../filled.js";
import { cellsOf, showMatrix, valuesOf } from "../matrix.js";

class AttentionMap {
  constructor(figure) {
    this.sentence = figure.dataset.sentence;
    this.table = figure.querySelector("table");
    this.select = figure.querySelector("select");
    const heads = [...(this.select?.options ?? [])].map((head) => JSON.parse(head.dataset.weights));
    this.weights = heads.length ? heads : [valuesOf(this.table)];
    this.buttons = [...figure.querySelectorAll(".map-word")];
    this.words = this.buttons.map((button) => button.firstChild.textContent);
    this.says = figure.querySelector(".map-says");
    this.decimals = Number(figure.dataset.decimals);
    this.named = Number(figure.dataset.named);
    this.chosen = Number(figure.dataset.chosen);
    this.head = 0;
    this.select?.addEventListener("change", () => this.choose(this.select.selectedIndex));
    this.buttons.forEach((button, chosen) =>
      button.addEventListener("click", () => this.show(chosen)),
    );
    this.light();
  }

  // One table for all heads, as a table for each would be thousands of elements.
  choose(head) {
    this.head = head;
    const { text } = this.select.options[head];
    this.table.caption.textContent = text;
    this.table.closest("[aria-label]")?.setAttribute("aria-label", `${text}: ${this.sentence}`);
    showMatrix(this.table, this.weights[head], { decimals: this.decimals, heat: [0, 1] });
    this.show(this.chosen);
  }

  show(chosen) {
    this.chosen = chosen;
    const weights = this.weights[this.head][chosen];
    this.buttons.forEach((button, i) => {
      button.className = `map-word heat-${heatLevel(weights[i])}`;
      button.setAttribute("aria-pressed", String(i === chosen));
      button.lastChild.textContent = numberText(weights[i], this.decimals);
    });
    const names = { word: this.words[chosen], looks: this.looks(weights) };
    this.says.textContent = filled(this.says.dataset.says, names);
    this.light();
  }

  // The words with the largest weights, each with its weight.
  looks(weights) {
    return [...weights.keys()]
      .sort((a, b) => weights[b] - weights[a])
      .slice(0, this.named)
      .map((place) => `${this.words[place]} ${numberText(weights[place], this.decimals)}`)
      .join(", ");
  }

  // Frames the chosen word's row in the table.
  light() {
    cellsOf(this.table).forEach((row, i) => {
      for (const cell of row) cell.classList.toggle("is-lit", i === this.chosen);
    });
  }
}

export function bringToLife(root) {
  for (const figure of root.querySelectorAll(".attention-map")) new AttentionMap(figure);
}

bringToLife(document);
