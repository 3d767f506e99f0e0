// A cell's calculation in MathML, with the result below it: as the server writes it out.

import { numberText } from "./arithmetic.js";

const MATHML = "http://www.w3.org/1998/Math/MathML";

function make(tag, children, attributes = {}) {
  const element = document.createElementNS(MATHML, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const sign = (text) => make("mo", [text]);

// A number as MathML, from a text such as −0.25; a negative one in brackets if `bracketed`.
function number(text, { bracketed = false } = {}) {
  const negative = /^[\u2212-]/.test(text);
  const digits = make("mn", [negative ? text.slice(1) : text]);
  if (!negative) return digits;
  const minus = make("mo", ["\u2212"], { lspace: "0", rspace: "0" });
  const bracket = (text) => make("mo", [text], { stretchy: "false" });
  return make("mrow", bracketed ? [bracket("("), minus, digits, bracket(")")] : [minus, digits]);
}

const joined = (terms) => terms.flatMap((term, i) => (i ? [sign("+"), ...term] : term));

// a₁·b₁ + a₂·b₂ + …
export const sumOfProducts = (left, right) =>
  joined(
    left.map((a, i) => [
      number(a, { bracketed: true }),
      make("mo", ["⋅"], { lspace: "0.2222em", rspace: "0.2222em" }),
      number(right[i], { bracketed: true }),
    ]),
  );

export const dividedByRoot = (score, width) => [
  make("mfrac", [number(score), make("msqrt", [make("mn", [String(width)])])]),
];

// One power of e divided by the sum over all keys that may be seen.
export function shareOfPowers(scores, place, temperature) {
  const power = (score) =>
    make("msup", [
      make("mi", ["e"]),
      make("mrow", temperature ? [number(score), sign("/"), number(temperature)] : [number(score)]),
    ]);
  const seen = scores.filter((score) => !score.endsWith("∞"));
  const sum = make("mrow", joined(seen.map((score) => [power(score)])));
  return [make("mfrac", [power(scores[place]), sum])];
}

export function writtenOut(calculation, result, decimals) {
  const text = numberText(result, decimals);
  const isExact = Math.abs(Number(text.replace("\u2212", "-").replace(",", ".")) - result) < 1e-12;
  const line = (left, right) =>
    make("mtr", [
      make("mtd", left, { class: "m-right m-flush-right" }),
      make("mtd", right, { class: "m-left m-flush-left" }),
    ]);
  const relation = [
    make("mo", [isExact ? "=" : "≈"], { lspace: "0", rspace: "0" }),
    make("mspace", [], { width: "0.2777778em" }),
  ];
  const lines = [line([], calculation), line(relation, [number(text)])];
  const table = make("mtable", lines, { displaystyle: "true", scriptlevel: "0" });
  return make("math", [table], { display: "block" });
}
