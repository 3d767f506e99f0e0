// Two chosen positions: the numbers of the first, and its dot product with every other.

import { matmul, numberText, transpose } from "../arithmetic.js";
import { filled } from "../filled.js";
import { showMatrix } from "../matrix.js";

for (const figure of document.querySelectorAll(".positions")) begin(figure);

function begin(figure) {
  const vectors = JSON.parse(figure.dataset.vectors);
  const decimals = Number(figure.dataset.decimals);
  const [chooser, comparer] = figure.querySelectorAll("input[type=range]");
  const [otherRow, chosenRow] = figure.querySelectorAll(".positions-row");
  const map = otherRow.ownerSVGElement;
  const bars = [...figure.querySelectorAll(".positions-bar")];
  const table = figure.querySelector(".matrix table");
  const captions = table.caption.textContent.split(chooser.defaultValue);
  const says = figure.querySelector(".positions-says");
  const high = vectors[0].length / 2;

  function show() {
    const [chosen, other] = [chooser.valueAsNumber, comparer.valueAsNumber];
    const [products] = matmul([vectors[chosen]], transpose(vectors));
    figure.querySelector(".positions-chosen").textContent = chosen;
    figure.querySelector(".positions-other").textContent = other;
    chosenRow.setAttribute("y", chosen);
    otherRow.setAttribute("y", other);
    bars.forEach((bar, i) => {
      bar.setAttribute("y", high - Math.max(products[i], 0));
      bar.setAttribute("height", Math.abs(products[i]));
      bar.classList.toggle("is-chosen", i === chosen);
      bar.classList.toggle("is-other", i === other && i !== chosen);
    });
    table.caption.textContent = captions.join(chosen);
    showMatrix(table, inPairs(vectors[chosen]), { decimals });
    says.textContent = filled(says.dataset.says, {
      chosen,
      other,
      distance: Math.abs(chosen - other),
      product: numberText(products[other], decimals),
      itself: numberText(products[chosen], decimals),
    });
  }

  figure.addEventListener("input", show);
  // A click on a row chooses it, as the slider does; a finger may also come to scroll the page.
  map.addEventListener("click", ({ clientY }) => {
    const { top, height } = map.getBoundingClientRect();
    chooser.value = Math.floor(((clientY - top) / height) * vectors.length);
    show();
  });
  show();
}

// A row for each pair of dimensions: its sine and its cosine.
function inPairs(row) {
  return row.filter((_, i) => i % 2 === 0).map((sine, i) => [sine, row[2 * i + 1]]);
}
