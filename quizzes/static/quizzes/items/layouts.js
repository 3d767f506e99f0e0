// The ways in which a pasted text may be read as rows of cells, without the DOM.
//
// From a spreadsheet (tabs), NumPy's print, nested lists, MATLAB, C, LaTeX, Markdown, or numbers
// separated by commas, semicolons or spaces, in quotes or not.

const SCALAR = /\b(?:np|numpy)\.(?:float|int)\d+\(([^()]*)\)/g; // as NumPy prints numbers in a list
const QUOTED = /(^|[\s,;[({|])(["'])([^"'\n]*)\2(?=$|[\s,;\])}|])/g;
const ARRAY = /^(?:\w+\.)*(?:as)?(?:array|matrix|tensor)\s?\(/i;
const AFTER_ARRAY = /^(?: ?, ?\w+ ?= ?[^\s,()[\]{}]+)* ?,? ?\)$/; // as in dtype=float32
const MATRIX =
  /^\$*(?:\\\[)? ?(?:\\left ?\\?[[({|.])? ?\\begin ?\{([a-zA-Z]*matrix|array|tabular)\}(?: ?\{[lcr| ]*\})?(.*)\\end ?\{\1\} ?(?:\\right ?\\?[\])}|.])? ?(?:\\\])?\$*[.,]?$/;
const CLOSING = { "[": "]", "(": ")", "{": "}" };
const SEPARATORS = /^[\s,;]*$/;
// Separators within quotes belong to the number.
const PARTING = ",; ";
const KEPT = "\ue000\ue001\ue002";

// Returns the layouts, the likeliest first: each has {rows}, or an {error} and the {word} it is
// about.
export function layoutsOf(text) {
  const marked = text
    .replace(/[\ue000-\ue002]/g, "\ufffd")
    .replace(SCALAR, "$1")
    .replace(QUOTED, (_, before, _quote, within) => before + keep(within.trim()));
  return found(marked).map((layout) => {
    if (layout.word) return { ...layout, word: asTyped(layout.word) };
    if (!layout.rows) return layout;
    return { ...layout, rows: layout.rows.map((row) => row.map(asTyped)) };
  });
}

const keep = (text) => text.replace(/[,; ]/g, (sign) => KEPT[PARTING.indexOf(sign)]);
const asTyped = (text) => text.replace(/[\ue000-\ue002]/g, (sign) => PARTING[KEPT.indexOf(sign)]);

function found(text) {
  const bare = text.trim();
  const lines = text.split("\n").filter((line) => line.trim() || line.includes("\t"));
  if (!bare && !text.includes("\t")) return [];
  if (lines.every((line) => line.includes("|")) && !bare.includes("\\")) return markdown(lines);
  if (/&|\\begin\b|\\\\/.test(bare)) return [latex(bare.replace(/\s+/g, " "))];
  if (CLOSING[bare[0]] || ARRAY.test(bare)) return inBrackets(bare);
  if (text.includes("\t")) return [{ rows: lines.map(byTabs) }];
  return inLines(lines.map(tidied).join("\n"));
}

// Cells of a row ----------------------------------------------------------------------------------

const tidied = (text) => text.replace(/\s+/g, " ").trim();
const trimmed = (cells) => cells.map((cell) => cell.trim());
const withoutLastComma = (row) => row.replace(/ ?,$/, "");
const byTabs = (row) => trimmed(row.split("\t"));
const bySemicolons = (row) => trimmed(row.split(";"));
// A comma beside a space separates numbers; any other is a decimal comma.
const bySpaces = (row) => withoutLastComma(row).split(/ ?, | ,| /);
const byCommas = (row) => trimmed(withoutLastComma(row).split(","));

// Rows by lines, or by semicolons too ----------------------------------------------------------

// Semicolons separate the cells of a line, or rows of several cells each.
function inLines(text) {
  const lines = text.split("\n").map((line) => line.replace(/ ?;$/, ""));
  if (!lines.some((line) => line.includes(";"))) return spacesOrCommas(lines);
  const byCells = { rows: lines.map(bySemicolons) };
  const parts = lines.join(";").split(";").map(tidied);
  const [spaces, commas] = spacesOrCommas(parts);
  if (parts.some((part) => part.includes(" "))) return [spaces, commas, byCells];
  return lines.length === 1 && parts.every((part) => part.includes(",")) ? [byCells, commas] : [byCells];
}

const spacesOrCommas = (rows) => [{ rows: rows.map(bySpaces) }, { rows: rows.map(byCommas) }];

// Markdown ---------------------------------------------------------------------------------------

const isRule = (row) => row.every((cell) => /^:?-+:?$/.test(cell));

// With its heading row, if there is one: of words, or possibly of numbers.
function markdown(lines) {
  const rows = lines.map((line) => trimmed(line.trim().replace(/^\||\|$/g, "").split("|")));
  if (rows.length < 3 || !isRule(rows[1])) return [{ rows }];
  const [head, , ...body] = rows;
  const named = head.filter(Boolean).join(", ");
  if (!named) return [{ rows: body }];
  const below = { rows: body, left: named };
  return /^[^a-z]*$/i.test(named) ? [{ rows: [head, ...body] }, below] : [below];
}

// LaTeX -------------------------------------------------------------------------------------------

function latex(text) {
  const body = (text.match(MATRIX)?.[2] ?? text)
    .replace(/\\(?:hline|toprule|midrule|bottomrule)\b/g, "")
    .replaceAll("{,}", ",")
    .replace(/\\[dt]?frac ?\{(\d+)\} ?\{(\d+)\}/g, "$1/$2");
  const rows = body.split(/\\\\(?:\[[^\]\\]*\])?/).map((row) => trimmed(row.split("&")));
  if (rows.length > 1 && rows.at(-1).join("") === "") rows.pop();
  return { rows };
}

// Brackets --------------------------------------------------------------------------------------

// [[0.1, 0.2], [0.3, 0.4]] or the same without commas, in array(…) or not; a long row may be broken
// over lines. In [1 2; 3 4] semicolons separate the rows.
function inBrackets(text) {
  const call = text.match(ARRAY)?.[0] ?? "";
  const tree = treeOf(text.slice(call.length), call !== "");
  if (!tree) return [{ error: "paste-no-table" }];
  const groups = tree.length === 1 ? groupsIn(tree[0]) : tree;
  const between = tree.length === 1 ? textsIn(tree[0]) : [];
  if (groups.length === 0) return oneBracket(between.join(""), { inBrackets: text[0] !== "(" || call !== "" });
  const odd = between.find((piece) => !SEPARATORS.test(piece));
  if (odd !== undefined) return [noNumber(odd)];
  if (groups.some((group) => groupsIn(group).length)) return [{ error: "paste-no-table" }];
  return nested(groups.map((group) => tidied(textsIn(group).join(""))));
}

const noNumber = (piece) => ({ error: "paste-no-number", word: tidied(piece).slice(0, 20) });
const groupsIn = (group) => group.filter((piece) => typeof piece !== "string");
const textsIn = (group) => group.filter((piece) => typeof piece === "string");

// The bracketed groups, each a list of texts and groups. Null if they are not all closed, or if
// anything but separators is beside them.
function treeOf(text, isCalled) {
  const around = [[]];
  const closing = [];
  const pieces = text.split(/([[\](){}])/);
  for (const [at, piece] of pieces.entries()) {
    if (isCalled && closing.length === 0 && around[0].length && piece !== "") {
      const rest = tidied(pieces.slice(at).join(""));
      return AFTER_ARRAY.test(rest) ? around[0] : null;
    }
    if (CLOSING[piece]) {
      const group = [];
      around.at(-1).push(group);
      around.push(group);
      closing.push(CLOSING[piece]);
    } else if (/^[\])}]$/.test(piece)) {
      if (closing.pop() !== piece) return null;
      around.pop();
    } else if (closing.length) {
      around.at(-1).push(piece);
    } else if (!SEPARATORS.test(piece)) {
      return null;
    }
  }
  return isCalled || closing.length || around[0].length === 0 ? null : around[0];
}

function nested(rows) {
  if (rows.some((row) => row.includes(";"))) return [{ rows: rows.map(bySemicolons), inBrackets: true }];
  const layouts = rows.some((row) => row.includes(" ")) ? spacesOrCommas(rows) : [{ rows: rows.map(byCommas) }];
  return layouts.map((layout) => ({ ...layout, inBrackets: true }));
}

function oneBracket(text, kind) {
  const bare = text.trim().replace(/;$/, "");
  if (!bare) return [];
  const row = tidied(bare);
  const isParted = row.includes(";");
  const byLines = bare.split(/;\s*|\n/).map(tidied).filter(Boolean);
  const layouts = isParted ? inParts(row) : row.includes(" ") ? spacesOrCommas([row]) : [{ rows: [byCommas(row)] }];
  if (bare.includes("\n")) layouts.push(...spacesOrCommas(byLines));
  return layouts.map((layout) => ({ ...layout, ...kind }));
}

// Commas separate the cells of such rows if that makes all of them as wide as the grid.
function inParts(row) {
  const parts = trimmed(row.split(";"));
  const [spaces, commas] = spacesOrCommas(parts);
  const inOneRow = { rows: [parts] };
  commas.partsRows = true;
  return parts.some((part) => part.includes(" ")) ? [spaces, commas, inOneRow] : [inOneRow, commas, spaces];
}
