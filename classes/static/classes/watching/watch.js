// Live updates of the monitoring page: the text of its cells, never the order of its lines.

import { ask, pause } from "../../quizzes/asking.js";

const PERIOD = 5000;
const LONGEST = 60_000;

// A changed filter replaces the lines and the status.
let status;
let rows;

function look() {
  status = document.querySelector("[data-live]");
  rows = new Map(
    [...document.querySelectorAll("[data-line]")].map((row) => [row.dataset.line, row]),
  );
}
look();
document.addEventListener("filtered", look);

function address() {
  const wanted = new URLSearchParams(location.search);
  for (const key of rows.keys()) wanted.append("line", key);
  return `${status.dataset.live}?${wanted}`;
}

function say(words) {
  if (status.textContent !== words) status.textContent = words;
}

function put(cell, words) {
  if (cell && cell.textContent !== words) cell.textContent = words;
}

function show({ counts, lines }) {
  for (const [state, count] of Object.entries(counts)) {
    put(document.querySelector(`[data-count="${state}"]`), String(count));
  }
  for (const [key, { state, ...cells }] of Object.entries(lines)) {
    const row = rows.get(key);
    if (!row) continue;
    row.dataset.state = state;
    for (const [name, words] of Object.entries(cells)) {
      put(row.querySelector(`[data-cell="${name}"]`), words);
    }
  }
}

function visible() {
  if (!document.hidden) return null;
  return new Promise((done) => {
    document.addEventListener("visibilitychange", done, { once: true });
  });
}

for (let wait = PERIOD; status; ) {
  // At a random time, because several people may watch one class.
  await pause(wait * (0.8 + 0.4 * Math.random()));
  await visible();
  const { status: code, body } = await ask(address());
  if (code === 200 && body.lines) {
    show(body);
    say(status.dataset.fresh);
    wait = PERIOD;
  } else if (code >= 400 && code < 429) {
    say(status.dataset.refused);
    break;
  } else {
    say(code === 200 ? status.dataset.refused : status.dataset.stale);
    if (code === 200) break; // redirected to the login
    wait = Math.min(2 * wait, LONGEST);
  }
}
