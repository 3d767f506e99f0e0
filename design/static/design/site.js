// The colour scheme: light, dark, or the system's. Runs before the page is drawn, so nothing
// flashes.
(() => {
  const root = document.documentElement;
  const read = () => {
    try {
      return localStorage.getItem("theme") ?? "";
    } catch {
      return ""; // storage may be forbidden; the system's scheme is used then
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
        // then the choice lasts for this page only
      }
      show();
    });
    show();
    group.dataset.ready = "";
  });
})();

// A link to a place on the same page closes the menu that it is in.
addEventListener("click", ({ target }) => {
  target.closest("a")?.closest(".site-header [popover]")?.hidePopover?.();
});

// Where tabs scroll, the page's own is in sight. Browsers with `scroll-initial-target` do it alone.
addEventListener("DOMContentLoaded", () => {
  if (CSS.supports("scroll-initial-target", "nearest")) return;
  for (const tab of document.querySelectorAll(".tabs [aria-current]")) {
    const tabs = tab.closest(".tabs");
    const before = (tabs.clientWidth - tab.offsetWidth) / 2;
    tabs.scrollLeft = tab.offsetLeft - tabs.offsetLeft - before;
  }
});

// Regions that may be wider than a phone are focusable, so that keys can scroll them. Those that
// turn out not to scroll are taken out of the tab order.
addEventListener("DOMContentLoaded", () => {
  const regions = document.querySelectorAll('[role="group"][tabindex="0"]');
  const fit = (region) => {
    if (region.scrollWidth > region.clientWidth) region.tabIndex = 0;
    else region.removeAttribute("tabindex");
  };
  const sizes = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      // Content far from the view has no layout yet, and stays focusable until it has.
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
  // A formula's font may load later and widen it without resizing its box.
  document.fonts.addEventListener("loadingdone", watch);
});
