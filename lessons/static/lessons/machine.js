// The replay of training: a slider moves all runs to another step. The page contains the figures
// and texts of every step; this script puts them in their places. Pressing one of the words that
// the machine knows adds it to the sentence.

const SVG = "http://www.w3.org/2000/svg";

for (const section of document.querySelectorAll("[data-replay]")) begin(section);
for (const list of document.querySelectorAll("[data-words-for]")) offer(list);

function offer(list) {
  const sentence = document.getElementById(list.dataset.wordsFor);
  const buttons = list.textContent.split(" ").map((word) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = word;
    return button;
  });
  list.replaceChildren(...buttons);
  list.addEventListener("click", ({ target }) => {
    if (!buttons.includes(target)) return;
    sentence.value = `${sentence.value.trimEnd()} ${target.textContent}`.trimStart();
  });
}

function begin(section) {
  const slider = section.querySelector("input[type=range]");
  const steps = slider.dataset.steps.split(" ");
  const marks = section.dataset.marks.split(" ");
  // Without a script this field chooses the step; with one it still sends the step with the form.
  const select = section.querySelector("select[name=step]");
  const runs = [...section.querySelectorAll("[data-run]")].map((run) => ({
    drawing: run.querySelector("svg"),
    all: JSON.parse(run.dataset.run),
  }));
  const rows = [...section.querySelectorAll("[data-figures]")];

  slider.addEventListener("input", () => {
    const place = slider.valueAsNumber;
    const step = steps[place];
    slider.setAttribute("aria-valuetext", step);
    section.querySelector("output").textContent = step;
    select.value = step;
    for (const line of section.querySelectorAll(".machine-now")) {
      line.setAttribute("x1", marks[place]);
      line.setAttribute("x2", marks[place]);
    }
    runs.forEach(({ drawing, all }, n) => {
      const [heats, ...texts] = all[place];
      draw(drawing, heats);
      [...rows[n].querySelectorAll("td")].forEach((cell, i) => (cell.textContent = texts[i]));
    });
  });
}

// Draws a map from one digit for each square, row by row: one path for all squares of a heat step;
// blank squares are not drawn.
function draw(drawing, heats) {
  const size = drawing.viewBox.baseVal.width;
  const paths = new Map();
  [...heats].forEach((heat, n) => {
    if (heat === "0") return;
    const square = `M${n % size} ${Math.floor(n / size)}h1v1h-1z`;
    paths.set(heat, (paths.get(heat) ?? "") + square);
  });
  drawing.replaceChildren(...[...paths].map(([heat, squares]) => pathOf(heat, squares)));
}

function pathOf(heat, squares) {
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("class", `heat-${heat}`);
  path.setAttribute("d", squares);
  return path;
}
