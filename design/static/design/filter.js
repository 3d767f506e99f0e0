// Shows at once what a changed filter finds. The form itself stays, and with it the focus.

// A form that leads to another page shows nothing here.
const filters = "form.filter:not([action])";

for (const form of document.querySelectorAll(filters)) {
  let latest = null;
  const show = async () => {
    const typed = [...new FormData(form)].filter(([, value]) => value);
    const address = new URL(location.pathname, location.origin);
    address.search = new URLSearchParams(typed);
    latest = address;
    const answer = await fetch(address).catch(() => null);
    const text = answer?.ok && !answer.redirected ? await answer.text() : null;
    if (latest !== address) return;
    if (text === null) {
      location.assign(address);
      return;
    }
    const page = new DOMParser().parseFromString(text, "text/html");
    const place = [...document.querySelectorAll(filters)].indexOf(form);
    const found = page.querySelectorAll(filters)[place];
    history.replaceState(null, "", address);
    while (form.nextSibling) form.nextSibling.remove();
    while (found?.nextSibling) form.parentNode.append(found.nextSibling);
    const count = [".filter ~ p.meta", ".filter ~ .notice h2"]
      .map((words) => form.parentNode.querySelector(words))
      .find(Boolean);
    form.querySelector("output").textContent = count?.textContent.trim() ?? "";
    document.dispatchEvent(new Event("filtered"));
  };
  form.addEventListener("change", show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show();
  });
}
