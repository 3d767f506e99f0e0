// @bundle
// A question that is kept nowhere: cells, pasting and the calculator, as in practice.

import { Calculator } from "./calculator.js";
import { Cells } from "./cells.js";
import { Pasting } from "./pasting.js";
import { Question } from "./question.js";

const form = document.getElementById("try");
new Question(form.querySelector("fieldset[data-item]"));
const cells = new Cells(form);
new Calculator(document.getElementById("calculator"), cells, form);
new Pasting(form);
