// Messages to all, in the bar: shown as they arrive, until they are dismissed.

export class Messages {
  #shown = new Set();

  #before = null;

  constructor(form, keeper, timeOfDay) {
    this.box = form.querySelector("[data-messages]");
    this.line = form.querySelector("[data-message-line]");
    this.keeper = keeper;
    this.timeOfDay = timeOfDay;
    this.box.addEventListener("click", ({ target }) => {
      const message = target.closest("[data-dismiss]")?.closest("[data-message]");
      if (!message) return;
      keeper.keep(name(message.dataset.message), true);
      message.remove();
      (this.box.querySelector("[data-dismiss]") ?? this.#before)?.focus({ preventScroll: true });
    });
    // After the last one the focus goes back to where it came from.
    this.box.addEventListener("focusin", ({ relatedTarget }) => {
      if (!this.box.contains(relatedTarget)) this.#before = relatedTarget;
    });
    for (const message of this.box.querySelectorAll("[data-message]")) {
      const { message: id } = message.dataset;
      this.#shown.add(id);
      if (keeper.read(name(id))) message.remove();
      else this.#showTime(message);
    }
  }

  // Shows those that are new, from an answer of the server. What one types into stays in its place.
  show(messages = []) {
    const missing = messages.filter(({ id }) => !this.#shown.has(String(id)));
    if (!missing.length) return;
    const focused = document.activeElement;
    const before = focused.getBoundingClientRect().top;
    for (const { id, text, at } of missing) {
      const message = this.line.content.firstElementChild.cloneNode(true);
      message.dataset.message = id;
      message.querySelector("[data-text]").textContent = text;
      message.querySelector("time").dateTime = at;
      this.#showTime(message);
      this.#shown.add(String(id));
      this.box.append(message);
    }
    if (!this.box.parentElement.contains(focused) && focused !== document.body) {
      scrollBy(0, focused.getBoundingClientRect().top - before);
      focused.scrollIntoView({ block: "nearest" });
    }
  }

  #showTime(message) {
    const time = message.querySelector("time");
    time.textContent = this.timeOfDay(time.dateTime);
  }
}

const name = (id) => `message-${id}`;
