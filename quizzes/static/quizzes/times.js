// Dates in the reader's own time zone.

const format = new Intl.DateTimeFormat([], {
  dateStyle: "medium",
  timeStyle: "short",
  hourCycle: "h23",
});
for (const time of document.querySelectorAll("main time[datetime]")) {
  time.textContent = format.format(new Date(time.dateTime));
}
