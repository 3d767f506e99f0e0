// Dates in the time zone of the reader's machine; unless they have chosen one, in which the page is.
// Those that a class keeps stay in the zone of the class.

const format = new Intl.DateTimeFormat([], {
  dateStyle: "medium",
  timeStyle: "short",
  hourCycle: "h23",
});
if (!document.documentElement.dataset.timeZone) {
  for (const time of document.querySelectorAll("main time[datetime]:not([data-kept])")) {
    time.textContent = format.format(new Date(time.dateTime));
  }
}
