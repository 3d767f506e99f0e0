// The bar above the questions: the clock, and how far each question is.

const TOLD_AT = [600, 300, 60, 30]; // seconds
const WITH_SECONDS = 300;

// The server's time, counted on between what the server says.
export class Clock {
  #left;
  #at;
  #shown = 0;
  #over = false;

  constructor(element, { announce, onZero }) {
    this.figures = element.querySelector(".clock-figures");
    this.announce = announce;
    this.onZero = onZero;
    const { secondsLeft } = element.dataset;
    if (!this.figures || secondsLeft === "") return;
    this.sync(Number(secondsLeft));
    setInterval(() => this.#tick(), 250);
  }

  // The deadline may have moved: an extension counts from the next word of the server.
  sync(secondsLeft) {
    if (typeof secondsLeft !== "number") return;
    this.#left = secondsLeft;
    this.#at = performance.now();
    if (secondsLeft > 0) this.#over = false;
    this.#tick();
  }

  get left() {
    return Math.max(0, this.#left - (performance.now() - this.#at) / 1000);
  }

  #tick() {
    const left = this.left;
    this.#show(inFigures(left));
    const passed = TOLD_AT.filter((seconds) => left <= seconds && seconds < this.#shown);
    if (passed.length) this.announce(`${inWords(Math.min(...passed))} left`);
    this.#shown = left;
    if (left === 0 && !this.#over) {
      this.#over = true;
      this.onZero();
    }
  }

  #show(text) {
    if (this.figures.textContent !== text) this.figures.textContent = text;
  }
}

function inFigures(left) {
  if (left > WITH_SECONDS) return `${Math.ceil(left / 60)} min`;
  const seconds = Math.ceil(left);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function inWords(seconds) {
  if (seconds < 60) return `${seconds} seconds`;
  return seconds === 60 ? "1 minute" : `${seconds / 60} minutes`;
}

// The row of squares: how far each question is, and which one is in view.
export class Palette {
  constructor(nav, form) {
    this.nav = nav;
    this.links = new Map(
      [...nav.querySelectorAll("[data-palette]")].map((link) => [+link.dataset.palette, link]),
    );
    const observer = new IntersectionObserver((entries) => this.#seen(entries), {
      // The question that crosses a line a third down the page is the current one.
      rootMargin: "-33% 0px -66% 0px",
    });
    for (const item of form.querySelectorAll("fieldset[data-item]")) observer.observe(item);
  }

  show(position, { state, words }) {
    const link = this.links.get(position);
    link.dataset.state = state;
    link.querySelector("[data-words]").textContent = words;
  }

  #seen(entries) {
    const seen = entries.find((entry) => entry.isIntersecting);
    if (!seen) return;
    for (const [position, link] of this.links) {
      if (position !== Number(seen.target.dataset.item)) link.removeAttribute("aria-current");
      else {
        link.setAttribute("aria-current", "true");
        this.nav.scrollTo({ left: link.offsetLeft - this.nav.clientWidth / 2 });
      }
    }
  }
}
