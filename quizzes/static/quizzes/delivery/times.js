// Shows dates in the time zone of the reader's machine, unless they have chosen a zone, which the
// page already uses. Dates of a class stay in its zone.

// The page's date format: in its language, with British English.
const { lang } = document.documentElement;
const format = new Intl.DateTimeFormat(lang === "en" ? "en-GB" : lang, {
  dateStyle: "medium",
  timeStyle: "short",
  hourCycle: "h23",
});
if (!document.documentElement.dataset.timeZone) {
  for (const time of document.querySelectorAll("main time[datetime]:not([data-kept])")) {
    time.textContent = format.format(new Date(time.dateTime));
  }
}
