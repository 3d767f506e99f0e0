// Shows where the chosen word looks in every head.

import { heatLevel, numberText } from "../arithmetic.js";
import { filled } from "../filled.js";

for (const figure of document.querySelectorAll(".heads")) begin(figure);

function begin(figure) {
  const { thinnest, thickest, decimals } = figure.dataset;
  const says = figure.querySelector(".heads-says");
  const choices = [...figure.querySelectorAll("input")];
  const panels = [...figure.querySelectorAll(".heads-panel")].map((panel) => ({
    weights: JSON.parse(panel.dataset.weights),
    arcs: [...panel.querySelectorAll("path")],
    rows: [...panel.querySelectorAll("tr")],
    name: panel.querySelector("caption").textContent,
  }));
  const word = (i) => panels[0].rows[i].cells[0].textContent;

  function show() {
    const chosen = choices.findIndex(({ checked }) => checked);
    for (const { weights, arcs, rows } of panels) {
      weights[chosen].forEach((weight, i) => {
        const thickness = weight * thickest;
        arcs[i].setAttribute("d", arc(chosen, i));
        arcs[i].setAttribute("stroke-width", thickness < thinnest ? 0 : thickness.toFixed(3));
        const [, cell] = rows[i].cells;
        cell.className = `heat-${heatLevel(weight)}`;
        cell.textContent = numberText(weight, Number(decimals));
        rows[i].className = i === chosen ? "is-chosen" : "";
      });
    }
    const looks = panels.map(({ weights, name }) => {
      const most = weights[chosen].indexOf(Math.max(...weights[chosen]));
      return filled(says.dataset.looks, { most: word(most), head: name });
    });
    says.textContent = filled(says.dataset.says, { word: word(chosen), looks: looks.join(", ") });
  }

  figure.addEventListener("change", show);
  // Pointing at a word in any head chooses it too.
  figure.addEventListener("click", ({ target }) => {
    const row = target.closest(".heads-panel th")?.parentElement;
    if (!row) return;
    choices[row.sectionRowIndex].checked = true;
    show();
  });
}

// As lessons/widgets/heads.py draws it.
function arc(source, target) {
  if (source === target) return `M2 ${source}.3C1.4 ${source}.1 1.4 ${source}.9 2 ${source}.7`;
  const reach = Math.max(-0.45, 1.65 - 0.22 * Math.abs(source - target)).toFixed(2);
  return `M2 ${source}.5C${reach} ${source}.5 ${reach} ${target}.5 2 ${target}.5`;
}
