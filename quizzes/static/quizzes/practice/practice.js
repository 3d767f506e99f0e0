// @bundle
// The page of one item in practice: saves answers as they are typed, like an exam, without a clock.

import { token } from "../asking.js";
import { Calculator } from "../items/calculator.js";
import { Cells } from "../items/cells.js";
import { Dock } from "../items/dock.js";
import { Keys } from "../items/keys.js";
import { lightSources } from "../items/lights.js";
import { Pasting } from "../items/pasting.js";
import { Question } from "../items/question.js";
import { Keeper, Saver } from "../delivery/saving.js";
import { loggedOut, text } from "../items/texts.js";

const form = document.getElementById("practice");
const line = document.querySelector("[data-saving]");
const keeper = new Keeper(form.dataset.user, form.dataset.attempt);
const question = new Question(form.querySelector("fieldset[data-item]"));
const saver = new Saver(question, keeper, { onChange, onStored() {}, onConflict });

function onChange() {
  if (saver.halted === "refused") say(text("refused"));
  else if (!saver.trouble || !saver.waits) say();
  else if (saver.trouble === "logged-out") say(...loggedOut());
  else say(text("retrying"));
}

function say(...parts) {
  const words = parts.map((part) => part.textContent ?? part).join("");
  if (line.textContent !== words) line.replaceChildren(...parts);
}

function onConflict(_, stored) {
  question.letChoose(stored, {
    keep: () => saver.keepMine(stored),
    take: () => saver.takeStored(stored),
  });
}

// The post must be based on the stored draft, and use the token of the latest login.
form.addEventListener("submit", async (event) => {
  form.elements.csrfmiddlewaretoken.value = token();
  if (!saver.waits || form.dataset.leaving) return;
  event.preventDefault();
  form.dataset.leaving = "true";
  await saver.flush();
  form.requestSubmit(event.submitter);
});

const cells = new Cells(form);
const dialog = document.getElementById("calculator");
if (dialog) new Calculator(dialog, cells, form);
new Keys(form, cells, new Pasting(form));
new Dock(form, cells);
lightSources(form);
saver.restore();
// The page of a check is loaded again once it is marked, and a browser keeps no focus then.
if (location.hash === "#feedback") document.querySelector(location.hash)?.focus({ preventScroll: true });
