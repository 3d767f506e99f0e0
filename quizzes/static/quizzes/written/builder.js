// The builder of problems: line numbers, a variant without leaving the page, a proof's progress.

import { pause } from "../asking.js";

const builder = document.querySelector("[data-builder]");
const text = builder?.querySelector(".pw-text");
const part = (id) => document.getElementById(id);

// A frame as high as its page, in the colours of the page around it.
function fit(frame) {
  const root = frame.contentDocument?.documentElement;
  if (!root) return;
  root.dataset.theme = document.documentElement.classList.contains("dark") ? "dark" : "light";
  frame.style.blockSize = `${frame.contentDocument.body.scrollHeight + 24}px`;
}
function fitFrames() {
  for (const frame of document.querySelectorAll(".pw-frame")) {
    frame.addEventListener("load", () => fit(frame));
    fit(frame);
  }
}
fitFrames();
addEventListener("resize", () => document.querySelectorAll(".pw-frame").forEach(fit));

// One number for each line, the faulty one marked.
function number() {
  const gutter = builder.querySelector("[data-gutter]");
  const lines = text.value.split("\n").length;
  const faulty = Number(part("pw-fault")?.dataset.line ?? 0);
  gutter.replaceChildren(
    ...Array.from({ length: lines }, (_, at) => {
      const line = document.createElement("li");
      line.textContent = String(at + 1);
      line.classList.toggle("pw-faulty", at + 1 === faulty);
      return line;
    }),
  );
  text.rows = Math.max(lines + 1, 18);
  builder.parentElement.querySelector("[data-begin]").hidden = text.value.trim() !== "";
}

// Put an example where the cursor is; a whole line, after the cursor's.
function put(example, isLine) {
  if (isLine) {
    const before = text.value.slice(0, text.selectionStart);
    const rest = text.value.slice(text.selectionStart);
    const isBegun = before !== "" && !before.endsWith("\n");
    const end = before.length + (isBegun ? `${rest}\n`.indexOf("\n") : 0);
    text.setRangeText(`${isBegun ? "\n" : ""}${example}${isBegun ? "" : "\n"}`, end, end, "end");
  } else text.setRangeText(example, text.selectionStart, text.selectionEnd, "end");
  text.dispatchEvent(new Event("input", { bubbles: true }));
  text.focus();
}

// Focus the button that took this one's place; where it's folded away, what unfolds it.
function focusLike(button) {
  const same = builder.querySelector(`[name="${button.name}"][value="${button.value}"]`);
  const fold = same?.closest("details:not([open])")?.querySelector("summary");
  (fold ?? same)?.focus({ preventScroll: true });
}

let asked = 0;
async function show(button) {
  const mine = ++asked;
  const status = builder.querySelector("[data-status]");
  const sent = text.value;
  try {
    const answer = await fetch(builder.dataset.variantUrl, {
      method: "POST",
      body: new FormData(text.form, button),
      credentials: "same-origin",
    });
    if (answer.redirected || !answer.ok) throw new Error(answer.statusText);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const edited = page.getElementById("pw-edited");
    if (mine !== asked || (edited && text.value !== sent)) return;
    edited?.remove();
    // While the text has a fault, the variant before it stays, with what was typed at its mistakes.
    const isFaulty = page.querySelector("#pw-fault[data-line]") !== null;
    const replaced = isFaulty ? ["pw-fault"] : ["pw-fault", "pw-beside"];
    for (const id of replaced) part(id).replaceWith(page.getElementById(id));
    if (edited) text.value = edited.value;
    status.textContent = edited ? builder.dataset.applied : "";
    number();
    fitFrames();
    if (!button.isConnected) focusLike(button);
    const shown = part(isFaulty ? "pw-fault" : "pw-beside");
    if (shown.getBoundingClientRect().top > innerHeight * 0.6) shown.scrollIntoView();
  } catch {
    status.textContent = builder.dataset.unreachable;
  }
}

if (text) {
  number();
  for (const each of builder.querySelectorAll("[data-scripted]")) each.hidden = false;
  text.addEventListener("input", number);
  const first = builder.querySelector("[data-show]");
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    show(first);
  });
  builder.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.matches("[data-show]")) {
      event.preventDefault();
      show(button);
    } else if (button?.dataset.put) {
      put(button.dataset.put, "line" in button.dataset);
    }
  });
}

while (part("pw-proof")?.hasAttribute("data-running")) {
  await pause(1000);
  try {
    const answer = await fetch(part("pw-proof").dataset.proofUrl, { credentials: "same-origin" });
    if (answer.redirected || !answer.ok) continue;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const next = page.getElementById("pw-proof");
    if (!next) continue;
    // A published version has a page of its own, unless something typed would be lost.
    if (next.hasAttribute("data-published") && text?.value === text?.defaultValue) location.reload();
    part("pw-proof").replaceWith(next);
  } catch {
    // The server is unreachable: ask again.
  }
}
