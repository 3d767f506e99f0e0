// Flags for a second look: the button beside the question, and the sign in the palette.

import { ask, token } from "../asking.js";

// Resolves to the server's answer; a refused change is reverted.
export async function toggleFlag(button, palette) {
  const { position, url } = button.dataset;
  const flagged = button.getAttribute("aria-pressed") !== "true";
  const show = (state) => {
    button.setAttribute("aria-pressed", String(state));
    button.value = `${position} ${state ? "off" : "on"}`;
    palette.flag(Number(position), state);
  };
  show(flagged);
  const body = new URLSearchParams({ flagged, csrfmiddlewaretoken: token() });
  const answer = await ask(url, { request: { method: "POST", body } });
  if (answer.status !== 200) show(!flagged);
  return answer;
}
