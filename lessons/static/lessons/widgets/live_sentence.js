// Sends the reader's sentence to the model, and shows where its words look once it is read.

import { bringToLife } from "./attention_map.js";

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// The server's answer; undefined if there is none.
async function ask(url, options = {}) {
  try {
    const signal = AbortSignal.timeout(10_000);
    const answer = await fetch(url, { headers: { Accept: "application/json" }, signal, ...options });
    return await answer.json();
  } catch {
    return null;
  }
}

class LiveSentence {
  constructor(figure) {
    this.form = figure.querySelector("form");
    this.result = figure.querySelector(".sentence-result");
    this.asked = 0;
    this.form?.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    if (this.result?.dataset.waiting) this.wait(this.result.dataset.waiting);
  }

  async send() {
    const body = new URLSearchParams(new FormData(this.form));
    const asked = ++this.asked; // an older answer must not overtake a newer one
    const answer = await ask(this.form.action, { method: "POST", body });
    if (asked !== this.asked) return;
    this.show(answer);
    if (answer?.state === "waiting") this.wait(answer.url);
  }

  // Polls soon at first, because most sentences are read at once, then less and less often.
  async wait(url) {
    const asked = this.asked;
    const since = performance.now();
    for (let gap = 40; ; gap = Math.min(gap * 1.5, 1000)) {
      await pause(gap);
      const answer = await ask(url);
      if (asked !== this.asked) return;
      if (answer?.state !== "waiting") return void this.show(answer);
      if (performance.now() - since > 10_000) this.say(this.form.dataset.slow);
    }
  }

  show(answer) {
    if (!answer) return void this.say(this.form.dataset.lost);
    this.result.innerHTML = answer.html;
    bringToLife(this.result);
  }

  say(text) {
    if (this.result.textContent === text) return;
    const line = document.createElement("p");
    line.className = "sentence-message";
    line.append(text);
    this.result.replaceChildren(line);
  }
}

for (const figure of document.querySelectorAll(".live-sentence")) new LiveSentence(figure);
