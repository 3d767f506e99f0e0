// @bundle
// The cards of a quiz's slots: moved, duplicated, removed, and filled from a searchable list. The
// server computes their costs and problems. Without this script the cards are a plain form.

import { chooser } from "./choosing.js";
import { frameWith } from "./framing.js";
import { itemOf, movable } from "./moving.js";

const PAUSE = 300; // in ms, after typing, before the server is asked
const slots = document.getElementById("slots");
const dialog = document.getElementById("slot-choosing");

function arrange() {
  const form = slots.closest("form");
  const list = slots.querySelector("[data-cards]");
  const status = slots.querySelector("[data-status]");
  const choose = chooser(dialog);
  let asked = 0;
  let timer = 0;
  let queue = Promise.resolve();

  const say = (words, values = {}) => {
    status.textContent = words.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  };
  const numberOf = (card) => card.querySelector("[data-number]").textContent;

  function renumber() {
    let number = 0;
    for (const card of list.children) {
      const goes = card.querySelector("[data-remove]").checked;
      if (!goes) number++;
      for (const place of card.querySelectorAll("[data-number]")) place.textContent = goes ? "–" : number;
      card.querySelector("[data-position]").value = goes ? number + 1 : number;
    }
  }

  // Sends one request at a time, each with the form's values at that moment.
  function ask(action = "") {
    clearTimeout(timer);
    const turn = ++asked;
    queue = queue.then(async () => {
      if (!action && turn !== asked) return null; // a later request is queued
      const data = new FormData(form);
      data.set("arrange", action);
      const unreachable = slots.querySelector("[data-unreachable]");
      try {
        const answer = await fetch(slots.dataset.check, { method: "POST", body: data });
        if (!answer.ok || answer.redirected) throw new Error(answer.statusText);
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        unreachable.hidden = true;
        if (turn === asked) show(page);
        return page.querySelector("[data-card]");
      } catch {
        unreachable.hidden = false;
        return null;
      }
    });
    return queue;
  }
  const askSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE);
  };

  function show(page) {
    for (const part of page.querySelectorAll("[data-part]")) {
      const here = document.getElementById(part.id);
      if (!here || here.innerHTML === part.innerHTML) continue;
      // The selects of sizes stay, with their choices, unless the family has changed.
      if ("of" in part.dataset && here.dataset.of === part.dataset.of) continue;
      if ("of" in part.dataset) here.dataset.of = part.dataset.of;
      here.replaceChildren(...part.childNodes);
    }
  }

  async function add(action, source) {
    const card = await ask(action);
    if (!card) return;
    if (source) source.after(card);
    else list.append(card);
    renumber();
    card.scrollIntoView({ block: "nearest" });
    card.querySelector("[data-choose]").focus();
    say(status.dataset.added, { to: numberOf(card) });
    form.dispatchEvent(new Event("change", { bubbles: true }));
    ask();
  }

  async function fill(card) {
    const [family, topic] = ["family", "topic"].map((name) => card.querySelector(`select[name$="-${name}"]`));
    const taken = await choose(numberOf(card), { family: family.value, topic: topic.value });
    if (!taken) return;
    const { field, key } = taken.dataset;
    family.value = field === "family" ? key : "";
    topic.value = field === "topic" ? key : "";
    family.dispatchEvent(new Event("change", { bubbles: true }));
    ask();
  }

  function showExample(card, link) {
    const frame = card.querySelector("iframe");
    link.setAttribute("aria-expanded", String(!frame));
    if (frame) return frame.remove();
    const made = document.createElement("iframe");
    made.setAttribute("sandbox", "allow-same-origin");
    made.title = link.textContent;
    made.className = "qs-example";
    card.append(made);
    return frameWith(made, link.href);
  }

  const move = movable(list, (card, from, to) => {
    const { moved, first, last } = status.dataset;
    if (from === to) return say(to ? last : first);
    const before = numberOf(card);
    renumber();
    say(moved, { from: before, to: numberOf(card), count: list.children.length });
    form.dispatchEvent(new Event("change", { bubbles: true }));
    return askSoon();
  });

  slots.addEventListener("click", (event) => {
    const button = event.target.closest("button, a");
    if (!button) return;
    const card = itemOf(list, button);
    const { dataset } = button;
    if ("move" in dataset) move(card, Number(dataset.move));
    else if ("duplicate" in dataset) add(button.value, card);
    else if ("add" in dataset) add("add");
    else if ("choose" in dataset) fill(card);
    else if ("example" in dataset) showExample(card, button);
    else return;
    event.preventDefault();
  });
  form.addEventListener("change", ({ target }) => {
    if (target.matches?.("[data-remove]")) renumber();
  });
  form.addEventListener("input", askSoon);
  ask();
}

if (slots && dialog && !slots.disabled) arrange();
