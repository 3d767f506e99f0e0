// Shows what is typed as a password, on demand.

const button = document.querySelector("[data-show-password]");
button.addEventListener("click", () => {
  const shows = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", String(shows));
  for (const field of button.form.querySelectorAll("[autocomplete=new-password]")) {
    field.type = shows ? "text" : "password";
  }
});
