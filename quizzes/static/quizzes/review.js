// Unfolds every step of every solution at once, and folds them again.

const button = document.querySelector("[data-unfold]");
const steps = document.querySelectorAll(".worked-step");
const words = [button.textContent, button.dataset.fold];

button.hidden = steps.length === 0;
button.addEventListener("click", () => {
  const open = button.textContent === words[0];
  for (const step of steps) step.open = open;
  button.textContent = words[Number(open)];
});
