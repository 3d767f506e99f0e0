// Asking the server. Never throws: without an answer the status is 0.

export async function ask(url, options = {}) {
  try {
    const response = await fetch(url, {
      credentials: "same-origin",
      headers: { Accept: "application/json", "X-CSRFToken": token(), ...options.headers },
      signal: AbortSignal.timeout(10_000),
      ...options.request,
    });
    const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
    const body = (isJson && (await response.json())) || {};
    return { status: response.status, url: response.url, body };
  } catch {
    return { status: 0, url: "", body: {} };
  }
}

export function postJson(url, body) {
  return ask(url, {
    headers: { "Content-Type": "application/json" },
    // The page may be closing: let the request outlive it.
    request: { method: "POST", body: JSON.stringify(body), keepalive: true },
  });
}

export function postForm(url, form) {
  return ask(url, { request: { method: "POST", body: new URLSearchParams(new FormData(form)) } });
}

// Whoever lost all cookies is refused before anybody asks who it is; a network may refuse, too.
export const isLoggedOut = (status) => status === 401 || (status === 403 && cookieToken() === undefined);

const cookieToken = () => document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1];

// From the cookie: whoever logs in again on another page gets a new one there.
export function token() {
  return cookieToken() ?? document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
}

export const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
