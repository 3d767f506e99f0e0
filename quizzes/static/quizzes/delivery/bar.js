// The bar above the questions: the clock, and the palette with each question's state.

import { remember, remembered } from "../items/remembered.js";
import { text } from "../items/texts.js";

const ANNOUNCED_AT = [600, 300, 60, 30]; // seconds
const WITH_SECONDS = 300;
const SHOWN_FOR = 20_000; // milliseconds
const SLEPT = 2_000; // milliseconds
const HIDDEN = "softmark/clock-hidden";

// The remaining time, counted down between the server's answers.
export class Clock {
  #left;
  #at;
  #shown = 0;
  #over = false;
  #timer = 0;
  #apart = clocksApart();

  constructor(element, { announce, onZero, onSlept }) {
    this.element = element;
    this.shown = element.querySelector(".clock-shown");
    this.announce = announce;
    this.onZero = onZero;
    this.onSlept = onSlept;
    this.toggle = element.parentElement.querySelector("[data-clock-toggle]");
    const { secondsLeft } = element.dataset;
    this.#letHide();
    this.sync(secondsLeft === "" ? null : Number(secondsLeft));
    setInterval(() => this.#tick(), 250);
  }

  // Each answer of the server may bring another deadline, or none (null).
  sync(secondsLeft) {
    if (secondsLeft === undefined) return;
    const timed = secondsLeft !== null;
    if (timed === this.toggle.hidden) this.#turn(timed ? "timed" : "untimed");
    this.#left = timed ? secondsLeft : Infinity;
    this.#at = performance.now();
    if (this.#left > 0) this.#over = false;
    this.#tick();
  }

  #turn(kind) {
    const { content } = this.element.querySelector(`template[data-${kind}]`);
    this.shown.replaceChildren(content.cloneNode(true));
    this.toggle.hidden = kind === "untimed";
  }

  get left() {
    return Math.max(0, this.#left - (performance.now() - this.#at) / 1000);
  }

  #tick() {
    const apart = clocksApart();
    if (Math.abs(apart - this.#apart) > SLEPT) this.onSlept();
    this.#apart = apart;
    const left = this.left;
    if (left !== Infinity) this.#show(inFigures(left));
    const passed = ANNOUNCED_AT.filter((seconds) => left <= seconds && seconds < this.#shown);
    if (passed.length) this.#tell(Math.min(...passed));
    this.#shown = left;
    if (left === 0 && !this.#over) {
      this.#over = true;
      this.onZero();
    }
  }

  #show(figures) {
    const shown = this.shown.querySelector(".clock-figures");
    if (shown.textContent !== figures) shown.textContent = figures;
  }

  // Announces the time; a hidden clock is shown for a moment.
  #tell(seconds) {
    this.announce(text(`left-${seconds}`));
    this.element.dataset.telling = "";
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => delete this.element.dataset.telling, SHOWN_FOR);
  }

  #letHide() {
    const button = this.toggle;
    const words = button.querySelector("[data-toggle-words]");
    const show = (hidden) => {
      this.element.toggleAttribute("data-hidden", hidden);
      words.textContent = hidden ? text("show-time") : text("hide-time");
    };
    show(remembered(HIDDEN) === "true");
    button.addEventListener("click", () => {
      const hidden = !this.element.hasAttribute("data-hidden");
      show(hidden);
      remember(HIDDEN, String(hidden));
    });
  }
}

// While a laptop sleeps, `performance.now()` stops in many browsers, and `Date.now()` does not.
const clocksApart = () => Date.now() - performance.now();

function inFigures(left) {
  if (left > WITH_SECONDS) return text("minutes", { minutes: Math.ceil(left / 60) });
  const seconds = Math.ceil(left);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

// The palette: a square for each question with its state, and which one is in view.
export class Palette {
  constructor(nav, where) {
    this.nav = nav;
    this.where = where;
    this.links = new Map(
      [...nav.querySelectorAll("a")].map((link) => [link.getAttribute("href").slice(1), link]),
    );
    // Where it is a panel, it closes after use.
    nav.addEventListener("click", ({ target }) => {
      if (target.closest("a, button") && nav.matches(":popover-open")) nav.hidePopover();
    });
  }

  show(position, { state, words }) {
    const link = this.links.get(`item-${position}`);
    link.dataset.state = state;
    link.querySelector("[data-words]").textContent = words;
  }

  flag(position, flagged) {
    const link = this.links.get(`item-${position}`);
    link.toggleAttribute("data-flagged", flagged);
    link.querySelector("[data-flag-words]").hidden = !flagged;
  }

  moveTo(id) {
    for (const [each, link] of this.links) {
      if (each !== id) link.removeAttribute("aria-current");
      else link.setAttribute("aria-current", "step");
    }
    const question = [...this.links.keys()].indexOf(id) + 1;
    this.where.textContent = text("where", { question, all: this.links.size });
  }
}
