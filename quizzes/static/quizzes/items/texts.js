// The sentences and parts for scripts, from the page's <template id="texts"> (_texts.html).

export function text(key, values = {}) {
  const { content } = document.getElementById("texts");
  const pattern = content.querySelector(`[data-text="${key}"]`).textContent;
  return pattern.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

// A copy of a part of the page that scripts put in its place.
export function part(name) {
  const { content } = document.getElementById("texts");
  return content.querySelector(`[data-part="${name}"]`).cloneNode(true);
}

// A message on being logged out, with a link to this page, which leads to the login.
export function loggedOut() {
  const link = Object.assign(document.createElement("a"), {
    href: location.pathname,
    target: "_blank",
    textContent: text("login"),
  });
  const [before, after] = text("logged-out", { link: "\n" }).split("\n");
  return [before, link, after];
}
