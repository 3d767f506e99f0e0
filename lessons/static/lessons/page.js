// @bundle
// The interactive parts of a lesson's page. None depends on another.

import { keepPlace } from "./place.js";
import "./widgets.js";

const SEEN = 1000; // milliseconds for which the end of a section must be in view
const HOVER = 250; // and for which the pointer must rest on a word, or have left it

const onScreen = (entries) => entries.filter((entry) => entry.isIntersecting);

// Marks the current section in the contents: the one under a line near the top of the window.
function followContents(links) {
  const watcher = new IntersectionObserver(
    (entries) => {
      const latest = onScreen(entries).at(-1);
      if (!latest) return;
      for (const link of links) {
        if (link.hash !== `#${latest.target.id}`) link.removeAttribute("aria-current");
        else {
          link.setAttribute("aria-current", "true");
          keepInView(link.closest("[data-contents]"), link);
        }
      }
    },
    { rootMargin: "-20% 0% -79% 0%" },
  );
  for (const { hash } of links) {
    const section = document.getElementById(hash.slice(1));
    if (section) watcher.observe(section);
  }
}

// Scroll only a list that has its own scrollbar, never the page.
function keepInView(list, item) {
  if (list.scrollHeight <= list.clientHeight) return;
  const [outer, inner] = [list.getBoundingClientRect(), item.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom) {
    list.scrollTop += inner.top - outer.top - outer.height / 2;
  }
}

// A section counts as read when its end has been on the screen for a moment. Not at the very top,
// where it is when the reader jumps to the next section.
const END_IS_SEEN = { rootMargin: "-30% 0% 0% 0%" };
function markWhatIsRead(forms) {
  const waiting = new Map();
  const watcher = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      clearTimeout(waiting.get(target));
      if (isIntersecting) waiting.set(target, setTimeout(() => mark(target), SEEN));
    }
  }, END_IS_SEEN);
  const mark = async (place) => {
    if (document.hidden) return;
    watcher.unobserve(place);
    const form = place.querySelector("form");
    try {
      const answer = await fetch(form.action, {
        method: "POST",
        body: new FormData(form),
        headers: { Accept: "application/json" },
      });
      if (answer.status === 204) showAsRead(form);
    } catch {
      // Offline, for example: the button can still be pressed.
    }
  };
  for (const form of forms) {
    const place = form.parentElement;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      mark(place);
    });
    watcher.observe(place);
  }
}

function showAsRead(form) {
  const focused = form.contains(document.activeElement);
  const number = form.dataset.reading;
  for (const sign of document.querySelectorAll(`[data-read-of="${number}"]`)) sign.hidden = false;
  form.hidden = true;
  if (focused) form.nextElementSibling.focus();
  const count = document.querySelector("[data-count]");
  count.textContent = document.querySelectorAll(".section-read:not([hidden])").length;
}

// Shows a word's explanation on hover and focus too, not only when its button is pressed.
function explainWords(words) {
  let timer = 0;
  let shown = null;
  const meaning = (word) => document.getElementById(word.getAttribute("popovertarget"));
  const show = (word) => {
    if (shown || meaning(word).matches(":popover-open")) return;
    meaning(word).showPopover({ source: word });
    shown = word;
  };
  const hide = () => {
    clearTimeout(timer);
    if (shown) meaning(shown).hidePopover();
    shown = null;
  };
  const soon = (action) => {
    clearTimeout(timer);
    timer = setTimeout(action, HOVER);
  };
  for (const word of words) {
    word.addEventListener("focus", () => {
      if (!word.matches(":focus-visible")) return;
      hide();
      show(word);
    });
    word.addEventListener("blur", hide);
    // A press on a word whose explanation hover or focus has opened keeps it open.
    word.addEventListener("click", (event) => {
      if (shown === word) event.preventDefault();
      shown = null;
    });
    for (const place of [word, meaning(word)]) {
      place.addEventListener("pointerenter", ({ pointerType }) => {
        if (pointerType === "mouse") soon(() => (shown === word ? null : (hide(), show(word))));
      });
      place.addEventListener("pointerleave", ({ pointerType }) => {
        if (pointerType === "mouse") soon(hide);
      });
    }
    meaning(word).addEventListener("toggle", ({ newState }) => {
      if (newState === "closed" && shown === word) shown = null;
    });
  }
}

followContents(document.querySelectorAll('[data-contents] a[href^="#"]'));
keepPlace([...document.querySelectorAll(".lesson-text > section[id]")]);
markWhatIsRead(document.querySelectorAll("form[data-reading]:not([hidden])"));
if ("popover" in HTMLElement.prototype) explainWords(document.querySelectorAll("button.word"));
