// Ticks everybody on a page of a list at once; pressed again, it removes the ticks.

function prepare() {
  const button = document.querySelector("[data-tick-all]");
  const boxes = [...document.querySelectorAll("[data-people] [name=member]")];
  if (!button) return;
  button.hidden = false;
  button.addEventListener("click", () => {
    const tick = boxes.some((box) => !box.checked);
    for (const box of boxes) box.checked = tick;
  });
}

prepare();
document.addEventListener("filtered", prepare);
