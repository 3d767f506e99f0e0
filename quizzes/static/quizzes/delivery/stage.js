// One question at a time: which one is in view, and where the focus goes with it.

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
    addEventListener("hashchange", () => this.#go(this.#wanted()));
    // What was in use before this script was there stays in view and keeps the focus.
    const used = this.parts.findIndex((part) => part.contains(document.activeElement));
    const wanted = this.#wanted();
    this.#show(Math.max(0, wanted ?? used));
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
    // The address follows, so that a page loaded again is where it was.
    history.replaceState(history.state, "", `#${part.id}`);
    this.#go(this.parts.indexOf(part));
  }

  // Where the address points to.
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

  #go(at) {
    if (at === null) return;
    this.#show(at);
    this.#focus();
  }

  #show(at) {
    this.#at = at;
    for (const part of this.parts) part.toggleAttribute("data-away", part !== this.current);
    this.steps.querySelector("[data-previous]").disabled = at === 0;
    const last = at === this.parts.length - 1;
    this.steps.querySelector("[data-next]").hidden = last;
    // Until the last question it is beside the main button, then in its place.
    this.steps.querySelector("[name=review]").classList.toggle("button-primary", last);
    this.onShow(this.current);
  }

  // A browser takes the focus away once more when it has loaded the page to its address: in the
  // next frame or, when it has much to do, some frames later.
  #focusAtLast() {
    this.#focus();
    const again = () => document.activeElement === document.body && this.#focus();
    const loaded = () => [20, 500].forEach((milliseconds) => setTimeout(again, milliseconds));
    addEventListener("load", loaded, { once: true });
  }

  // Never behind the bar, and no jump where the heading is in view already.
  #focus() {
    this.current.querySelector("h2").focus({ preventScroll: true });
    const { top } = this.current.getBoundingClientRect();
    const { bottom } = this.bar.getBoundingClientRect();
    if (top < bottom - 1 || top > innerHeight * 0.8) this.current.scrollIntoView();
  }
}
