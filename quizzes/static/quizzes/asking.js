// Requests to the server. They never throw: without an answer the status is 0.

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
    // Keeps the request alive if the page is closed.
    request: { method: "POST", body: JSON.stringify(body), keepalive: true },
  });
}

export function postForm(url, form) {
  return ask(url, { request: { method: "POST", body: new URLSearchParams(new FormData(form)) } });
}

// Without cookies the CSRF check refuses with 403, before the login is checked. A proxy may answer
// 403 too, but then the cookie is still there.
export const isLoggedOut = (status) => status === 401 || (status === 403 && cookieToken() === undefined);

const cookieToken = () => document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1];

// From the cookie, because logging in again on another page changes the token.
export function token() {
  return cookieToken() ?? document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
}

export const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
