// Normalizes the signs in typed numbers, without the DOM.
//
// Cells are read by the same tables: attention_core/grading/signs.py.

// Invisible characters: format characters and variation selectors.
const UNSEEN =
  /[\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{110bd}\u{110cd}\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]+/gu;
const DASHES = /[−‐‑‒–—―⸺⸻˗⁃־➖﹘﹣－ーｰ─]/g;
const SLASHES = /[⁄∕／]/g;
const FRACTION = /(?:(?<![0-9.,])([0-9]+)[ \u00a0\u2009\u202f]?)?([¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞↉])/g;
const EXPONENT = /(?<=[\p{L}\p{N}_)])[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+/gu;

export const withoutUnseen = (text) => text.replace(UNSEEN, "");

// The text as it would be typed on a plain keyboard.
export const inPlainSigns = (text) =>
  withoutUnseen(text)
    .replace(FRACTION, (_, whole, fraction) => `(${whole ? `${whole}+` : ""}${fraction.normalize("NFKC")})`)
    .replace(EXPONENT, (raised) => `^(${raised.normalize("NFKC")})`)
    .replace(DASHES, "-")
    .replace(SLASHES, "/");
