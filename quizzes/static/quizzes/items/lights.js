// Highlights the cells from which the focused cell is computed, such as its rows of Q and K.
// `data-lights` lists the rows and columns of the tables that each table, or choice, depends on
// (presenters/arrangement.py), if the page has it.

import { isCell } from "./cells.js";

const LIT = "is-source";

export function lightSources(form) {
  form.addEventListener("focusin", ({ target }) => {
    for (const cell of form.querySelectorAll(`.${LIT}`)) cell.classList.remove(LIT);
    for (const { table, rows, columns } of (isCell(target) && sourcesOf(target)) || []) {
      for (const row of rows) {
        const cells = cellsOf(table.tBodies[0].rows[row]);
        for (const column of columns) cells[column].classList.add(LIT);
      }
    }
  });
}

// The table of a cell, or the group of a choice.
export const stepOf = (field) => field.closest("table, .choices");

// The rows and columns of the tables that make a cell or a choice, as {table, rows, columns}, or null
// if the page does not say.
export function sourcesOf(input) {
  const item = input.closest("[data-item]");
  if (!item.dataset.lights) return null;
  const tables = [...item.querySelectorAll(".matrix table, .choices")];
  const line = input.closest("tr");
  const row = line?.sectionRowIndex ?? 0;
  const column = line ? cellsOf(line).indexOf(input.closest("td")) : 0;
  const made = new Map(item.dataset.lights.split(";").map((rule) => rule.split("=")));
  const rule = made.get(String(tables.indexOf(stepOf(input))));
  if (!rule && !line) return null;
  const parts = rule?.split(",") ?? [];
  return parts
    .map((part) => {
      const [at, rows, columns] = part.split(":");
      const table = tables[at];
      const lines = [...table.tBodies[0].rows];
      return {
        table,
        rows: lines.flatMap((_, at) => (fits(rows, at, row, column) ? [at] : [])),
        columns: cellsOf(lines[0]).flatMap((_, at) => (fits(columns, at, row, column) ? [at] : [])),
      };
    })
    .filter(({ rows, columns }) => rows.length && columns.length);
}

export const cellsOf = (line) => [...line.querySelectorAll("td.cell")];

// The rules are those of attention_core/structure.py.
function fits(rule, at, row, column) {
  if (rule === "*") return true;
  if (rule === "r") return at === row;
  if (rule === "c") return at === column;
  if (rule === "rc") return at === row || at === column;
  if (rule === "<r") return at <= row;
  return at === column - Number(rule.slice(2));
}
