// The toolbar of a Markdown field: one tab stop, arrow keys inside, menus that Escape closes.

export function toolbar(bar, textarea) {
  bar.setAttribute("aria-controls", textarea.id);
  const stops = () => [...bar.querySelectorAll(":scope > button, :scope > details > summary")];
  const rove = (to) => {
    for (const stop of stops()) stop.tabIndex = stop === to ? 0 : -1;
  };
  rove(stops()[0]);

  bar.addEventListener("focusin", ({ target }) => {
    if (stops().includes(target)) rove(target);
  });
  bar.addEventListener("keydown", (event) => {
    const menu = event.target.closest("details");
    // Its toggle event may come only after a quick typist's next key.
    if (menu?.open) open(menu, bar);
    const inside = menu?.open ? [...menu.querySelectorAll("summary, button, a")] : stops();
    const [back, on] = menu?.open ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
    const at = inside.indexOf(event.target);
    const to = { [back]: at - 1, [on]: at + 1, Home: 0, End: inside.length - 1 }[event.key];
    if (event.key === "Escape" && menu?.open) {
      menu.open = false;
      menu.querySelector("summary").focus();
    } else if (to !== undefined) {
      inside.at(to % inside.length).focus();
    } else {
      return;
    }
    event.preventDefault();
  });
  bar.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (!button || button.hasAttribute("data-toggle-preview")) return;
    closeMenus(bar);
    insert(textarea, button.dataset);
  });
  for (const menu of bar.querySelectorAll("details")) {
    menu.addEventListener("toggle", () => {
      if (menu.open) open(menu, bar);
    });
  }
  document.addEventListener("click", ({ target }) => {
    if (!bar.contains(target)) closeMenus(bar);
  });
  textarea.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    const button = bar.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (!button) return;
    event.preventDefault();
    insert(textarea, button.dataset);
  });
  return bar;
}

function open(menu, bar) {
  closeMenus(bar, menu);
  if (menu.children.length > 1) return;
  const list = document.createElement("div");
  list.append(document.getElementById(`markdown-menu-${menu.dataset.menu}`).content.cloneNode(true));
  menu.append(list);
}

function closeMenus(bar, except) {
  for (const menu of bar.querySelectorAll("details[open]")) {
    if (menu !== except) menu.open = false;
  }
}

function insert(textarea, { before, after, sample, prefix, block }) {
  if (prefix !== undefined) return prefixLines(textarea, prefix);
  if (block !== undefined) return insertBlock(textarea, block);
  const { selectionStart: start, selectionEnd: end } = textarea;
  const text = textarea.value.slice(start, end) || sample;
  replace(textarea, start, end, before + text + after);
  textarea.setSelectionRange(start + before.length, start + before.length + text.length);
}

function prefixLines(textarea, prefix) {
  const { value, selectionStart, selectionEnd } = textarea;
  const start = value.lastIndexOf("\n", selectionStart - 1) + 1;
  const following = value.indexOf("\n", selectionEnd);
  const end = following < 0 ? value.length : following;
  const lines = value.slice(start, end).split("\n");
  const there = lines.every((line) => line.startsWith(prefix));
  const text = lines.map((line) => (there ? line.slice(prefix.length) : prefix + line)).join("\n");
  replace(textarea, start, end, text);
}

// Inserts a block with an empty line before and after it.
function insertBlock(textarea, block) {
  const { value, selectionStart: start, selectionEnd: end } = textarea;
  const head = value.slice(0, start).trimEnd();
  const tail = value.slice(end).trimStart();
  const text = block.replace("{}", () => value.slice(start, end).trim() || "…");
  const gap = head ? "\n\n" : "";
  replace(textarea, head.length, value.length - tail.length, gap + text + (tail ? "\n\n" : "\n"));
  const at = head.length + gap.length;
  select(textarea, at, at + text.length);
}

// Inserts text as if typed, so that Ctrl+Z undoes it.
function replace(textarea, start, end, text) {
  textarea.focus();
  textarea.setSelectionRange(start, end);
  if (!document.execCommand("insertText", false, text)) {
    textarea.setRangeText(text, start, end, "end");
    textarea.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

export function goToLine(textarea, line) {
  const lines = textarea.value.split("\n");
  const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  select(textarea, start, start + (lines[line - 1] ?? "").length);
}

// Browsers scroll to the caret only when a field receives the focus.
function select(textarea, start, end) {
  textarea.blur();
  textarea.setSelectionRange(end, end);
  textarea.focus();
  textarea.setSelectionRange(start, end);
}
