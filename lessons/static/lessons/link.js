// Links that store a widget's state: numbers in the page's query, which the server ignores.

import { plainNumber, readNumber } from "./arithmetic.js";

const BETWEEN = "_";

// The numbers under this key in the page's URL; null if there are none, and an empty list if there
// are not as many as expected.
export function numbersInLink(key, count) {
  const text = new URLSearchParams(location.search).get(key);
  if (text === null) return null;
  const numbers = text.split(BETWEEN).map(readNumber);
  return numbers.length === count && !numbers.includes(null) ? numbers : [];
}

// Writes the numbers into the page's URL and copies it. Returns whether copying worked.
export async function keepInLink(key, numbers) {
  const url = new URL(location.href);
  url.searchParams.set(key, numbers.map(plainNumber).join(BETWEEN));
  url.hash = key;
  history.replaceState(history.state, "", url);
  try {
    await navigator.clipboard.writeText(url.href);
    return true;
  } catch {
    return false; // the browser may deny access to the clipboard
  }
}
