// @bundle
// The page of an attempt: saves answers as they are typed, shows the clock, and submits when time
// is up.

import { ask, isLoggedOut, pause, postForm, token } from "../asking.js";
import { Clock, Palette } from "./bar.js";
import { Calculator } from "../items/calculator.js";
import { Cells } from "../items/cells.js";
import { Dock } from "../items/dock.js";
import { toggleFlag } from "./flags.js";
import { Keys } from "../items/keys.js";
import { lightSources } from "../items/lights.js";
import { Messages } from "./messages.js";
import { Pasting } from "../items/pasting.js";
import { Question } from "../items/question.js";
import { sendReport } from "../reports/reporting.js";
import { Keeper, Saver } from "./saving.js";
import { Shortcuts } from "./shortcuts.js";
import { Stage } from "./stage.js";
import { loggedOut, text } from "../items/texts.js";

let leaving = false;
let timeIsUp = false;
let savingShown = 0;
const form = document.getElementById("attempt");
const find = (selector) => form.querySelector(selector);
const line = find("[data-saving]");
const trouble = find("[data-trouble]");
const palette = new Palette(find(".palette"), find("[data-where]"));
const keeper = new Keeper(form.dataset.user, form.dataset.attempt);
const savers = [...form.querySelectorAll("fieldset[data-item]")].map(
  (fieldset) => new Saver(new Question(fieldset), keeper, { onChange, onStored, onConflict }),
);
const clock = new Clock(find(".clock"), { announce, onZero, onSlept: lookAgain });
const stage = new Stage(form, { onShow: ({ id }) => palette.moveTo(id) });
const sentToAll = new Messages(form, keeper, timeOfDay);
const cells = new Cells(form);
const calculator = new Calculator(document.getElementById("calculator"), cells, form);
new Keys(form, cells, new Pasting(form));
new Dock(form, cells);
lightSources(form);
const shortcuts = new Shortcuts(document.getElementById("shortcuts"), {
  chords: { Enter: () => stage.step(1), "Shift+Enter": () => stage.step(-1), "Alt+KeyC": () => calculator.visit() },
  letters: {
    n: () => stage.step(1),
    p: () => stage.step(-1),
    f: () => stage.current.querySelector("[name=flag]")?.click(),
  },
});
find("[data-shortcuts]").addEventListener("click", () => shortcuts.show());

// Saving ------------------------------------------------------------------------------------------

// `stored` is a receipt, another page's draft, or this browser's copy, which has neither state nor
// time.
function onStored({ question }, stored) {
  if (stored.state) palette.show(question.position, stored);
  clock.sync(stored.seconds_left);
  sentToAll.show(stored.messages);
}

function onConflict(saver, stored) {
  const { question } = saver;
  const chosen = (act) => () => {
    announce("");
    act();
  };
  question.letChoose(stored, {
    keep: chosen(() => saver.keepMine(stored)),
    take: chosen(() => saver.takeStored(stored)),
  });
  announce(text("changed-elsewhere", { question: question.position }));
}

function onChange() {
  const troubled = savers.find((saver) => saver.trouble && saver.waits);
  const conflict = savers.find((saver) => saver.halted === "conflict");
  clearTimeout(savingShown);
  line.dataset.state = savers.some((saver) => saver.waits) ? "waiting" : "saved";
  if (troubled || savers.some((saver) => saver.halted)) line.dataset.state = "unsaved";
  if (savers.some((saver) => saver.halted === "closed")) return toResults();
  if (savers.some((saver) => saver.halted === "refused")) {
    say(text("not-saved"));
    complain(text("refused"));
  } else if (troubled) {
    say(text("retrying"));
    if (troubled.trouble === "logged-out") complain(...loggedOut());
  } else if (conflict) {
    const { position, fieldset } = conflict.question;
    const link = Object.assign(document.createElement("a"), { href: `#${fieldset.id}` });
    link.textContent = text("choose", { question: position });
    say(link);
  } else if (line.dataset.state === "waiting") {
    // Not at once: most saves are finished before this could be read.
    savingShown = setTimeout(() => say(text("saving")), 800);
  } else {
    const last = Math.max(...savers.map((saver) => saver.savedAt ?? 0));
    if (last) say(text("saved", { time: timeOfDay(last) }));
    if (!timeIsUp) trouble.hidden = true;
  }
}

