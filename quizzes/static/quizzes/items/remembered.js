// Preferences kept in this browser's storage, which may be forbidden.

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
    // then the preference lasts for this page only
  }
}
