// Previews a regrade's effect as its values change, and shows the progress of one being applied.

import { pause } from "../asking.js";

const SETTLE = 250;
const PERIOD = 1000;

async function bring(url, id, stillWanted = () => true) {
  try {
    const answer = await fetch(url, { credentials: "same-origin" });
    if (answer.redirected || !answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const next = page.getElementById(id);
    if (!stillWanted()) return;
    if (next) document.getElementById(id).replaceChildren(...next.childNodes);
    return next;
  } catch {
    // The server is unreachable: the next change asks again.
  }
}

const form = document.querySelector("[data-what-if]");
let wanted = 0;

async function ask() {
  const mine = ++wanted;
  await pause(SETTLE);
  if (mine !== wanted) return;
  const values = new URLSearchParams(new FormData(form));
  values.delete("csrfmiddlewaretoken");
  values.delete("reason");
  await bring(`${location.pathname}?${values}`, "what-if", () => mine === wanted);
}

form?.addEventListener("input", (event) => {
  if (event.target.name !== "reason") ask();
});

const state = document.getElementById("ruling-state");
while (state?.hasAttribute("data-moves")) {
  await pause(PERIOD);
  const next = await bring(location.href, "ruling-state");
  if (next && !next.hasAttribute("data-moves")) location.reload();
}
