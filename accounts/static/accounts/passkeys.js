// Shows the passkey controls where the browser supports passkeys, lets allauth's script create and
// use them, and shows errors in the page's own words.
(() => {
  const form = document.currentScript.dataset.call;
  const part = (name) => document.querySelector(`[data-passkeys="${name}"]`);
  const ids = { credential: "id_credential", passwordless: "id_passwordless" }; // pragma: allowlist secret
  for (const button of ["add", "authenticate", "login"]) ids[button] = "passkey";
  if (document.getElementById("js_data")) ids.data = "js_data";

  if (window.PublicKeyCredential) {
    part("none")?.setAttribute("hidden", "");
    part("button").hidden = false;
    allauth.webauthn.forms[form]({ ids });
  }

  document.addEventListener("allauth.error", (event) => {
    event.preventDefault();
    const trouble = part("trouble");
    const words = { SecurityError: "address", InvalidStateError: "known" };
    trouble.textContent = trouble.dataset[words[event.detail.exception.name] ?? "refused"];
    trouble.hidden = false;
  });
})();
