// Arrows whose tips are dragged, moved by the arrow keys, or typed; the numbers follow.

import { angle, cosine, dot, length, numberText, readNumber } from "../arithmetic.js";
import { arrow, place, putName } from "../drawing.js";
import { filled } from "../filled.js";

const STEP = 0.1;
const NEAR = 22; // pixels from a tip: what a finger can aim at
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

for (const figure of document.querySelectorAll(".vectors")) begin(figure);

function begin(figure) {
  const drawing = figure.querySelector("svg");
  const scale = Number(figure.dataset.scale);
  const reach = Number(figure.dataset.reach);
  const decimals = Number(figure.dataset.decimals);
  const rows = [...figure.querySelectorAll(".vectors-each tbody tr")];
  const pairs = [...figure.querySelectorAll(".vectors-pairs tbody tr")];
  const labels = rows.map((row) => row.cells[0].textContent);
  const inputs = rows.map((row) => [...row.querySelectorAll("input")]);
  const tips = [...figure.querySelectorAll(".plane-tip")];
  const arrows = figure.querySelectorAll(".plane-arrow");
  const names = figure.querySelectorAll(".plane-name");
  const first = inputs.map((both) => both.map((input) => readNumber(input.defaultValue)));
  const vectors = structuredClone(first);
  const fits = (number) => number !== null && Math.abs(number) <= reach;
  const hint = figure.querySelector(".plane-hint");
  const outside = filled(hint.dataset.outside, { least: numberText(-reach), most: numberText(reach) });
  const usual = hint.textContent;

  function show() {
    vectors.forEach((vector, i) => {
      arrows[i].setAttribute("d", arrow(vector, scale));
      const [x, y] = place(vector, scale);
      tips[i].setAttribute("cx", x);
      tips[i].setAttribute("cy", y);
      putName(names[i], vector, scale);
      rows[i].querySelector(".vectors-length").textContent = numberText(length(vector), decimals);
      rows[i].querySelectorAll("span").forEach((span, j) => {
        span.textContent = numberText(vector[j]);
      });
    });
    let next = 0;
    vectors.forEach((a, i) => {
      for (const b of vectors.slice(i + 1)) {
        Object.values(texts(a, b)).forEach((text, j) => {
          pairs[next].cells[j + 1].textContent = text;
        });
        next += 1;
      }
    });
    tips.forEach(announce);
    const says = inputs.flat().every((input) => fits(readNumber(input.value))) ? usual : outside;
    if (hint.textContent !== says) hint.textContent = says;
  }

  function texts(a, b) {
    const shown = (number, places, unit = "") =>
      Number.isNaN(number) ? "–" : numberText(number, places) + unit;
    return {
      dot: numberText(dot(a, b), decimals),
      cosine: shown(cosine(a, b), decimals),
      angle: shown(angle(a, b), 1, "°"),
    };
  }

  // A tip's accessible value: both of its numbers, and the results that changed with them.
  function announce(tip, i) {
    const [x, y] = vectors[i].map((number) => numberText(number));
    const says = { x, y, length: numberText(length(vectors[i]), decimals) };
    const others = vectors
      .map((other, j) => ({ label: labels[j], ...texts(vectors[i], other) }))
      .filter((_, j) => j !== i);
    const relations = others.map((other) => filled(figure.dataset.with, other));
    tip.setAttribute("aria-valuenow", vectors[i][0]);
    tip.setAttribute("aria-valuetext", [filled(figure.dataset.says, says), ...relations].join("; "));
  }

  function move(i, vector) {
    const within = (number) => Math.min(Math.max(number, -reach), reach);
    vectors[i] = vector.map((number) => Math.round(within(number) / STEP) / Math.round(1 / STEP));
    write(i);
    show();
  }

  function write(i) {
    inputs[i].forEach((input, j) => {
      input.value = numberText(vectors[i][j]);
      input.setAttribute("aria-invalid", "false");
    });
  }

  // The place under a pointer, as the numbers of a vector.
  function under({ clientX, clientY }) {
    const at = new DOMPoint(clientX, clientY);
    const { x, y } = at.matrixTransform(drawing.getScreenCTM().inverse());
    return [x / scale, -y / scale];
  }

  function tipNear({ clientX, clientY }) {
    const far = tips.map((tip) => {
      const { x, y, width, height } = tip.getBoundingClientRect();
      return Math.hypot(clientX - x - width / 2, clientY - y - height / 2);
    });
    const least = Math.min(...far);
    return least > NEAR ? null : far.indexOf(least);
  }

  tips.forEach((tip, i) => {
    const attributes = { role: "slider", tabindex: 0, "aria-valuemin": -reach, "aria-valuemax": reach };
    for (const [name, value] of Object.entries(attributes)) tip.setAttribute(name, value);
    tip.setAttribute("aria-label", filled(figure.dataset.tip, { label: labels[i] }));
    tip.addEventListener("keydown", (event) => {
      const by = MOVES[event.key];
      if (!by || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      const step = event.shiftKey ? 1 : STEP;
      move(i, vectors[i].map((number, j) => number + step * by[j]));
    });
    inputs[i].forEach((input, j) => {
      input.addEventListener("focus", () => input.select());
      input.addEventListener("input", () => {
        const number = readNumber(input.value);
        input.setAttribute("aria-invalid", String(!fits(number)));
        if (fits(number)) vectors[i][j] = number;
        show();
      });
    });
  });

  let held = null;
  drawing.addEventListener("pointerdown", (event) => {
    const i = tipNear(event);
    if (i === null || !event.isPrimary) return;
    const [x, y] = under(event);
    held = { i, from: [vectors[i][0] - x, vectors[i][1] - y] };
    drawing.setPointerCapture(event.pointerId);
  });
  drawing.addEventListener("pointermove", (event) => {
    if (held) move(held.i, under(event).map((number, j) => number + held.from[j]));
  });
  drawing.addEventListener("lostpointercapture", () => (held = null));
  // Elsewhere a finger scrolls the page: `touch-action` would be for the whole drawing.
  const hold = (event) => event.touches.length === 1 && tipNear(event.touches[0]) !== null;
  drawing.addEventListener("touchstart", (event) => hold(event) && event.preventDefault(), {
    passive: false,
  });

  figure.querySelector("[data-reset]").addEventListener("click", () => {
    first.forEach((vector, i) => {
      vectors[i] = [...vector];
      write(i);
    });
    show();
  });
  show();
}
