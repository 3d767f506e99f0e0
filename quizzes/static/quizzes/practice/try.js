// @bundle
// A guest's question, which is not stored: cells, pasting and the calculator, as in practice.

import { Calculator } from "../items/calculator.js";
import { Cells } from "../items/cells.js";
import { Dock } from "../items/dock.js";
import { Keys } from "../items/keys.js";
import { lightSources } from "../items/lights.js";
import { Pasting } from "../items/pasting.js";
import { Question } from "../items/question.js";

const form = document.getElementById("try");
new Question(form.querySelector("fieldset[data-item]"));
const cells = new Cells(form);
new Calculator(document.getElementById("calculator"), cells, form);
new Keys(form, cells, new Pasting(form));
new Dock(form, cells);
lightSources(form);
form.querySelector("[aria-invalid=true]")?.focus();
