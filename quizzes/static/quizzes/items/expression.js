// Evaluates what is typed into the calculator, without the DOM and without executing code.
//
//   sum      = product (("+" | "−") product)*
//   product  = signed (("×" | "÷") signed)*
//   signed   = ("+" | "−")* value ("^" signed)?
//   value    = number | "e" | "π" | "(" sum ")" | function ("+" | "−")* value
//   function = "√" | "exp" | "ln" | "sin" | "cos"
//
// Cells are read by the same grammar: attention_core/grading/expression.py.

import { inPlainSigns } from "./signs.js";

const LONGEST = 200;
const TOKEN = /\s*(?:([.,]?\d[\d.,]*(?:e[-+]?\d+)?)|([a-z]+|\*\*|.))/giuy;
const SAME = new Map(
  Object.entries({ "-": "−", "*": "×", "·": "×", "/": "÷", "**": "^", sqrt: "√", pi: "π" }),
);
const FUNCTIONS = { "√": Math.sqrt, exp: Math.exp, ln: Math.log, sin: Math.sin, cos: Math.cos };
const NAMES = Object.keys(FUNCTIONS);
const CONSTANTS = { e: Math.E, π: Math.PI };
const KNOWN = [..."+−×÷^()", ...Object.keys(CONSTANTS), ...NAMES];

// Why a sum has no result: the key of a sentence, and the word it is about.
export class NoResult extends Error {
  constructor(key, word = "") {
    super(key);
    this.word = word;
  }
}

export function evaluate(typed) {
  if (typed.length > LONGEST) throw new NoResult("sum-too-long");
  const reader = new Reader(tokens(inPlainSigns(typed)));
  const value = reader.sum();
  if (reader.next === ")") throw new NoResult("sum-no-opening");
  if (reader.next !== undefined) throw new NoResult("sum-no-sign", String(reader.next));
  return finite(value);
}

function tokens(typed) {
  const found = [...typed.trimEnd().matchAll(TOKEN)];
  return found.map(([, number, other]) => (number ? numberOf(number) : known(other)));
}

function numberOf(typed) {
  if (/[.,].*[.,]/.test(typed)) throw new NoResult("sum-decimal-signs", typed);
  return Number(typed.replace(",", "."));
}

function known(typed) {
  const word = typed.toLowerCase();
  const meant = SAME.get(word) ?? word;
  if (KNOWN.includes(meant)) return meant;
  throw new NoResult("sum-unknown", typed);
}

class Reader {
  #at = 0;

  constructor(words) {
    this.words = words;
  }

  get next() {
    return this.words[this.#at];
  }

  #take(...signs) {
    return signs.includes(this.next) ? this.words[this.#at++] : null;
  }

  sum() {
    let value = this.product();
    for (let sign; (sign = this.#take("+", "−")); ) {
      const right = this.product();
      value = sign === "+" ? value + right : value - right;
    }
    return value;
  }

  product() {
    let value = this.signed();
    for (let sign; (sign = this.#take("×", "÷")); ) {
      const right = this.signed();
      if (sign === "÷" && right === 0) throw new NoResult("sum-by-zero");
      value = sign === "×" ? value * right : value / right;
    }
    return value;
  }

  // As on paper: −2^2 is −4, and 2^−1 is a half.
  signed() {
    const sign = this.#take("+", "−");
    if (sign) return sign === "−" ? -this.signed() : this.signed();
    const base = this.value();
    return this.#take("^") ? base ** this.signed() : base;
  }

  value() {
    const { next } = this;
    if (typeof next === "number") return this.words[this.#at++];
    const constant = this.#take(...Object.keys(CONSTANTS));
    if (constant) return CONSTANTS[constant];
    if (this.#take("(")) {
      const value = this.sum();
      if (!this.#take(")")) throw new NoResult("sum-no-closing");
      return value;
    }
    const name = this.#take(...NAMES);
    if (name) return this.#apply(name, this.argument());
    throw next ? new NoResult("sum-no-number", next) : new NoResult("sum-unfinished");
  }

  // A sign applies to its value alone: exp −2 ÷ 2 halves exp(−2).
  argument() {
    const sign = this.#take("+", "−");
    if (!sign) return this.value();
    return sign === "−" ? -this.argument() : this.argument();
  }

  #apply(name, value) {
    if (name === "√" && value < 0) throw new NoResult("sum-root");
    if (name === "ln" && value <= 0) throw new NoResult("sum-ln");
    return FUNCTIONS[name](value);
  }
}

function finite(value) {
  if (Number.isNaN(value)) throw new NoResult("sum-undefined");
  if (!Number.isFinite(value)) throw new NoResult("sum-too-large");
  return value;
}

// The value in eight figures, in the language's notation, which cells can read.
export function inFigures(value) {
  const sign = document.documentElement.dataset.decimalSign ?? ".";
  return String(Number(value.toPrecision(8))).replace(".", sign);
}
