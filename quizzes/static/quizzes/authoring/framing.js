// Shows a page of this site in a frame, in the colour scheme of the page around it.

export function frameWith(frame, address) {
  if (frame.dataset.shows === address) return;
  frame.dataset.shows = address;
  frame.addEventListener("load", () => paint(frame));
  if (frame.contentWindow) frame.contentWindow.location.replace(address);
  else frame.src = address;
}

function paint(frame) {
  const dark = document.documentElement.classList.contains("dark");
  const root = frame.contentDocument?.documentElement;
  if (root) root.dataset.theme = dark ? "dark" : "light";
}
