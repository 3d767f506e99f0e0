// The core's arithmetic, for widgets that compute while the reader changes a number.
//
// A matrix is an array of rows. Results agree with attention_core, and texts with design/matrix.py,
// to the letter: tests/journeys/test_arithmetic.py compares them on random numbers.

const MINUS = "\u2212";
const point = () => document.documentElement.dataset.decimalSign ?? ".";
const HEAT_STEPS = 10;
const LONGEST = 64;
const LARGEST = 1e9;

export const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);

// The cosine of the angle between two vectors; NaN where one has no direction.
export const cosine = (a, b) => dot(a, b) / (Math.sqrt(dot(a, a)) * Math.sqrt(dot(b, b)));

// The angle between two vectors in degrees; NaN where one has no direction.
export const angle = (a, b) =>
  (Math.acos(Math.min(Math.max(cosine(a, b), -1), 1)) * 180) / Math.PI;

export const length = (a) => Math.sqrt(dot(a, a));

export const transpose = (A) => A[0].map((_, j) => A.map((row) => row[j]));

export function matmul(A, B) {
  const columns = transpose(B);
  return A.map((row) => columns.map((column) => dot(row, column)));
}

export const scale = (A, factor) => A.map((row) => row.map((x) => x * factor));

// Scores with −∞ where a query may not look: ahead of itself. The last query is at the last key.
export function maskFuture(scores) {
  const ahead = scores[0].length - scores.length;
  return scores.map((row, i) => row.map((s, j) => (j > i + ahead ? -Infinity : s)));
}

// Scores with −∞ wherever `mayLook`, a matrix of the same shape, is false.
export const mask = (scores, mayLook) =>
  scores.map((row, i) => row.map((s, j) => (mayLook[i][j] ? s : -Infinity)));

// One row of scores to weights that sum to 1. The weights of a row that is all −∞ are 0. The
// largest score is subtracted first, so that no exponential overflows.
export function softmax(row, temperature = 1) {
  const largest = Math.max(...row);
  if (largest === -Infinity) return row.map(() => 0);
  const powers = row.map((s) => Math.exp((s - largest) / temperature));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}

export const softmaxRows = (scores, temperature = 1) =>
  scores.map((row) => softmax(row, temperature));

// Scaled dot-product attention, with all intermediate results.
export function attention(Q, K, V, { scaled = true, causal = false, temperature = 1 } = {}) {
  const raw = matmul(Q, transpose(K));
  const scores = scaled ? scale(raw, 1 / Math.sqrt(Q[0].length)) : raw;
  const masked = causal ? maskFuture(scores) : scores;
  const weights = softmaxRows(masked, temperature);
  return { raw, scores, masked, weights, output: matmul(weights, V) };
}

// The shortest text that reads back as the value, without an exponent.
export function plainNumber(value) {
  if (Number.isInteger(value)) return String(BigInt(value));
  const [digits, exponent] = String(Math.abs(value)).split("e-");
  const text = exponent ? `0.${"0".repeat(exponent - 1)}${digits.replace(".", "")}` : digits;
  return value < 0 ? `-${text}` : text;
}

// The value as printed: a real minus sign, no minus zero, the language's decimal point.
export function numberText(value, decimals = null) {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : `${MINUS}∞`;
  const text = decimals === null ? plainNumber(Math.abs(value)) : rounded(Math.abs(value), decimals);
  return (value < 0 && /[1-9]/.test(text) ? MINUS : "") + text.replace(".", point());
}

// Like toFixed, but an exact half rounds to the even digit, as in Python.
function rounded(value, decimals) {
  const text = value.toFixed(decimals);
  const point = text.length + (decimals ? 0 : 1);
  const isHalf = /^50*$/.test(value.toFixed(100).slice(point));
  const last = Number(text.at(-1));
  return isHalf && last % 2 ? text.slice(0, -1) + (last - 1) : text;
}

// The step of the heat scale, 0 to 9, of a value.
export function heatLevel(value, low = 0, high = 1) {
  if (Number.isNaN(value)) return 0;
  const share = Math.min(Math.max((value - low) / (high - low), 0), 1);
  return Math.min(Math.trunc(share * HEAT_STEPS), HEAT_STEPS - 1);
}

// The number that was typed, or null. Accepts the notations that answers may use: a decimal point
// or comma, any minus sign, a power of ten, a fraction.
export function readNumber(text) {
  if (text.length > LONGEST) return null;
  const parts = text.trim().replaceAll(MINUS, "-").split("/");
  if (parts.length > 2 || !parts.every(isDecimal)) return null;
  const [value, divisor = 1] = parts.map((part) => Number(part.replace(",", ".")));
  const result = value / divisor + 0; // −0 is 0
  return Math.abs(result) < LARGEST ? result : null;
}

const isDecimal = (text) => /^[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?$/.test(text);
