// @bundle
// The exercises of a lesson: checked, and given other numbers, in their places on the page.

import { Calculator } from "../items/calculator.js";
import { Cells } from "../items/cells.js";
import { Pasting } from "../items/pasting.js";
import { Question } from "../items/question.js";

let calculator = null;
let tools = null;

for (const exercise of document.querySelectorAll("[data-exercise]")) begin(exercise);

function begin(exercise) {
  const form = exercise.querySelector("form");
  const cells = new Cells(form);
  new Question(form.querySelector("fieldset"));
  new Pasting(form);
  form.addEventListener("focusin", () => {
    bringTools(form.action);
    if (calculator) calculator.cells = cells;
  });
  form.querySelector("[data-calculator]").addEventListener("click", async (event) => {
    if (calculator) return (calculator.cells = cells); // it hears the press itself
    const opener = event.currentTarget;
    event.stopPropagation();
    if (!(await bringTools(form.action))) return;
    const dialog = document.getElementById("calculator");
    calculator ??= new Calculator(dialog, cells, document.querySelector("main"));
    if (!dialog.open) calculator.toggle(opener);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const address = new URL(form.action);
    const sent = new URLSearchParams(new FormData(form, event.submitter));
    if (form.method === "post") return show(exercise, address, { method: "POST", body: sent });
    address.search = sent;
    show(exercise, address);
  });
  for (const link of exercise.querySelectorAll("a[data-in-place]")) {
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      show(exercise, link.href);
    });
  }
}

// Replaces an exercise by the one on the page at this address.
async function show(exercise, address, request = {}) {
  if (exercise.ariaBusy === "true") return;
  exercise.ariaBusy = "true";
  const page = await fetched(address, request);
  exercise.ariaBusy = null;
  const next = page?.getElementById(exercise.id);
  if (!next) {
    const line = exercise.querySelector("[data-trouble]");
    line.textContent = line.dataset.trouble;
    return;
  }
  const [before, after] = [exercise, next].map((each) => each.querySelector(".example"));
  if (before && after) after.open = before.open;
  exercise.replaceWith(next);
  begin(next);
  const first = next.querySelector("[data-result]") ?? next.querySelector("[tabindex='-1']");
  first.focus({ preventScroll: true });
  (first.closest(".feedback") ?? first).scrollIntoView({ block: "nearest" });
}

// A lesson's page is lighter without the calculator and the sentences for scripts, which the page
// of any exercise has. Resolves to whether they are here.
function bringTools(address) {
  tools ??= fetched(address).then((page) => {
    for (const id of ["texts", "calculator"]) {
      if (document.getElementById(id)) continue;
      const part = page?.getElementById(id);
      if (part) document.querySelector("main").append(part);
      else tools = null;
    }
    return tools !== null;
  });
  return tools;
}

async function fetched(address, request = {}) {
  try {
    const answer = await fetch(address, { credentials: "same-origin", ...request });
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch {
    return null;
  }
}
