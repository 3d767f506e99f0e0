// The sentences that scripts say, out of the page's <template id="texts"> (_texts.html).

const content = document.getElementById("texts").content;

export function text(key, values = {}) {
  const pattern = content.querySelector(`[data-text="${key}"]`).textContent;
  return pattern.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

// That one has been logged out: what to do, with a link to this page, which leads to the login.
export function loggedOut() {
  const link = Object.assign(document.createElement("a"), {
    href: location.pathname,
    target: "_blank",
    textContent: text("login"),
  });
  const [before, after] = text("logged-out", { link: "\n" }).split("\n");
  return [before, link, after];
}
