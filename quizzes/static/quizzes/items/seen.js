// The part of the window that is in sight: a phone's keyboard covers the rest, or pushes it away.

const TIGHT = 480; // pixels, as in item.css
const root = document.documentElement;
const view = window.visualViewport;

class Seen extends EventTarget {
  constructor() {
    super();
    view.addEventListener("resize", () => this.#note());
    view.addEventListener("scroll", () => this.#note());
    this.#note();
  }

  get sight() {
    const { offsetTop: top, offsetLeft: left, width, height } = view;
    const keys = Number.parseFloat(root.style.getPropertyValue("--keys")) || 0;
    return { top, left, right: left + width, bottom: top + height - keys };
  }

  get isTight() {
    return view.height < TIGHT;
  }

  // Lengths for the style sheets. Whoever zooms with two fingers moves about by themselves.
  #note() {
    const zoomed = view.scale > 1.01;
    root.style.setProperty("--hidden-above", `${zoomed ? 0 : view.offsetTop}px`);
    root.style.setProperty("--hidden-below", `${zoomed ? 0 : Math.max(0, innerHeight - view.height - view.offsetTop)}px`);
    this.dispatchEvent(new Event("change"));
  }
}

export const seen = new Seen();
