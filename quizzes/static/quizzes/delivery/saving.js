// Saves one question: soon after a change, one save at a time, retried until it is stored.

import { isLoggedOut, postJson } from "../asking.js";

const QUIET = 600; // milliseconds after the last key
const AT_MOST = 1500; // milliseconds after the first, so that it is stored within two seconds
const LONGEST_PAUSE = 8000;

export class Saver {
  // Why saving has stopped until the student acts: "conflict", "closed", or "refused", which is
  // retried after more typing or a login in another window.
  halted = "";
  // Why the last try failed, while it is retried: "offline", "logged-out".
  trouble = "";
  savedAt = null;
  #underway = null;
  #running = null;
  #timer = 0;
  #firstChange = 0;

  constructor(question, keeper, { onChange, onStored, onConflict }) {
    this.question = question;
    this.keeper = keeper;
    this.onChange = onChange;
    this.onStored = onStored;
    this.onConflict = onConflict;
    this.stored = JSON.stringify(question.served);
    question.fieldset.addEventListener("input", () => this.changed());
    addEventListener("focus", () => {
      if (this.halted === "refused") this.flush();
    });
  }

  get waits() {
    return this.#underway !== null || JSON.stringify(this.question.fields) !== this.stored;
  }

  changed() {
    this.#keep();
    const now = performance.now();
    this.#firstChange ||= now;
    clearTimeout(this.#timer);
    const delay = Math.min(QUIET, this.#firstChange + AT_MOST - now);
    this.#timer = setTimeout(() => this.flush(), Math.max(0, delay));
    this.onChange();
  }

  // Resolves once everything typed is stored, or cannot be.
  flush() {
    clearTimeout(this.#timer);
    this.#firstChange = 0;
    if (this.halted === "refused") this.halted = "";
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
      this.onChange();
    });
    return this.#running;
  }

  async #run() {
    for (let tries = 0; this.waits && !this.halted; ) {
      // Retry the same save until its receipt arrives: another could be refused because of the
      // first.
      this.#underway ??= this.#freeze();
      this.#keep();
      const { status, body } = await postJson(this.question.saveUrl, this.#underway);
      // A proxy may answer in place of the server, so only a receipt of this save, or a refusal in
      // the server's format, counts.
      if (status === 200 && body.token === this.#underway.token) {
        tries = 0;
        this.#accept(body);
      } else if (status === 409 && body.stored) {
        this.#underway = null;
        this.conflict(body.stored);
      } else if (status === 409 && body.results) {
        this.halted = "closed";
      } else if ((status === 400 || status === 404) && body.error) {
        this.halted = "refused";
        // The next save may be valid even if this one is not. A 404 means that somebody else is
        // logged in now; the student may log in again in another window.
        if (status === 400) this.#underway = null;
        else this.#timer = setTimeout(() => this.flush(), LONGEST_PAUSE);
      } else {
        this.trouble = isLoggedOut(status) ? "logged-out" : "offline";
        this.onChange();
        await pause(Math.min(500 * 2 ** tries++, LONGEST_PAUSE));
      }
    }
  }

  #freeze() {
    const { revision, fields } = this.question;
    return { revision, token: crypto.randomUUID().slice(-12), fields };
  }

  #accept(receipt) {
    const { fields } = this.#underway;
    this.#underway = null;
    this.trouble = "";
    this.stored = JSON.stringify(fields);
    this.savedAt = new Date(receipt.saved_at);
    this.question.standOn(receipt);
    this.question.showNotes(receipt.notes, fields);
    this.#keep();
    this.onStored(this, receipt);
  }

  // A newer draft is stored: send nothing until the student has chosen.
  conflict(stored) {
    if (JSON.stringify(stored.fields) === JSON.stringify(this.question.fields)) {
      this.#standOn(stored);
      return;
    }
    this.halted = "conflict";
    this.onConflict(this, stored);
  }
  keepMine(stored) {
    this.#standOn(stored);
    this.flush();
  }
  takeStored(stored) {
    this.question.fields = stored.fields;
    this.#standOn(stored);
  }
  #standOn(stored) {
    this.halted = "";
    this.trouble = "";
    if (stored.saved_at) this.savedAt = new Date(stored.saved_at);
    this.question.standOn(stored);
    this.stored = JSON.stringify(stored.fields);
    if (stored.notes) this.question.showNotes(stored.notes, stored.fields);
    this.#keep();
    this.onStored(this, stored);
    this.onChange();
  }

  // Restores this browser's copy if the server does not have it. Returns whether there was one.
  restore() {
    const kept = this.keeper.read(this.question.position);
    // The student may have typed before this script was loaded.
    if (this.waits) this.changed();
    if (this.waits || !kept || JSON.stringify(kept.fields) === this.stored) {
      this.#keep();
      return false;
    }
    const { revision, token, fields } = this.question;
    this.question.fields = kept.fields;
    if (kept.revision === revision || (token && kept.underway === token)) {
      this.changed();
    } else {
      this.conflict({ revision, token, fields });
    }
    return true;
  }

  #keep() {
    const { position, revision, fields } = this.question;
    const underway = this.#underway?.token ?? "";
    if (this.waits) this.keeper.keep(position, { revision, underway, fields });
    else this.keeper.drop(position);
  }
}

// A pause that ends early when the browser is online again or the page regains the focus.
const pause = (milliseconds) =>
  new Promise((done) => {
    const signal = AbortSignal.timeout(milliseconds);
    signal.addEventListener("abort", done);
    for (const sign of ["online", "focus"]) addEventListener(sign, done, { once: true, signal });
  });

// Keeps a copy in this browser of answers that the server does not have yet.
export class Keeper {
  constructor(user, attempt) {
    this.prefix = `softmark/${user}/${attempt}/`;
  }

  keep(position, copy) {
    try {
      localStorage.setItem(this.prefix + position, JSON.stringify(copy));
    } catch {
      // storage is full or forbidden; the answer is still sent
    }
  }

  read(position) {
    try {
      return JSON.parse(localStorage.getItem(this.prefix + position));
    } catch {
      return null;
    }
  }

  drop(position) {
    try {
      localStorage.removeItem(this.prefix + position);
    } catch {
      // storage is forbidden, so there is no copy
    }
  }
}