function say(words) {
  if (line.textContent !== (words.textContent ?? words)) line.replaceChildren(words);
}

function announce(words) {
  find("[data-announce]").textContent = words;
}

function complain(...parts) {
  const words = parts.map((part) => part.textContent ?? part).join("");
  if (!trouble.hidden && trouble.textContent === words) return;
  trouble.replaceChildren(...parts);
  trouble.hidden = false;
}

function timeOfDay(moment) {
  const format = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  const { timeZone } = document.documentElement.dataset;
  try {
    return new Date(moment).toLocaleTimeString([], { ...format, timeZone });
  } catch {
    return new Date(moment).toLocaleTimeString([], format); // an unknown time zone
  }
}

// Buttons ------------------------------------------------------------------------------------

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (event.submitter?.name === "flag") return flag(event.submitter);
  if (event.submitter?.name === "report") return sendReport(event.submitter);
  event.submitter?.closest(":popover-open")?.hidePopover();
  const everything = Promise.all(savers.map((saver) => saver.flush()));
  await Promise.race([everything, pause(4000)]);
  const review = event.submitter?.name === "review";
  if (!review && event.submitter?.name !== "leave") return;
  const waiting = savers.find((saver) => saver.waits || saver.halted);
  if (!waiting) {
    leaving = true;
    const { submit, home } = form.dataset;
    location.assign(review ? `${submit}?from=${stage.current.dataset.item}` : home);
  } else if (waiting.halted) {
    stage.goTo(waiting.question.fieldset);
  } else {
    complain(text(review ? "not-yet" : "not-left"));
  }
});

async function flag(button) {
  const { status, body } = await toggleFlag(button, palette);
  if (status === 200) onChange();
  else if (status === 409 && body.results) toResults();
  else if (isLoggedOut(status)) complain(...loggedOut());
  else complain(text("not-flagged"));
}

// When time is up ---------------------------------------------------------------------------------

// More time may be granted until the last moment, also while the server was unreachable, so only
// the server's answer ends the attempt.
async function onZero() {
  if (timeIsUp) return;
  timeIsUp = true;
  for (let first = true; ; first = false) {
    const { status, body } = await ask(form.dataset.status);
    sentToAll.show(body.messages);
    if (body.state && body.state !== "open") return toResults();
    if (body.seconds_left === null || body.seconds_left > 0.5) return goOn(body.seconds_left);
    hold(true);
    if (first) complain(text("time-is-up"));
    if (status === 200 && (await handIn())) return toResults();
    if (isLoggedOut(status)) complain(...loggedOut());
    else complain(text("out-of-reach"));
    await pause(2000);
  }
}

function hold(held) {
  if (held) shortcuts.close();
  for (const part of form.querySelectorAll("fieldset, .steps, .bar button, .keys")) part.inert = held;
}

function goOn(secondsLeft) {
  timeIsUp = false;
  hold(false);
  trouble.hidden = true;
  clock.sync(secondsLeft);
  onChange();
}

// Submits the attempt. Resolves to whether that worked.
async function handIn() {
  find("[name=csrfmiddlewaretoken]").value = token();
  const { url } = await postForm(form.dataset.submit, form);
  return url !== "" && new URL(url).pathname === form.dataset.results;
}

function toResults() {
  if (leaving) return;
  leaving = true;
  for (const { question } of savers) keeper.drop(question.position);
  location.assign(form.dataset.results);
}

// Leaving the page and returning ------------------------------------------------------------------

async function lookAgain() {
  const { body } = await ask(form.dataset.status);
  if (body.state && body.state !== "open") toResults();
  sentToAll.show(body.messages);
  clock.sync(body.seconds_left);
}

// Somebody who is stuck saves nothing, and is to read a message or get more time nevertheless.
setInterval(() => document.hidden || timeIsUp || lookAgain(), 30_000);

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) return lookAgain();
  for (const saver of savers) if (saver.waits) saver.flush();
});
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  leaving = false;
  lookAgain();
});
addEventListener("beforeunload", (event) => {
  if (!leaving && savers.some((saver) => saver.waits)) event.preventDefault();
});

const saved = line.querySelector("time");
if (saved) saved.textContent = timeOfDay(saved.dateTime);
const restored = savers.filter((saver) => saver.restore()).map((saver) => saver.question.position);
if (restored.length) announce(text("put-back", { questions: restored.join(", ") }));
