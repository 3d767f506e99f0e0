// Reports a question without leaving its page, so that typed answers stay.

import { ask, isLoggedOut, token } from "../asking.js";
import { loggedOut, text } from "../items/texts.js";

export async function sendReport(button) {
  const report = button.closest(".report");
  const said = report.querySelector("[data-reported]");
  const sentence = report.querySelector("textarea").value;
  const body = new URLSearchParams({ sentence, csrfmiddlewaretoken: token() });
  said.replaceChildren();
  button.disabled = true;
  const { status, body: told } = await ask(button.dataset.url, { request: { method: "POST", body } });
  button.disabled = false;
  if (status === 200) said.replaceChildren(told.said);
  else if (isLoggedOut(status)) said.replaceChildren(...loggedOut());
  else said.replaceChildren(told.error ?? text("not-reported"));
}
