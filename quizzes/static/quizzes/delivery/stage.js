// Shows one question at a time, and moves the focus along.

export class Stage {
  #at = 0;

  constructor(form, { onShow }) {
    this.form = form;
    this.bar = form.querySelector(".bar");
    this.parts = [...form.querySelectorAll(".stage")];
    this.onShow = onShow;
    this.steps = form.querySelector("[data-steps]");
    for (const [name, by] of [
      ["previous", -1],
      ["next", 1],
    ]) {
      this.steps.querySelector(`[data-${name}]`).addEventListener("click", () => this.step(by));
    }
    form.addEventListener("click", (event) => this.#follow(event));
    addEventListener("hashchange", () => {
      if (this.#wanted() === null) return;
      this.#show(this.#wanted());
      this.#focusAtLast();
    });
    // A question in use before this script was loaded stays in view and keeps the focus.
    const used = this.parts.findIndex((part) => part.contains(document.activeElement));
    const start = this.parts.findIndex((part) => "start" in part.dataset);
    const wanted = this.#wanted();
    this.#show(wanted ?? (used < 0 ? start : used));
    // Once it is answered, a reload would start with the next one.
    form.addEventListener("input", () => this.#remember(), { once: true });
    form.dataset.staged = "";
    if (wanted !== null && used !== wanted) this.#focusAtLast();
  }

  get current() {
    return this.parts[this.#at];
  }

  step(by) {
    const to = this.#at + by;
    if (to === this.parts.length) this.steps.querySelector("[name=review]").focus();
    else if (to >= 0) this.goTo(this.parts[to]);
  }

  goTo(part) {
    this.#show(this.parts.indexOf(part));
    this.#remember();
    this.#focus();
  }

  // Updates the URL, so that a reload shows the same question.
  #remember() {
    history.replaceState(history.state, "", `#${this.current.id}`);
  }

  // The index of the question in the URL, or null.
  #wanted() {
    const at = this.parts.findIndex((part) => `#${part.id}` === location.hash);
    return at < 0 ? null : at;
  }

  #follow(event) {
    const href = event.target.closest("a[href^='#']")?.getAttribute("href");
    const part = href && this.parts.find(({ id }) => `#${id}` === href);
    if (!part || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.goTo(part);
  }

  #show(at) {
    this.#at = at;
    for (const part of this.parts) part.toggleAttribute("data-away", part !== this.current);
    this.steps.querySelector("[data-previous]").disabled = at === 0;
    const last = at === this.parts.length - 1;
    this.steps.querySelector("[data-next]").hidden = last;
    this.steps.querySelector("[name=review]").hidden = !last;
    this.onShow(this.current);
  }

  // After navigating to a fragment, browsers reset the focus some frames later: set it again until
  // the student uses the page.
  #focusAtLast() {
    this.#focus();
    this.touched?.abort();
    const touched = (this.touched = new AbortController());
    const again = () => document.activeElement === document.body && this.#focus();
    addEventListener("focusout", () => setTimeout(again), { signal: touched.signal });
    for (const name of ["keydown", "pointerdown"])
      addEventListener(name, () => touched.abort(), { capture: true, signal: touched.signal });
  }

  // Focuses the heading, never behind the bar, and without scrolling if it is already in view.
  #focus() {
    this.current.querySelector("h2").focus({ preventScroll: true });
    const { top } = this.current.getBoundingClientRect();
    const { bottom } = this.bar.getBoundingClientRect();
    // Where it is tight the bar has scrolled away.
    if (top < Math.max(0, bottom) - 1 || top > innerHeight * 0.8) this.current.scrollIntoView();
  }
}
