// Shows times in the zone of the reader's machine, unless they have chosen a zone, which the page
// already uses. Times of a class stay in its zone. The words are those of design/moments.py.

const { lang, dataset } = document.documentElement;
// With British English.
const language = lang === "en" ? "en-GB" : lang;
const show = (when, parts) => new Intl.DateTimeFormat(language, parts).format(when);
const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
// Without its clock, so that all days are equally long.
const day = (when) => Date.UTC(when.getFullYear(), when.getMonth(), when.getDate()) / 86_400_000;
const now = new Date();

const inWords = (when, absolute) => {
  const time = show(when, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const weekday = show(when, { weekday: "short" });
  const days = day(when) - day(now);
  if (!absolute && days >= -1 && days <= 7) {
    return `${relative.format(days, "day")}, ${days > 1 ? `${weekday} ` : ""}${time}`;
  }
  const year = absolute || when.getFullYear() !== now.getFullYear() ? { year: "numeric" } : {};
  return `${weekday} ${show(when, { day: "numeric", month: "short", ...year })}, ${time}`;
};

if (!dataset.timeZone) {
  for (const time of document.querySelectorAll("main time[datetime]:not([data-kept])")) {
    time.textContent = inWords(new Date(time.dateTime), "absolute" in time.dataset);
  }
}

// Offers the machine's zone, once, to users whose pages are in the site's.
const offer = document.querySelector(".zone-offer");
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
const stored = (act) => {
  try {
    return act(localStorage);
  } catch {
    return null; // storage may be forbidden; then the offer comes back with the next page
  }
};
if (offer && ![offer.dataset.siteZone, stored((kept) => kept.getItem("zone"))].includes(timeZone)) {
  offer.querySelector("p").textContent = offer.dataset.says.replace("{zone}", timeZone);
  offer.elements.time_zone.value = timeZone;
  offer.querySelector("[type=button]").addEventListener("click", () => {
    stored((kept) => kept.setItem("zone", timeZone));
    delete offer.dataset.ready;
  });
  offer.dataset.ready = "";
}
