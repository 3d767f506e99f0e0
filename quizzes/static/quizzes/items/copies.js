// Copies of the numbers of tables, printed in lines (dock.js).

import { cellsOf } from "./lights.js";
import { text } from "./texts.js";

export const linesOf = (table) => [...table.tBodies[0].rows];
export const columnLabel = (table, column) => table.tHead?.querySelectorAll("th")[column];
const rowLabel = (table, row) => linesOf(table)[row].querySelector("th");

// A table's letter or its step's number, if it has one.
const signOf = ({ caption }) => caption.querySelector(".step-number, math")?.cloneNode(true);
export const nameOf = (table) => signOf(table) ?? table.caption.textContent.trim();

// Numbers in lines: rows and columns of one length share a group, one below the other as in a sum of
// products, and a whole matrix is a group of its own.
export function groupsOf(sources) {
  const shared = new Map();
  const groups = [];
  for (const { table, rows, columns } of sources) {
    const isColumn = columns.length === 1 && rows.length > 1;
    const isWhole = !isColumn && rows.length > 1 && rows.length === linesOf(table).length;
    const lines = isColumn ? [columnLine(table, rows, columns[0])] : rows.map((row) => rowLine(table, row, columns));
    const length = lines[0].numbers.length;
    if (isWhole || !shared.has(length)) groups.push(lines);
    else shared.get(length).push(...lines);
    if (isWhole) for (const line of lines.slice(1)) line.name = null;
    else if (!shared.has(length)) shared.set(length, lines);
  }
  return groups.map(groupOf);
}

function rowLine(table, row, columns) {
  return {
    ...named(table, "row", rowLabel(table, row)),
    heads: columns.map((column) => columnLabel(table, column)?.textContent ?? ""),
    numbers: columns.map((column) => cellsOf(linesOf(table)[row])[column]),
  };
}

function columnLine(table, rows, column) {
  return {
    ...named(table, "column", columnLabel(table, column)),
    heads: rows.map((row) => rowLabel(table, row)?.textContent ?? ""),
    numbers: rows.map((row) => cellsOf(linesOf(table)[row])[column]),
  };
}

// A line is named by its table's sign and its own label, which says what it is unless it is a number.
function named(table, key, label) {
  const words = label?.textContent ?? "";
  if (!words) return { name: nameOf(table), label: "" };
  return { name: signOf(table), label: isWord(words) ? words : text(key, { name: words }) };
}
const isWord = (label) => /\D/.test(label);

// The numbers in stacks, one for each place in the lines, so that what does not fit beside each other
// goes on below, and what belongs together stays together.
function groupOf(lines) {
  const names = lines.map(({ name, label }) => element("span", "", ...(name ? [name, " "] : []), label));
  // Mere numbers of places say no more than the order.
  const heads = lines.map((line) => line.heads).find((found) => found.some(isWord));
  const stacks = lines[0].numbers.map((_, at) => {
    const stack = lines.map(({ numbers }) => element("span", "", printed(numbers[at])));
    return element("span", "dock-stack", ...(heads ? [element("span", "dock-head", heads[at])] : []), ...stack);
  });
  const head = heads ? [element("span", "dock-head")] : [];
  return element(
    "div",
    "dock-group",
    element("div", "dock-names", ...head, ...names),
    element("div", "dock-numbers", ...stacks),
  );
}

const printed = (cell) => cell.querySelector("input")?.value ?? cell.querySelector(".number").textContent;

export function scalarsOf(item) {
  const scalars = [...item.querySelectorAll(".given-scalar")].map((scalar) => {
    const [name, value] = [scalar.querySelector("math"), scalar.querySelector("data")];
    return name ? element("span", "", name.cloneNode(true), `: ${value.textContent}`) : element("span", "", scalar.textContent);
  });
  return scalars.length ? [element("p", "dock-scalars", ...scalars)] : [];
}

export function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}
