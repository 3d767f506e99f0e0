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
    addEventListener("hashchange", () => {
      if (this.#wanted() === null) return;
      this.#show(this.#wanted());
      this.#focusAtLast();
    });
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
    this.#show(this.parts.indexOf(part));
    this.#focus();
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

  // A browser that goes to an address takes the focus away once more, some frames later: until
  // somebody touches the page it is given back.
  #focusAtLast() {
    this.#focus();
    this.touched?.abort();
    const touched = (this.touched = new AbortController());
    const again = () => document.activeElement === document.body && this.#focus();
    addEventListener("focusout", () => setTimeout(again), { signal: touched.signal });
    for (const name of ["keydown", "pointerdown"])
      addEventListener(name, () => touched.abort(), { capture: true, signal: touched.signal });
  }

  // Never behind the bar, and no jump where the heading is in view already.
  #focus() {
    this.current.querySelector("h2").focus({ preventScroll: true });
    const { top } = this.current.getBoundingClientRect();
    const { bottom } = this.bar.getBoundingClientRect();
    if (top < bottom - 1 || top > innerHeight * 0.8) this.current.scrollIntoView();
  }
}
