// Unfolds and folds all solutions at once, and the one of the question that a link leads to. The
// first time that a pass is read, its bar fills.

import { remember, remembered } from "../items/remembered.js";

const button = document.querySelector("[data-unfold]");
const folded = document.querySelectorAll(".item-more, .worked, .worked-step");
const words = [button.textContent, button.dataset.fold];

button.hidden = folded.length === 0;
button.addEventListener("click", () => {
  const open = button.textContent === words[0];
  for (const each of folded) each.open = open;
  button.textContent = words[Number(open)];
});

const reveal = () => {
  const item = /^#item-\d+$/.test(location.hash) && document.querySelector(location.hash);
  if (!item) return;
  const more = item.querySelector(".item-more");
  if (more) more.open = true;
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
