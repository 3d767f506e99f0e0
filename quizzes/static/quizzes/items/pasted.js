// Pasted text as a table of numbers. Touches no page.
//
// From a spreadsheet (tabs), NumPy's print, nested lists, or numbers parted by commas, semicolons
// or spaces, in quotes or not. A lone comma is a decimal comma, as it is in an answer.

const LONGEST = 20_000; // characters, of which a number has so many at most:
const LONGEST_NUMBER = 64;
const NUMBER = /^[-+−]?(\d+[.,]?\d*|[.,]\d+)(e[-+]?\d+)?(\/[-+−]?\d+([.,]\d+)?)?%?$/i;
const SCALAR = /\bnp\.float\d+\(([^()]*)\)/g; // as NumPy prints the numbers in a list
const BETWEEN_QUOTES = /(["']) ?[,;] ?\1/g;
const QUOTED = /(["'])([^"'\n]*)\1/g;
const THOUSANDS = /^[-+−]?\d{1,3}(,\d{3})+\.\d*$/;

// {rows}, or {error} with what is wrong and {word} about which; null for what is no table.
export function readPasted(pasted) {
  if (pasted.length > LONGEST) return { error: "paste-too-large" };
  const text = pasted
    .replace(/\u00a0/g, " ")
    .replace(SCALAR, "$1")
    .replace(BETWEEN_QUOTES, "$1\t$1")
    .replace(QUOTED, "$2");
  const bare = text.trim();
  if (THOUSANDS.test(bare)) return null;
  const rows = /^([\w.]*\(\s*)?[[(]/.test(bare) ? bracketed(bare) : lines(text);
  if (!rows) return { error: "paste-no-table" };
  const cells = rows.flat();
  const numbers = cells.filter(isNumber);
  if (cells.length < 2 || numbers.length === 0) return null;
  const odd = cells.find((cell) => cell && !isNumber(cell));
  if (odd !== undefined) return { error: "paste-no-number", word: odd.slice(0, 20) };
  if (rows.some((row) => row.length !== rows[0].length)) return { error: "paste-ragged" };
  return { rows };
}

const isNumber = (cell) => cell.length <= LONGEST_NUMBER && NUMBER.test(cell);

function lines(text) {
  // Semicolons end rows where spaces part the numbers, and part them elsewhere.
  const spaced = !text.includes("\t") && /[^\s;] +[^\s;]/.test(text);
  // Tabs part cells also where these are empty.
  const found = text.split(spaced ? /\r\n|[\r\n;]/ : /\r\n|[\r\n]/).filter((line) => line.trim() || line.includes("\t"));
  // Two commas in a line, or a comma beside points, and commas part; else they are decimal.
  const commasPart = found.some((line) => /,.*,/.test(line) || (/,/.test(line) && /\./.test(line)));
  return found.map((line) => cellsOf(line, commasPart));
}

function cellsOf(line, commasPart) {
  if (line.includes("\t")) return trimmed(line.split("\t"));
  if (line.includes(";")) return trimmed(line.trim().replace(/;$/, "").split(";"));
  const words = line.trim();
  if (/\s/.test(words)) return words.split(/,\s+|\s+,?/).filter(Boolean);
  return commasPart ? trimmed(words.replace(/,$/, "").split(",")) : [words];
}

const trimmed = (cells) => cells.map((cell) => cell.trim());

// [[0.1, 0.2], [0.3, 0.4]] or the same without commas, in array(…) or not; a long row may be
// broken over lines. [1 2; 3 4] has its rows parted by semicolons.
function bracketed(text) {
  const bare = text
    .replace(/^[\w.]*\(\s*(?=\[)/, "")
    .replace(/\](\s*,\s*\w+\s*=[^\]]*)?\)$/, "]")
    .replace(/\(/g, "[")
    .replace(/\)/g, "]");
  if (!/^\[[^[\]]*(\[[^[\]]*\][^[\]]*)*\],?$/.test(bare)) return null;
  const inner = [...bare.slice(1).matchAll(/\[([^[\]]*)\]/g)].map(([, row]) => row);
  if (inner.length) return inner.map((row) => inBrackets(row));
  const row = bare.replace(/^\[|\],?$/g, "");
  const parts = row.split(";").map((part) => inBrackets(part, row.includes(";")));
  return parts.every((part) => part.length === 1) ? [parts.flat()] : parts;
}

function inBrackets(row, decimalCommas = false) {
  const words = row.trim();
  if (words.includes(";")) return trimmed(words.split(";"));
  if (/\s/.test(words)) return cellsOf(words.replace(/\s+/g, " "), true);
  return decimalCommas ? [words] : trimmed(words.replace(/,$/, "").split(","));
}
