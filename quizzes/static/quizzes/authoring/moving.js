// Makes the items of a list movable, by dragging their grip or by arrow keys on it.

const EDGE = 80; // px from the window's edge, where dragging scrolls the page
const STEP = 12; // px in a frame

// Calls `moved(item, from, to)` after each move, also after one without effect.
export function movable(list, moved) {
  const place = (item) => [...list.children].indexOf(item);

  // Moves the other items around it, so that it keeps the focus and the pointer.
  const carry = (item, steps) => {
    for (; steps < 0 && item.previousElementSibling; steps++) item.after(item.previousElementSibling);
    for (; steps > 0 && item.nextElementSibling; steps--) item.before(item.nextElementSibling);
  };
  const move = (item, steps) => {
    const from = place(item);
    carry(item, steps);
    item.scrollIntoView({ block: "nearest" });
    moved(item, from, place(item));
  };

  list.addEventListener("keydown", (event) => {
    const grip = event.target.closest("[data-grip]");
    const steps = { ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity }[event.key];
    if (!grip || !steps) return;
    event.preventDefault();
    move(itemOf(list, grip), steps);
  });

  list.addEventListener("pointerdown", (event) => {
    const grip = event.target.closest("[data-grip]");
    if (grip && event.button === 0) drag(event, grip, itemOf(list, grip));
  });

  function drag({ pointerId, clientY }, grip, item) {
    const from = place(item);
    let y = clientY;
    let held = true;
    const middle = (other) => other.getBoundingClientRect().top + other.offsetHeight / 2;
    const nextStep = () => {
      const { previousElementSibling: above, nextElementSibling: below } = item;
      if (above && y < middle(above)) return -1;
      return below && y > middle(below) ? 1 : 0;
    };
    // A quick pointer passes several items between two events.
    const follow = () => {
      for (let step = nextStep(); step; step = nextStep()) carry(item, step);
    };
    const scroll = () => {
      if (!held) return;
      if (y < EDGE) scrollBy(0, -STEP);
      else if (y > innerHeight - EDGE) scrollBy(0, STEP);
      follow();
      requestAnimationFrame(scroll);
    };
    const stop = (back) => {
      held = false;
      over.abort();
      item.classList.remove("is-dragged");
      if (back) carry(item, from - place(item));
      if (place(item) !== from) moved(item, from, place(item));
    };
    const over = new AbortController();
    const until = { signal: over.signal };
    grip.setPointerCapture(pointerId);
    item.classList.add("is-dragged");
    grip.addEventListener(
      "pointermove",
      (event) => {
        y = event.clientY;
        follow();
      },
      until,
    );
    grip.addEventListener(
      "pointerup",
      (event) => {
        y = event.clientY;
        follow();
        stop(false);
      },
      until,
    );
    grip.addEventListener("pointercancel", () => stop(true), until);
    addEventListener("keydown", (event) => event.key === "Escape" && stop(true), until);
    requestAnimationFrame(scroll);
  }

  return move;
}

export const itemOf = (list, part) => [...list.children].find((item) => item.contains(part));
