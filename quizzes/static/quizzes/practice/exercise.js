// @bundle
// The exercises of a lesson: checked, and given other numbers, in their places on the page.

import { Cells } from "../items/cells.js";

const begun = new Map(); // the cells of each exercise
let tools = null;
let pressed = null; // the calculator's button, if its script is not here yet

// The tools' script asks for all exercises when it is here (exercise-tools.js).
document.addEventListener("tools", () => {
  for (const [exercise, cells] of begun) announce(exercise, cells);
  if (pressed && !document.getElementById("calculator").open) pressed.click();
});
for (const exercise of document.querySelectorAll("[data-exercise]")) begin(exercise);

function begin(exercise) {
  const form = exercise.querySelector("form");
  const cells = new Cells(form);
  begun.set(exercise, cells);
  announce(exercise, cells);
  form.addEventListener("focusin", () => bringTools(form.action));
  form.querySelector("[data-calculator]").addEventListener("click", ({ currentTarget }) => {
    pressed = currentTarget;
    bringTools(form.action);
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

function announce(exercise, cells) {
  exercise.dispatchEvent(new CustomEvent("exercise", { bubbles: true, detail: cells }));
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
  begun.delete(exercise);
  begin(next);
  const sought = ["[aria-invalid=true]", "[data-result]", "[tabindex='-1']"];
  const first = sought.map((each) => next.querySelector(each)).find(Boolean);
  first.focus({ preventScroll: true });
  // As much of the feedback as leaves the answer whole, and its heading in any case.
  const feedback = first.closest(".feedback");
  const shown = feedback ? [feedback, next.querySelector(".answer"), first] : [first];
  for (const each of shown) each.scrollIntoView({ block: "nearest" });
}

// A lesson's page is lighter without the calculator, its script and the sentences for scripts.
// They come from the page of any exercise when a reader begins one.
function bringTools(address) {
  tools ??= fetched(address).then((page) => {
    const main = document.querySelector("main");
    for (const part of page?.querySelectorAll("#texts, #calculator") ?? []) {
      if (!document.getElementById(part.id)) main.append(part);
    }
    const { src } = page?.querySelector("script[data-tools]") ?? {};
    if (!src) tools = null;
    else if (!document.querySelector("script[data-tools]")) {
      main.append(Object.assign(document.createElement("script"), { type: "module", src }));
    }
  });
}

async function fetched(address, request = {}) {
  try {
    const answer = await fetch(address, { credentials: "same-origin", ...request });
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch {
    return null;
  }
}
