// Shows where a word looks when it is hovered, focused or tapped: darker for more.

import { heatLevel, numberText } from "../arithmetic.js";
import { filled } from "../filled.js";

class LookingBack {
  constructor(figure) {
    this.weights = JSON.parse(figure.dataset.weights);
    this.decimals = Number(figure.dataset.decimals);
    this.named = Number(figure.dataset.named);
    this.chosen = Number(figure.dataset.chosen);
    this.says = figure.querySelector(".looking-says");
    this.buttons = [...figure.querySelectorAll("button.looking-word")];
    this.words = this.buttons.map((button) => button.firstChild.textContent);
    this.buttons.forEach((button, place) => {
      button.addEventListener("click", () => this.show(place));
      button.addEventListener("focus", () => this.show(place));
      button.addEventListener("pointerenter", ({ pointerType }) => {
        if (pointerType === "mouse") this.show(place);
      });
    });
  }

  // Keep the last word shown, so that nothing flickers as the pointer moves on.
  show(chosen) {
    if (chosen === this.chosen) return;
    this.chosen = chosen;
    const row = this.weights[chosen];
    this.buttons.forEach((button, place) => {
      button.className = `looking-word heat-${heatLevel(row[place])}`;
      button.setAttribute("aria-pressed", String(place === chosen));
      button.lastChild.textContent = place > chosen ? "" : numberText(row[place], this.decimals);
    });
    const looks = [...row.keys()]
      .sort((a, b) => row[b] - row[a])
      .slice(0, this.named)
      .map((place) => `${this.words[place]} ${numberText(row[place], this.decimals)}`)
      .join(", ");
    this.says.textContent = filled(this.says.dataset.says, { word: this.words[chosen], looks });
  }
}

for (const figure of document.querySelectorAll(".looking-back")) new LookingBack(figure);
