// The numbers that the focused cell, or the choice in hand, is made of, docked in sight while the
// question's own are not.
//
// They are copies, so they are hidden from screen readers, which read the question's own tables. A
// page that does not say what makes a cell shows the first givens, until the student chooses others;
// all of them for a choice, which has no keyboard below it.

import { isCell } from "./cells.js";
import { columnLabel, element, groupsOf, linesOf, nameOf, scalarsOf } from "./copies.js";
import { cellsOf, sourcesOf, stepOf } from "./lights.js";
import { placeOf } from "./pasting.js";
import { seen } from "./seen.js";
import { part } from "./texts.js";

const FIRST_GIVENS = 2;
// Pixels around the cell, and beside the answer.
const MARGIN = 6;
const GAP = 24;
const WIDE = 960; // pixels of a window that may have room beside an answer

export class Dock {
  // The one whose cells were used last, which the calculator's sums are for.
  static #latest = null;
  #focused = null;
  #inCalculator = false;
  #wanted = new Map(); // what the student chose to see, by the tables it was chosen for
  #frame = 0;
  #uncovers = false;
  #afresh = false;

  constructor(form, cells) {
    this.cells = cells;
    this.calculator = document.getElementById("calculator");
    this.panel = part("dock");
    this.find = (name) => this.panel.querySelector(`.dock-${name}`);
    // A tap on a tab leaves the focus, and the phone's keyboard, where they are.
    this.panel.addEventListener("pointerdown", (event) => event.preventDefault());
    this.panel.addEventListener("click", ({ target }) => this.#choose(target.closest("button")));
    document.addEventListener("focusin", ({ target }) => this.#follow(target, form));
    // Not every browser gives a choice that is tapped the focus.
    form.addEventListener("change", ({ target }) => this.#follow(target, form));
    form.addEventListener("focusout", ({ relatedTarget }) => relatedTarget ?? this.#follow(null, form));
    form.addEventListener("input", () => this.#look());
    const onScroll = ({ target }) => this.panel.contains(target) || this.#look({ afresh: false });
    document.addEventListener("scroll", onScroll, { capture: true, passive: true });
    seen.onResize(() => this.#look({ uncover: true }));
    this.#follow(document.activeElement, form);
  }

  #follow(target, form) {
    if (target && this.panel.contains(target)) return;
    this.#focused = target && form.contains(target) ? fieldOf(target) : null;
    if (this.#focused) Dock.#latest = this;
    this.#inCalculator = Dock.#latest === this && (this.calculator?.contains(target) ?? false);
    this.#look({ uncover: true });
  }

  get #cell() {
    return this.#inCalculator ? this.cells.inView : this.#focused;
  }

  // Once a frame: a browser scrolls to the focused field only after it has the focus.
  #look({ uncover = false, afresh = true } = {}) {
    if (!this.#cell && !this.panel.isConnected) return;
    this.#uncovers ||= uncover;
    this.#afresh ||= afresh;
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      const cell = this.#cell;
      this.#show(cell);
      if (this.#uncovers && cell) this.#uncover(cell);
      if (cell) this.panel.style.setProperty("--dock-below", `${this.#sightOf(cell).top}px`);
      this.#uncovers = this.#afresh = false;
    });
  }

  #show(cell) {
    if (!cell?.checkVisibility() || this.#isAllInSight(cell)) return this.panel.remove();
    if (this.panel.isConnected && !this.#afresh) return;
    this.panel.toggleAttribute("data-tight", seen.isTight);
    const answer = cell.closest(".answer");
    if (this.panel.parentElement !== answer) answer.prepend(this.panel);
    const { made, sources } = this.#sourcesFor(cell);
    this.#fill(cell, sources);
    this.#putBeside(cell);
    const { top, bottom } = this.#roomFor(cell);
    const room = bottom - top - 2 * MARGIN - (this.#isAbove ? cell.offsetHeight : 0);
    const isTooHigh = () => this.panel.offsetHeight > room;
    if (made && isTooHigh()) this.find("tabs").hidden = true;
    if (isTooHigh()) this.panel.querySelector(".dock-scalars")?.remove();
    // What does not fit is a tap away.
    while (isTooHigh() && sources.length > 1) {
      sources.pop();
      this.#fill(cell, sources);
    }
  }

  // Beside the answer where there is room, at the height of the cell, or else below the bar.
  #putBeside(cell) {
    const item = cell.closest("[data-item]");
    const isWide = !seen.isTight && innerWidth >= WIDE;
    this.panel.toggleAttribute("data-beside", isWide);
    const { offsetWidth: width, offsetHeight: height } = this.panel;
    const { top, bottom } = this.#sightOf(cell);
    const middle = boxOf(cell).top + (cell.offsetHeight - height) / 2;
    const at = Math.max(top + MARGIN, Math.min(middle, bottom - height - MARGIN));
    const level = [...item.querySelectorAll(".answer :is(caption, table, label, .step-label)")]
      .map(boxOf)
      .filter((box) => box.bottom > at - MARGIN && box.top < at + height + MARGIN);
    const left = Math.max(...level.map(({ right }) => right)) + GAP;
    const end = this.calculator?.open ? boxOf(this.calculator).left : innerWidth;
    this.panel.toggleAttribute("data-beside", isWide && left + width + GAP <= end);
    this.panel.style.setProperty("--dock-top", `${at - boxOf(item).top}px`);
    this.panel.style.setProperty("--dock-left", `${left - boxOf(item).left}px`);
  }

  // Browsers forget a scroll margin where a table scrolls sideways.
  #uncover(cell) {
    const { top, right, bottom, left } = boxOf(cell);
    const room = this.#roomFor(cell);
    const start = room.top + MARGIN + (this.#isAbove ? this.panel.offsetHeight : 0);
    const end = room.bottom - MARGIN;
    // Above a keyboard the cell's table follows the numbers, and nothing else is half covered.
    const step = stepOf(cell);
    const head = boxOf(step.tHead ?? step.tBodies?.[0] ?? step).top;
    const first = bottom - head > end - start ? top : head;
    const away = top < start ? top - start : Math.max(0, bottom - end);
    const by = this.#isAbove && seen.isTight ? first - start : away;
    if (by) scrollBy({ top: by, behavior: "instant" });
    const region = cell.closest(".matrix-scroll");
    if (!region) return;
    const { left: edge, right: farEdge } = boxOf(region);
    const label = cell.closest("tr").querySelector("th")?.offsetWidth ?? 0;
    const [before, after] = [edge + label + MARGIN - left, right + MARGIN - farEdge];
    if (before > 0 || after > 0) region.scrollBy(before > 0 ? -before : after, 0);
  }

  get #isAbove() {
    return this.panel.isConnected && !("beside" in this.panel.dataset);
  }

  // Where it is tight the bar scrolls away.
  #roomFor(cell) {
    return seen.isTight ? seen.sight : this.#sightOf(cell);
  }

  // Below the bar, if the page has one.
  #sightOf(cell) {
    const bar = cell.form.querySelector(".bar")?.getBoundingClientRect().bottom ?? 0;
    return { ...seen.sight, top: Math.max(seen.sight.top, bar) };
  }

  #isAllInSight(cell) {
    const item = cell.closest("[data-item]");
    const chosen = this.#sourcesFor(cell);
    const needed = chosen.made || this.#wanted.has(chosen.key) ? chosen.sources : wholly(givensOf(item));
    const numbers = needed.flatMap(({ table, rows, columns }) =>
      rows.flatMap((row) => columns.map((column) => cellsOf(linesOf(table)[row])[column])),
    );
    const sight = this.#sightOf(cell);
    return [...numbers, ...labelsOf(cell), ...item.querySelectorAll(".given-scalar")].every((each) =>
      isInSight(each, sight),
    );
  }

  // The sources to show beside a cell, and the key under which the student's own choice is kept.
  #sourcesFor(cell) {
    const item = cell.closest("[data-item]");
    const made = sourcesOf(cell);
    const key = made ? stepOf(cell) : item;
    const first = made ?? wholly(givensOf(item).slice(0, isCell(cell) ? FIRST_GIVENS : Infinity));
    const wanted = this.#wanted.get(key);
    if (!wanted) return { key, made, sources: first };
    const kept = first.filter(({ table }) => wanted.has(table));
    const added = [...wanted].filter((table) => !first.some((each) => each.table === table));
    return { key, made, sources: [...kept, ...wholly(added)] };
  }

