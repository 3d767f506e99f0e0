// Unfolds and folds all steps of all solutions at once, announces the filter's effect, and shows
// the question that a link leads to. The first time that a pass is read, its bar fills.

import { remember, remembered } from "../items/remembered.js";

const button = document.querySelector("[data-unfold]");
const steps = document.querySelectorAll(".worked-step");
const words = [button.textContent, button.dataset.fold];

button.hidden = steps.length === 0;
button.addEventListener("click", () => {
  const open = button.textContent === words[0];
  for (const step of steps) step.open = open;
  // The questions around them are opened, and stay open when the solutions are folded.
  if (open) for (const item of document.querySelectorAll(".item-more")) item.open = true;
  button.textContent = words[Number(open)];
});

const filter = document.querySelector("[data-only-mistakes]");

const tell = () => {
  const { all, some } = filter.dataset;
  filter.closest("p").querySelector("[role=status]").textContent = filter.checked ? some : all;
};

filter?.addEventListener("change", tell);

const reveal = () => {
  const item = /^#item-\d+$/.test(location.hash) && document.querySelector(location.hash);
  if (!item) return;
  const more = item.querySelector(".item-more");
  if (more) more.open = true;
  if (filter?.checked && item.getClientRects().length === 0) {
    filter.checked = false;
    tell();
  }
  item.scrollIntoView();
};

addEventListener("hashchange", reveal);
reveal();

const passed = document.querySelector(".score-passed");
const key = `softmark:passed:${location.pathname}`;
if (passed && !remembered(key)) {
  remember(key, "1");
  if (matchMedia("(prefers-reduced-motion: no-preference)").matches) {
    passed.animate({ scale: ["0 1", "1 1"] }, { duration: 250, easing: "ease-out" });
  }
}
