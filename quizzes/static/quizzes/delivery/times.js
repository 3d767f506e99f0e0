// Dates in the time zone of the reader's machine; unless they have chosen one, in which the page is.
// Those that a class keeps stay in the zone of the class.

// As the page writes dates: in its language, and its English is British.
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
