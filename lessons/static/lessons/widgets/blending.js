// Moves each value, scaled by its weight, to the tip of the one before; the last ends at the blend.

import { matmul, numberText, softmax } from "../arithmetic.js";
import { arrow, putName } from "../drawing.js";

const EACH = 250; // milliseconds for an arrow
const STEP = 0.1;
const MOVES = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };

for (const figure of document.querySelectorAll(".blending")) begin(figure);

function begin(figure) {
  const scale = Number(figure.dataset.scale);
  const decimals = Number(figure.dataset.decimals);
  const rows = [...figure.querySelectorAll("tbody tr")];
  const sliders = rows.map((row) => row.querySelector("input"));
  const values = rows.map((row) => [Number(row.dataset.x), Number(row.dataset.y)]);
  const parts = figure.querySelectorAll(".blending-part");
  let playing = 0;

  // `gone` arrows have arrived; its fraction is how far the next has moved.
  function show(gone = values.length) {
    const weights = softmax(sliders.map((slider) => slider.valueAsNumber));
    const [blend] = matmul([weights], values);
    let end = [0, 0];
    values.forEach((value, i) => {
      const way = Math.min(Math.max(gone - i, 0), 1);
      const start = times(end, way);
      const part = times(value, 1 - way + way * weights[i]);
      parts[i].setAttribute("d", arrow(sum(start, part), scale, start));
      end = sum(end, times(value, weights[i]));
      rows[i].querySelector(".blending-weight").textContent = numberText(weights[i], decimals);
      const score = numberText(sliders[i].valueAsNumber);
      rows[i].querySelector(".blending-score span").textContent = score;
      sliders[i].setAttribute("aria-valuetext", score);
    });
    figure.querySelector(".blending-blend").setAttribute("d", arrow(blend, scale));
    putName(figure.querySelector(".blending-name"), blend, scale);
    const numbers = blend.map((number) => numberText(number, decimals)).join(", ");
    figure.querySelector("output").textContent = `(${numbers})`;
  }

  const times = (a, factor) => a.map((number) => number * factor);
  const sum = (a, b) => a.map((number, i) => number + b[i]);

  function play() {
    cancelAnimationFrame(playing);
    const start = performance.now();
    const step = (now) => {
      const gone = Math.max(now - start, 0) / EACH;
      show(gone);
      if (gone < values.length) playing = requestAnimationFrame(step);
    };
    playing = requestAnimationFrame(step);
  }

  sliders.forEach((slider) => {
    const put = (score) => {
      slider.value = Math.round(score / STEP) / Math.round(1 / STEP);
      cancelAnimationFrame(playing);
      show();
    };
    slider.addEventListener("input", () => put(slider.valueAsNumber));
    slider.addEventListener("keydown", (event) => {
      if (!(event.key in MOVES) || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      put(slider.valueAsNumber + STEP * MOVES[event.key]);
    });
  });
  figure.querySelector("[data-play]").addEventListener("click", play);
  figure.querySelector("[data-reset]").addEventListener("click", () => {
    cancelAnimationFrame(playing);
    for (const slider of sliders) slider.value = slider.defaultValue;
    show();
  });
}
