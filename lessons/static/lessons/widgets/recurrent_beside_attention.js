// Highlights the path between two chosen words in each drawing.

import { filled } from "../filled.js";

for (const figure of document.querySelectorAll(".readers")) begin(figure);

function begin(figure) {
  const lengths = JSON.parse(figure.dataset.lengths);
  const says = figure.querySelectorAll(".readers-says");
  const [states] = figure.querySelectorAll("svg");
  const look = figure.querySelector(".readers-look");
  const count = states.querySelectorAll("circle").length;
  const light = (selector, isLit) =>
    figure.querySelectorAll(selector).forEach((each, i) => {
      each.classList.toggle("is-lit", isLit(i));
    });

  function show() {
    const [first, last] = ["first", "last"].map((end) =>
      Number(figure.querySelector(`[name$=-${end}]:checked`).value),
    );
    lengths.forEach((rows, which) => {
      const sentence = saying(rows[last][first], figure.dataset);
      if (says[which].textContent !== sentence) says[which].textContent = sentence;
    });
    light("[data-word]", (i) => [first, last].includes(i % count));
    light(".readers-in", (i) => i === first);
    light(".readers-hop", (i) => first <= i && i < last);
    light(".readers-look", () => first !== last);
    look.setAttribute("y1", first + 0.5);
    look.setAttribute("y2", last + 0.5);
    light(".readers-state", (i) => (i < count ? first <= i && i <= last : i - count === last));
    figure.querySelectorAll(".readers-hop text").forEach((text, i) => {
      text.textContent = i + 1 - first;
    });
  }

  figure.addEventListener("change", show);
  show();
}

function saying(steps, { none, never, one, many }) {
  if (steps === null) return never;
  return [none, one][steps] ?? filled(many, { steps });
}
