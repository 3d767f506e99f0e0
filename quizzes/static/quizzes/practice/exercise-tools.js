// @bundle
// What helps to answer an exercise: the calculator, pasting and undoing, notes beside cells, and the
// numbers that make a cell.

import { Calculator } from "../items/calculator.js";
import { Dock } from "../items/dock.js";
import { Keys } from "../items/keys.js";
import { lightSources } from "../items/lights.js";
import { Pasting } from "../items/pasting.js";
import { Question } from "../items/question.js";

const dialog = document.getElementById("calculator");
let calculator = null;

document.addEventListener("exercise", ({ target, detail: cells }) => {
  const form = target.querySelector("form");
  new Question(form.querySelector("fieldset"));
  new Keys(form, cells, new Pasting(form));
  new Dock(form, cells);
  lightSources(form);
  calculator ??= new Calculator(dialog, cells, document.querySelector("main"));
  const use = () => (calculator.cells = cells);
  form.addEventListener("focusin", use);
  form.querySelector("[data-calculator]").addEventListener("click", use);
});
document.dispatchEvent(new Event("tools"));
