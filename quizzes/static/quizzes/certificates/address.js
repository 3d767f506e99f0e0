// Copies the address of a certificate, or hands it to the device's own way of sharing.

const box = document.querySelector(".certificate-address");
if (box) {
  const address = box.querySelector("input");
  const status = box.querySelector("[role=status]");
  const share = box.querySelector("[data-share]");
  address.addEventListener("focus", () => address.select());
  box.querySelector("[data-copy]").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(address.value);
      status.textContent = status.dataset.copied;
    } catch {
      address.focus();
      status.textContent = status.dataset.refused;
    }
  });
  share.hidden = !navigator.share;
  share.addEventListener("click", () => {
    // Whoever closes the device's dialogue has changed their mind.
    navigator.share({ title: document.title, url: address.value }).catch(() => {});
  });
}
