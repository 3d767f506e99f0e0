// Dates in the time zone of the reader's machine; unless they have chosen one, in which the page is.

const format = new Intl.DateTimeFormat([], {
  dateStyle: "medium",
  timeStyle: "short",
  hourCycle: "h23",
});
if (!document.documentElement.dataset.timeZone) {
  for (const time of document.querySelectorAll("main time[datetime]")) {
    time.textContent = format.format(new Date(time.dateTime));
  }
}
