// Light, dark, or as the system says. Runs before the page is drawn, so nothing flashes.
(() => {
  const root = document.documentElement;
  const read = () => {
    try {
      return localStorage.getItem("theme") ?? "";
    } catch {
      return ""; // storage may be forbidden; the system's choice then stands
    }
  };
  const apply = (theme) => {
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  apply(read());

  document.addEventListener("DOMContentLoaded", () => {
    const group = document.querySelector("[data-theme-choice]");
    if (!group) return;
    const show = () => {
      for (const button of group.querySelectorAll("button")) {
        button.setAttribute("aria-pressed", String(button.value === (root.dataset.theme ?? "")));
      }
    };
    group.addEventListener("click", ({ target }) => {
      if (!(target instanceof HTMLButtonElement)) return;
      apply(target.value);
      try {
        localStorage.setItem("theme", target.value);
      } catch {
        // it holds for this page, then
      }
      show();
    });
    show();
    group.hidden = false;
  });
})();
