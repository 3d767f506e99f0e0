// The page of an attempt: saves as you type, keeps the clock, and hands in when time is up.

import { ask, pause, postForm, token } from "./asking.js";
import { Clock, Palette } from "./bar.js";
import { Question } from "./question.js";
import { Keeper, Saver } from "./saving.js";

let leaving = false;
let timeIsUp = false;
let savingShown = 0;
const form = document.getElementById("attempt");
const find = (selector) => form.querySelector(selector);
const line = find("[data-saving]");
const trouble = find("[data-trouble]");
const palette = new Palette(find(".palette"), form);
const keeper = new Keeper(form.dataset.user, form.dataset.attempt);
const savers = [...form.querySelectorAll("fieldset[data-item]")].map(
  (fieldset) => new Saver(new Question(fieldset), keeper, { onChange, onReceipt, onConflict }),
);
const clock = new Clock(find(".clock"), { announce, onZero });

// What is saved -----------------------------------------------------------------------------

function onReceipt({ question }, receipt) {
  palette.show(question.position, receipt);
  clock.sync(receipt.seconds_left);
}

function onConflict(saver, stored) {
  const { question } = saver;
  question.letChoose(stored, {
    keep: () => saver.keepMine(stored),
    take: () => {
      saver.takeStored(stored);
      if (stored.state) palette.show(question.position, stored);
    },
  });
  announce(`Question ${question.position} was changed on another page.`);
}

function onChange() {
  const troubled = savers.find((saver) => saver.trouble && saver.waits);
  const conflict = savers.find((saver) => saver.halted === "conflict");
  clearTimeout(savingShown);
  line.dataset.state = savers.some((saver) => saver.waits) ? "waiting" : "saved";
  if (savers.some((saver) => saver.halted === "closed")) return toResults();
  if (savers.some((saver) => saver.halted === "refused")) {
    say("Not saved");
    complain("The server refuses this. Load the page again: your text is kept in this browser.");
  } else if (troubled) {
    say("Not saved, retrying");
    if (troubled.trouble === "logged out") askToLogIn(troubled.logIn);
  } else if (conflict) {
    say(`Choose in question ${conflict.question.position}`);
  } else if (line.dataset.state === "waiting") {
    // Most saves are over before this would be read.
    savingShown = setTimeout(() => say("Saving…"), 800);
  } else {
    const last = Math.max(...savers.map((saver) => saver.savedAt ?? 0));
    if (last) say(`Saved ${timeOfDay(last)}`);
    if (!timeIsUp) trouble.hidden = true;
  }
}

function say(text) {
  if (line.textContent !== text) line.textContent = text;
}

function announce(text) {
  find("[data-announce]").textContent = text;
}

function complain(...parts) {
  const text = parts.map((part) => part.textContent ?? part).join("");
  if (!trouble.hidden && trouble.textContent === text) return;
  trouble.replaceChildren(...parts);
  trouble.hidden = false;
}

function askToLogIn(href) {
  const link = Object.assign(document.createElement("a"), {
    href,
    target: "_blank",
    textContent: "log in again on another page",
  });
  complain("You have been logged out. Nothing is lost: ", link, ", then come back to this one.");
}

function timeOfDay(moment) {
  const format = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  return new Date(moment).toLocaleTimeString([], format);
}

// Buttons ------------------------------------------------------------------------------------

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const everything = Promise.all(savers.map((saver) => saver.flush()));
  await Promise.race([everything, pause(4000)]);
  if (event.submitter?.name !== "review") return;
  const waiting = savers.find((saver) => saver.waits || saver.halted);
  if (!waiting) {
    leaving = true;
    location.assign(form.dataset.submit);
  } else if (waiting.halted) {
    waiting.question.fieldset.scrollIntoView();
  } else {
    complain("Not everything is saved yet, so it cannot be submitted. It is tried again.");
  }
});

// The end -------------------------------------------------------------------------------------

async function onZero() {
  const { body } = await ask(form.dataset.status);
  if (body.seconds_left > 0.5) return clock.sync(body.seconds_left);
  if (timeIsUp) return;
  timeIsUp = true;
  for (const part of form.querySelectorAll("fieldset, .finish, .bar button")) part.inert = true;
  complain("Time is up. Your answers are being handed in.");
  for (;;) {
    find("[name=csrfmiddlewaretoken]").value = token();
    const { status, url } = await postForm(form.dataset.submit, form);
    const arrived = url && new URL(url).pathname;
    if (arrived === form.dataset.results) return toResults();
    if (status === 200) askToLogIn(url);
    else complain("Time is up, and the server is out of reach. What was saved counts. Trying again.");
    await pause(2000);
  }
}

function toResults() {
  if (leaving) return;
  leaving = true;
  for (const { question } of savers) keeper.drop(question.position);
  location.assign(form.dataset.results);
}

// Coming and going ----------------------------------------------------------------------------

async function lookAgain() {
  const { body } = await ask(form.dataset.status);
  if (body.state && body.state !== "open") toResults();
  clock.sync(body.seconds_left);
}

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
if (restored.length) announce(`Put back from this browser: question ${restored.join(", ")}.`);
