// Keyboard shortcuts: with Ctrl or ⌘ anywhere, and single letters outside of fields.

import { remember, remembered } from "../items/remembered.js";

const OFF = "softmark/letters-off";

export class Shortcuts {
  // Both map keys to actions: keys with Ctrl or ⌘, and keys alone.
  constructor(dialog, { chords, letters }) {
    this.dialog = dialog;
    this.chords = chords;
    this.letters = { ...letters, "?": () => this.show() };
    this.choice = dialog.querySelector("[data-letters]");
    this.choice.checked = remembered(OFF) !== "true";
    this.choice.addEventListener("change", () => remember(OFF, String(!this.choice.checked)));
    document.addEventListener("keydown", (event) => this.#press(event));
  }

  show() {
    if (!this.dialog.open) this.dialog.showModal();
  }

  close() {
    this.dialog.close();
  }

  #press(event) {
    if (event.isComposing || event.defaultPrevented || this.dialog.open) return;
    const act = this.#meant(event);
    if (!act) return;
    event.preventDefault();
    act();
  }

  #meant({ key, code, ctrlKey, metaKey, altKey, shiftKey, target }) {
    if (altKey) return ctrlKey || metaKey ? null : this.chords[`Alt+${code}`];
    if (ctrlKey || metaKey) return this.chords[shiftKey ? `Shift+${key}` : key];
    if (!this.choice.checked || target.closest("input[type=text], textarea, select, dialog")) return;
    return this.letters[key.toLowerCase()];
  }
}
