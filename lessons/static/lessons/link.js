// A link that keeps what a widget was set to: numbers in the page's query, which the server ignores.

import { plainNumber, readNumber } from "./arithmetic.js";

const BETWEEN = "_";

// The numbers that the page's address keeps under this key; null where there are none, and an
// empty list where they are not as many as there should be.
export function numbersInLink(key, count) {
  const text = new URLSearchParams(location.search).get(key);
  if (text === null) return null;
  const numbers = text.split(BETWEEN).map(readNumber);
  return numbers.length === count && !numbers.includes(null) ? numbers : [];
}

// Keeps the numbers in the page's address, copies that, and says whether copying worked.
export async function keepInLink(key, numbers) {
  const url = new URL(location.href);
  url.searchParams.set(key, numbers.map(plainNumber).join(BETWEEN));
  url.hash = key;
  history.replaceState(history.state, "", url);
  try {
    await navigator.clipboard.writeText(url.href);
    return true;
  } catch {
    return false; // not everywhere may a page write to the clipboard
  }
}
