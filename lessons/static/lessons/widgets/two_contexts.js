// One word in two sentences, from which other words can be left out.

import { cosine, mask, matmul, numberText, scale, softmaxRows, transpose } from "../arithmetic.js";
import { showMatrix, valuesOf } from "../matrix.js";

for (const figure of document.querySelectorAll(".two-contexts")) begin(figure);

function begin(figure) {
  const decimals = Number(figure.dataset.decimals);
  const scaled = "scaled" in figure.dataset;
  const contexts = [...figure.querySelectorAll(".context")];
  const alike = figure.querySelector("[data-alike]");

  function show() {
    const after = contexts.map((context) => showContext(context, { scaled, decimals }));
    const value = cosine(...after);
    const text = Number.isNaN(value) ? alike.dataset.undefined : numberText(value, decimals);
    if (alike.textContent !== text) alike.textContent = text;
  }

  figure.addEventListener("change", show);
  show();
}

// Shows where the word of a context looks, and returns its new vector.
function showContext(context, { scaled, decimals }) {
  const [vectors, looks, after] = context.querySelectorAll(".matrix table");
  const X = valuesOf(vectors);
  const word = [X[context.dataset.place]];
  const raw = matmul(word, transpose(X));
  const scores = mask(scaled ? scale(raw, 1 / Math.sqrt(X[0].length)) : raw, [mayLook(context, X)]);
  const weights = softmaxRows(scores);
  const output = matmul(weights, X);
  showMatrix(looks, transpose([scores[0], weights[0]]), { decimals, heats: [null, [0, 1]] });
  showMatrix(after, output, { decimals });
  return output[0];
}

// The words that are not left out, always with the word itself.
function mayLook(context, X) {
  const leftOut = [...context.querySelectorAll("input:not(:checked)")].map(({ value }) => value);
  return X.map((_, i) => !leftOut.includes(String(i)));
}
