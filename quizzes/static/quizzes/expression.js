// What is typed into the calculator, worked out. Touches no page, and evaluates no code.
//
//   sum      = product (("+" | "−") product)*
//   product  = signed (("×" | "÷") signed)*
//   signed   = ("+" | "−")* value ("^" signed)?
//   value    = number | "(" sum ")" | ("√" | "exp" | "ln") value

const LONGEST = 200;
const TOKEN = /\s*(?:(\d+[.,]?\d*(?:e[-+]?\d+)?|[.,]\d+(?:e[-+]?\d+)?)|([a-z]+)|(.))/giuy;
const SAME = new Map(Object.entries({ "-": "−", "*": "×", "·": "×", "/": "÷", sqrt: "√" }));
const FUNCTIONS = { "√": Math.sqrt, exp: Math.exp, ln: Math.log };

// Why it cannot be worked out: the key of a sentence, and the word it is about.
export class NoResult extends Error {
  constructor(key, word = "") {
    super(key);
    this.word = word;
  }
}

export function evaluate(typed) {
  if (typed.length > LONGEST) throw new NoResult("sum-too-long");
  const reader = new Reader(tokens(typed));
  const value = reader.sum();
  if (reader.next === ")") throw new NoResult("sum-no-opening");
  if (reader.next !== undefined) throw new NoResult("sum-no-sign", String(reader.next));
  return finite(value);
}

function tokens(typed) {
  const found = [];
  for (const [, number, name, sign] of typed.trimEnd().matchAll(TOKEN)) {
    const word = name?.toLowerCase() ?? sign;
    found.push(number ? Number(number.replace(",", ".")) : (SAME.get(word) ?? word));
  }
  return found;
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
    if (this.#take("(")) {
      const value = this.sum();
      if (!this.#take(")")) throw new NoResult("sum-no-closing");
      return value;
    }
    const name = this.#take(...Object.keys(FUNCTIONS));
    if (name) return this.#apply(name, this.value());
    if (next === undefined) throw new NoResult("sum-unfinished");
    if (/^[+−×÷^)]$/.test(next)) throw new NoResult("sum-no-number", next);
    throw new NoResult("sum-unknown", next);
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

// Eight figures, as the language writes them and a cell reads them.
export function inFigures(value) {
  const sign = document.documentElement.dataset.decimalSign ?? ".";
  return String(Number(value.toPrecision(8))).replace(".", sign);
}
