// @bundle
// The exercises of a lesson: checked, and given other numbers, in their places on the page.

import { Cells } from "../items/cells.js";

for (const exercise of document.querySelectorAll("[data-exercise]")) begin(exercise);

function begin(exercise) {
  const form = exercise.querySelector("form");
  new Cells(form);
  form.addEventListener("input", ({ target }) => unmark(target));
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

// Replaces the exercise by the one on the page at this address.
async function show(exercise, address, request = {}) {
  if (exercise.ariaBusy === "true") return;
  exercise.ariaBusy = "true";
  const next = await fetched(exercise.id, address, request);
  exercise.ariaBusy = null;
  if (!next) return complain(exercise);
  exercise.replaceWith(next);
  begin(next);
  const begins = next.querySelector("[data-result]") ?? next.querySelector("[tabindex='-1']");
  begins.focus({ preventScroll: true });
  begins.scrollIntoView({ block: "nearest" });
}

async function fetched(id, address, request) {
  try {
    const answer = await fetch(address, { credentials: "same-origin", ...request });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return page.getElementById(id);
  } catch {
    return null;
  }
}

function complain(exercise) {
  const line = exercise.querySelector("[data-trouble]");
  line.textContent = line.dataset.trouble;
}

// Removes a cell's mark, which was about its former text.
function unmark(input) {
  const cell = input.closest(".cell");
  if (!cell?.querySelector(".cell-mark")) return;
  cell.querySelector(".cell-mark").remove();
  cell.className = "cell";
  input.removeAttribute("aria-describedby");
}
