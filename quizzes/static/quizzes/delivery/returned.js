// Reloads a page that the browser kept while another was open: an attempt may have begun there.

addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload();
});