  #choose(tab) {
    if (!tab) return;
    const { key, sources } = this.#sourcesFor(this.#cell);
    const wanted = new Set(sources.map(({ table }) => table));
    if (!wanted.delete(tab.table)) wanted.add(tab.table);
    this.#wanted.set(key, wanted);
    this.#look({ uncover: true });
  }

  #fill(cell, sources) {
    const item = cell.closest("[data-item]");
    const labels = labelsOf(cell).map((label) => label.textContent);
    this.find("place").textContent = seen.isTight ? labels.join(" · ") : labels.length ? placeOf(cell.closest("td")) : "";
    this.#listTabs(tablesOf(item).filter((table) => isBefore(table, stepOf(cell))), sources);
    this.find("parts").replaceChildren(...groupsOf(sources), ...scalarsOf(item));
  }

  // The tabs stay as long as the tables do, or the focus on one of them would be lost.
  #listTabs(before, sources) {
    const tabs = this.find("tabs");
    const isOther = before.length !== tabs.children.length || before.some((table, at) => tabs.children[at].table !== table);
    if (isOther) tabs.replaceChildren(...before.map(tabOf));
    for (const tab of tabs.children) tab.ariaPressed = String(sources.some(({ table }) => table === tab.table));
    tabs.hidden = before.length < 2;
  }
}

const boxOf = (element) => element.getBoundingClientRect();
const fieldOf = (element) => (isCell(element) ? element : element.closest(".choice"));
const isBefore = (table, step) => table.compareDocumentPosition(step) === Node.DOCUMENT_POSITION_FOLLOWING;
const tablesOf = (item) => [...item.querySelectorAll(".matrix table")];
const givensOf = (item) => tablesOf(item).filter((table) => table.dataset.given);
const wholly = (tables) =>
  tables.map((table) => ({
    table,
    rows: linesOf(table).map((_, at) => at),
    columns: cellsOf(linesOf(table)[0]).map((_, at) => at),
  }));

function labelsOf(input) {
  if (!isCell(input)) return [];
  const [table, cell] = [input.closest("table"), input.closest("td")];
  const line = cell.parentElement;
  const labels = [line.querySelector("th"), columnLabel(table, cellsOf(line).indexOf(cell))];
  return labels.filter(Boolean);
}

function isInSight(element, { top, right, bottom, left }) {
  const box = boxOf(element);
  const region = element.closest(".matrix-scroll")?.getBoundingClientRect();
  const [start, end] = region ? [Math.max(left, region.left), Math.min(right, region.right)] : [left, right];
  return box.top >= top - 1 && box.bottom <= bottom + 1 && box.left >= start - 1 && box.right <= end + 1;
}

function tabOf(table) {
  const tab = element("button", "button-small", nameOf(table));
  tab.type = "button";
  tab.ariaLabel = table.caption.textContent.trim();
  tab.table = table;
  return tab;
}
