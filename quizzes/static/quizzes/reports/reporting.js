// Reports a question without leaving its page, so that typed answers stay.

import { ask, isLoggedOut, token } from "../asking.js";
import { loggedOut, text } from "../items/texts.js";

export async function sendReport(button) {
  const report = button.closest(".report");
  const line = report.querySelector("[data-reported]");
  const sentence = report.querySelector("textarea").value;
  const body = new URLSearchParams({ sentence, csrfmiddlewaretoken: token() });
  line.replaceChildren();
  button.disabled = true;
  const { status, body: answer } = await ask(button.dataset.url, { request: { method: "POST", body } });
  button.disabled = false;
  if (status === 200) line.replaceChildren(answer.said);
  else if (isLoggedOut(status)) line.replaceChildren(...loggedOut());
  else line.replaceChildren(answer.error ?? text("not-reported"));
}
