// The searchable list of families and topics, with an example of the active option.

import { frameWith } from "./framing.js";

const PAUSE = 250; // in ms, on a family before its example is loaded

// `open(title, chosen)` shows the list, and resolves to the chosen option, if any.
export function chooser(dialog) {
  const search = dialog.querySelector("[type=search]");
  const list = dialog.querySelector("[role=listbox]");
  const found = dialog.querySelector("[role=status]");
  const frame = dialog.querySelector("iframe");
  const title = dialog.querySelector("[data-title]");
  let options = []; // all of them; the list shows those that match
  let active = null;
  let timer = 0;
  let resolve = () => {};

  function look(option) {
    active?.setAttribute("aria-selected", "false");
    active = option ?? null;
    active?.setAttribute("aria-selected", "true");
    active?.scrollIntoView({ block: "nearest" });
    search.setAttribute("aria-activedescendant", active?.id ?? "");
    clearTimeout(timer);
    frame.hidden = !active?.dataset.example;
    if (!frame.hidden) timer = setTimeout(() => frameWith(frame, active.dataset.example), PAUSE);
  }

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const says = (place) => words.every((word) => place.textContent.toLowerCase().includes(word));
    const matching = options.filter(says);
    // Options that match by their title come first.
    const rank = (option) => Number(!says(option.querySelector("b")));
    list.replaceChildren(...matching.toSorted((one, other) => rank(one) - rank(other)));
    const { found: some, none } = found.dataset;
    found.textContent = matching.length ? some.replace("{count}", matching.length) : none;
    look(words.length ? list.firstElementChild : (active ?? list.firstElementChild));
  }

  async function load() {
    if (options.length) return;
    found.textContent = found.dataset.loading;
    try {
      const answer = await fetch(dialog.dataset.choices);
      if (!answer.ok || answer.redirected) throw new Error(answer.statusText);
      list.innerHTML = await answer.text();
      options = [...list.children];
    } catch {
      found.textContent = found.dataset.unreachable;
    }
  }

  const take = () => {
    if (!active) return;
    resolve(active);
    dialog.close();
  };

  search.addEventListener("input", filter);
  search.addEventListener("keydown", (event) => {
    const steps = { ArrowUp: -1, ArrowDown: 1, PageUp: -8, PageDown: 8 }[event.key];
    if (event.key === "Enter") take();
    else if (steps) {
      const all = [...list.children];
      look(all[Math.max(0, Math.min(all.indexOf(active) + steps, all.length - 1))]);
    } else return;
    event.preventDefault();
  });
  list.addEventListener("click", ({ target }) => {
    const option = target.closest("[role=option]");
    if (option) look(option);
    search.focus();
  });
  list.addEventListener("dblclick", take);
  dialog.querySelector("[data-take]").addEventListener("click", take);
  dialog.querySelector("[data-cancel]").addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => resolve(null));

  return async function open(number, { family, topic }) {
    title.textContent = title.dataset.title.replace("{number}", number);
    search.value = "";
    dialog.showModal();
    search.focus();
    const taken = new Promise((settle) => {
      resolve = settle;
    });
    await load();
    if (options.length) {
      look(options.find(({ dataset: { field, key } }) => key === { family, topic }[field]));
      filter();
    }
    return taken;
  };
}
