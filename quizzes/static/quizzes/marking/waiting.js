// Polls every half second until the attempt is marked, then shows the results.

import { ask, pause } from "../asking.js";

const line = document.querySelector("[data-waiting]");
const since = performance.now();
for (let wait = 150; line; wait = 500) {
  // A single submission is often marked before this page is loaded.
  await pause(wait);
  const { body } = await ask(line.dataset.status);
  if (body.state && body.state !== "waiting") {
    location.reload();
    break;
  }
  if (performance.now() - since > 10_000) {
    const { longer } = line.dataset;
    if (line.textContent !== longer) line.textContent = longer;
  }
}
