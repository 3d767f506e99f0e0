// Restores the line that was being read after a reload or going back. The browser remembers a
// height in pixels, which is wrong because sections far from the view have no layout yet.

export function keepPlace(sections) {
  history.scrollRestoration = "manual";
  addEventListener("scrollend", () => remember(sections));
  addEventListener("popstate", restore);
  if (history.state?.place) restore();
  else remember(sections);
}

function remember(sections) {
  const reading = sections.filter((section) => top(section) < innerHeight / 2).at(-1);
  const place = { section: reading?.id, below: reading ? -top(reading) : scrollY };
  history.replaceState({ ...history.state, place }, "");
}

function restore() {
  const place = history.state?.place;
  if (!place) return;
  const section = document.getElementById(place.section);
  // Wait until the section is as tall as it was.
  for (const part of section ? [section, ...section.querySelectorAll(".attention-map")] : []) {
    part.style.contentVisibility = "visible";
  }
  scrollTo(0, (section ? scrollY + top(section) : 0) + place.below);
}

const top = (element) => element.getBoundingClientRect().top;
