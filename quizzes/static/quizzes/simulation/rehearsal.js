// Shows the progress of a simulation, and at the end its result.

import { pause } from "../asking.js";

const shown = () => document.getElementById("rehearsal");
while (shown()?.hasAttribute("data-running")) {
  await pause(1000);
  try {
    const answer = await fetch(location.href, { credentials: "same-origin" });
    if (answer.redirected || !answer.ok) continue;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const next = page.getElementById("rehearsal");
    if (next) shown().replaceWith(next);
  } catch {
    // The server is unreachable: ask again.
  }
}
