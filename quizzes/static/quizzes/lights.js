// Lights what makes the cell in hand: its row of Q, its row of K. The page says by `data-lights` which
// rows and columns of which tables make the cells of each (presenters/arrangement.py), or says nothing.

import { isCell } from "./cells.js";

const LIT = "is-source";

export function lightSources(form) {
  form.addEventListener("focusin", ({ target }) => {
    for (const cell of form.querySelectorAll(`.${LIT}`)) cell.classList.remove(LIT);
    if (isCell(target)) for (const cell of sourcesOf(target)) cell.classList.add(LIT);
  });
}

function sourcesOf(input) {
  const { lights } = input.closest("[data-item]").dataset;
  if (!lights) return [];
  const tables = [...input.closest("[data-item]").querySelectorAll(".matrix table")];
  const row = input.closest("tr").sectionRowIndex;
  const column = cellsOf(input.closest("tr")).indexOf(input.closest("td"));
  const own = lights.split(";").find((told) => Number(told.split("=")[0]) === tables.indexOf(input.closest("table")));
  const parts = own ? own.split("=")[1].split(",") : [];
  return parts.flatMap((part) => {
    const [table, rows, columns] = part.split(":");
    return [...tables[table].tBodies[0].rows]
      .filter((_, at) => fits(rows, at, row, column))
      .flatMap((line) => cellsOf(line).filter((_, at) => fits(columns, at, row, column)));
  });
}

const cellsOf = (line) => [...line.querySelectorAll("td.cell")];

// The rules are those of attention_core/problems/structure.py.
function fits(rule, at, row, column) {
  if (rule === "*") return true;
  if (rule === "r") return at === row;
  if (rule === "c") return at === column;
  if (rule === "rc") return at === row || at === column;
  if (rule === "<r") return at <= row;
  return at === column - Number(rule.slice(2));
}
