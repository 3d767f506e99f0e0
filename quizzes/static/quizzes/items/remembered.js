// What this browser remembers of how somebody likes the page; it may be forbidden to.

export function remembered(key, storage = "localStorage") {
  try {
    return window[storage].getItem(key);
  } catch {
    return null;
  }
}

export function remember(key, value, storage = "localStorage") {
  try {
    window[storage].setItem(key, value);
  } catch {
    // it holds for this page, then
  }
}
