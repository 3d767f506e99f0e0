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
    group.dataset.ready = "";
  });
})();

// Regions that may be wider than a phone take the focus, so that keys scroll them; those that are
// not wider than their place give it up.
addEventListener("DOMContentLoaded", () => {
  const regions = document.querySelectorAll('[role="group"][tabindex="0"]');
  const fit = (region) => {
    if (region.scrollWidth > region.clientWidth) region.tabIndex = 0;
    else region.removeAttribute("tabindex");
  };
  const sizes = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      // What is far away is not laid out, and keeps the focus until it comes near.
      if (contentRect.width) fit(target.closest('[role="group"]'));
    }
  });
  const watch = () => {
    sizes.disconnect();
    for (const region of regions) {
      sizes.observe(region);
      sizes.observe(region.firstElementChild);
    }
  };
  watch();
  // A formula in its own font is wider, and its box is not.
  document.fonts.addEventListener("loadingdone", watch);
});
