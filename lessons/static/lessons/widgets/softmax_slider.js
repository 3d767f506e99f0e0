// The softmax of a row of scores while a slider moves a temperature, d_k or a factor.

import { numberText, readNumber, softmax } from "../arithmetic.js";
import { filled } from "../filled.js";
import { showMatrix } from "../matrix.js";

const SATURATED = 0.99;
const EVEN = 0.1;

// For each quantity of the slider: the weights, from the scores and its value.
const WEIGHTS = {
  temperature: (scores, value) => softmax(scores, value),
  d_k: (scores, value) => softmax(scores, Math.sqrt(value)),
  factor: (scores, value) => softmax(scores.map((score) => score * value)),
};

for (const figure of document.querySelectorAll(".softmax-slider")) begin(figure);

function begin(figure) {
  const slider = figure.querySelector("input[type=range]");
  const bars = [...figure.querySelectorAll(".slider-bars tbody tr")];
  const inputs = bars.map((bar) => bar.querySelector("input"));
  const table = figure.querySelector(".matrix table:not(.unscripted *)");
  const weights = WEIGHTS[figure.dataset.control];
  const decimals = Number(figure.dataset.decimals);
  const positions = [...table.tBodies[0].rows].map((row) => row.querySelector("th").textContent);
  let scores = inputs.map((input) => readNumber(input.defaultValue));

  function show() {
    const read = inputs.map((input) => readNumber(input.value));
    read.forEach((score, i) => inputs[i].setAttribute("aria-invalid", String(score === null)));
    const unread = read.includes(null);
    if (!unread) scores = read;
    const all = positions.map((position) => weights(scores, readNumber(position)));
    const now = all[slider.valueAsNumber];
    showMatrix(table, all, { decimals, heat: [0, 1] });
    showPosition();
    bars.forEach((bar, i) => {
      bar.querySelector(".slider-weight").textContent = numberText(now[i], decimals);
      bar.querySelector("progress").value = now[i];
    });
    say(unread ? figure.querySelector(".slider-says").dataset.unread : sentence(now));
  }

  function showPosition() {
    const position = positions[slider.valueAsNumber];
    slider.setAttribute("aria-valuetext", position);
    figure.querySelector(".slider-value").textContent = position;
    for (const row of table.tBodies[0].rows) {
      if (row.sectionRowIndex === slider.valueAsNumber) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }

  function sentence(now) {
    const { saturated, whole, even, most } = figure.querySelector(".slider-says").dataset;
    const largest = Math.max(...now);
    const least = Math.min(...now);
    const first = bars.filter((_, i) => now[i] === largest);
    const found = {
      label: first.map((bar) => bar.querySelector("th").textContent).join(", "),
      most: numberText(largest, decimals),
      least: numberText(least, decimals),
      rest: numberText(1 - largest * first.length, decimals),
    };
    if (largest >= SATURATED) return filled(/[1-9]/.test(found.rest) ? saturated : whole, found);
    return filled( largest - least < EVEN ? even : most, found);
  }

  // Screen readers announce it again only when the sentence changes.
  function say(text) {
    const line = figure.querySelector(".slider-says");
    if (line.textContent !== text) line.textContent = text;
  }

  figure.addEventListener("input", show);
  figure.querySelector("[data-reset]").addEventListener("click", () => {
    for (const input of [slider, ...inputs]) input.value = input.defaultValue;
    show();
  });
  show();
}
