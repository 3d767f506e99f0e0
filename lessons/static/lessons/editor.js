// Gives each Markdown field of the admin its toolbar and a live preview. Without this script the
// fields are plain textareas, with a button that shows the preview on a page of its own.

import { goToLine, toolbar } from "./editor-toolbar.js";
import { filled } from "./filled.js";

const PAUSE = 400; // of typing, before the preview follows, in ms
const tools = document.getElementById("markdown-tools");

function enhance(textarea) {
  const editor = textarea.closest("[data-markdown-editor]");
  if (editor.querySelector(".md-toolbar") || textarea.name.includes("__prefix__")) return;
  const parts = tools.content.cloneNode(true);
  const bar = toolbar(parts.querySelector(".md-toolbar"), textarea);
  const pane = parts.querySelector(".md-preview");
  textarea.parentElement.before(bar);
  textarea.after(pane);
  const toggle = bar.querySelector("[data-toggle-preview]");
  toggle.addEventListener("click", () => {
    pane.hidden = !pane.hidden;
    toggle.setAttribute("aria-pressed", String(!pane.hidden));
    if (!pane.hidden) refresh();
  });
  const refresh = livePreview(textarea, pane);
  // Folded parts of the form have many fields: each requests its preview only once it is visible.
  const seen = new IntersectionObserver(([entry]) => {
    if (!entry.isIntersecting) return;
    seen.disconnect();
    refresh();
  });
  seen.observe(pane);
}

function livePreview(textarea, pane) {
  const frame = pane.querySelector("iframe");
  const trouble = pane.querySelector(".md-trouble");
  const message = trouble.querySelector("p");
  const jump = trouble.querySelector("button");
  const label = textarea.labels[0]?.textContent.replace(/[*:\s]+$/, "").trim();
  frame.title = filled(frame.title, { field: label ?? textarea.name });
  let line = 0;
  let timer = 0;
  let asked = 0;
  let html = "";

  const tell = (text, where) => {
    line = where ?? 0;
    if (message.textContent !== text) message.textContent = text;
    jump.hidden = !line;
    pane.classList.toggle("md-wrong", Boolean(text));
    textarea.setAttribute("aria-invalid", String(Boolean(text)));
  };
  const show = () => {
    const place = frame.contentDocument?.querySelector("[data-preview]");
    if (!place) return; // the frame has not loaded yet
    const dark = document.documentElement.classList.contains("dark");
    frame.contentDocument.documentElement.dataset.theme = dark ? "dark" : "light";
    place.innerHTML = html;
  };
  const refresh = async () => {
    if (pane.hidden) return;
    if (!frame.src) frame.src = tools.dataset.previewUrl;
    const number = ++asked;
    const data = new FormData(textarea.form);
    data.set("preview_of", textarea.name);
    try {
      const answer = await fetch(tools.dataset.previewUrl, {
        method: "POST",
        body: data,
        headers: { Accept: "application/json" },
      });
      if (!answer.ok) throw new Error(answer.statusText);
      const shown = await answer.json();
      if (number !== asked) return; // a later request is under way
      if (shown.html || !shown.error) html = shown.html;
      tell(shown.error, shown.line);
      show();
    } catch {
      if (number === asked) tell(trouble.dataset.unreachable);
    }
  };

  frame.addEventListener("load", show);
  jump.addEventListener("click", () => goToLine(textarea, line));
  // The preview of the whole form is updated with each field.
  const written = "previewForm" in textarea.dataset ? textarea.form : textarea;
  written.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(refresh, PAUSE);
  });
  new MutationObserver(show).observe(document.documentElement, { attributeFilter: ["class"] });
  return refresh;
}

// The admin copies a new row without the handlers that fill in the slug from the title.
function fillSlug(row) {
  const [title, slug] = row.querySelectorAll("[name$='-title'], [name$='-slug']");
  if (slug) django.jQuery(slug).prepopulate([`#${title.id}`], slug.maxLength);
}

const enhanceAll = (place) => place.querySelectorAll("[data-markdown]").forEach(enhance);

if (tools) {
  enhanceAll(document);
  document.addEventListener("formset:added", ({ target }) => {
    enhanceAll(target);
    fillSlug(target);
  });
}
