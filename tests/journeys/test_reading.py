"""Reading a lesson: contents follow the text, words are explained, read sections are stored."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from scripts.bootstrap import ROOT

from .conftest import complaints_in_both_themes

LESSON = "/lessons/attention-foundations/"
LARGEST_PAGE = 200 * 1024


def test_a_section_whose_end_was_seen_is_read_here_and_everywhere(student_page: Page) -> None:
    page = student_page
    page.goto(LESSON)
    expect(page.locator("[data-progress]")).to_have_text("0 of 11 sections read")
    end = page.locator(".section-end").first
    expect(end.get_by_role("button", name="Mark as read")).to_be_attached()
    end.scroll_into_view_if_needed()
    expect(end.locator(".section-read")).to_be_visible()
    expect(page.locator("[data-progress]")).to_have_text("1 of 11 sections read")
    entry = page.get_by_role("navigation", name="On this page").get_by_role("link").first
    expect(entry).to_contain_text("read")
    page.goto("/")
    line = page.locator(".line").filter(has_text="Attention foundations")
    expect(line).to_contain_text("1 of 11 sections read")
    line.get_by_role("link", name="Continue").click()
    expect(page).to_have_url(re.compile(r"/attention-foundations/#embeddings$"))


def test_marked_by_keyboard_the_focus_is_seen_on_what_confirms_it(student_page: Page) -> None:
    student_page.goto(LESSON)
    end = student_page.locator(".section-end").first
    end.get_by_role("button", name="Mark as read").focus()
    student_page.keyboard.press("Enter")
    read = end.locator(".section-read")
    expect(read).to_be_focused()
    assert read.evaluate("read => getComputedStyle(read).outlineStyle") == "solid"


def test_without_scripts_the_button_marks_and_comes_back(
    student_page: Page, browser: Browser
) -> None:
    context = browser.new_context(
        java_script_enabled=False,
        base_url=student_page.url.rstrip("/"),
        storage_state=student_page.context.storage_state(),
    )
    page = context.new_page()
    page.goto(LESSON)
    page.get_by_role("button", name="Mark as read").nth(1).click()
    expect(page).to_have_url(re.compile(r"/attention-foundations/#read-\d+$"))
    expect(page.locator("[data-progress]")).to_have_text("1 of 11 sections read")
    context.close()


def test_the_contents_follow(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(LESSON)
    contents = page.get_by_role("navigation", name="On this page")
    expect(contents.locator("[aria-current]")).to_have_count(0)
    contents.get_by_role("link", name="Why softmax?").click()
    expect(contents.locator("[aria-current]")).to_contain_text("Why softmax?")


def test_on_a_phone_a_bar_at_the_top_says_how_far_one_is(student_page: Page) -> None:
    page = student_page
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{LESSON}#why-softmax")
    bar = page.locator(".pace")
    expect(bar.locator("[aria-current]")).to_have_attribute("href", "#why-softmax")
    assert bar.bounding_box()["y"] == 0
    links = bar.get_by_role("link", include_hidden=True)
    expect(links).to_have_count(12)  # with the quiz
    page.locator("#why-softmax .section-end").scroll_into_view_if_needed()
    expect(bar.locator("[data-read-of]:not([hidden])")).to_have_count(1)
    links.first.click()
    expect(bar.locator("[aria-current]")).to_have_attribute("href", "#paper")


def test_the_quiz_is_three_keys_from_the_top_of_its_lesson(page: Page) -> None:
    page.goto(LESSON)
    for key in ("Tab", "Tab", "Enter"):
        page.keyboard.press(key)
    take = page.get_by_role("link", name="Take the quiz")
    expect(take).to_be_in_viewport(ratio=1)
    page.keyboard.press("Tab")
    expect(take).to_be_focused()


@pytest.mark.parametrize(("width", "folded"), [(390, True), (1280, False)])
def test_the_contents_fold_where_they_stand_above_the_text(
    page: Page, width: int, folded: bool
) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(LESSON)
    contents = page.get_by_role("navigation", name="On this page")
    link = contents.get_by_role("link", name="Why softmax?")
    if folded:
        expect(link).to_be_hidden()
        contents.get_by_text("On this page").last.click()
    link.click()
    expect(page.locator("#why-softmax-title")).to_be_in_viewport()


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
def test_every_lesson_has_a_figure_within_its_first_900_pixels(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    lessons = [file.stem for file in (ROOT / "content" / "lessons").glob("*.md")]
    assert len(lessons) >= 7
    for lesson in lessons:
        page.goto(f"/lessons/{lesson}/")
        assert page.locator("main figure").first.bounding_box()["y"] < 900, lesson


# Parts of a figure that extend beyond its box, unless they are in one that scrolls by itself.
# Scrolling regions may extend by the width of their own focus ring.
STANDING_OUT = """(figure) => {
  const box = figure.getBoundingClientRect();
  const scrolls = (part) => getComputedStyle(part).overflowX !== "visible";
  const isWithin = (part) => {
    for (let outer = part.parentElement; outer !== figure; outer = outer.parentElement)
      if (scrolls(outer)) return true;
    return false;
  };
  return [...figure.querySelectorAll(":not(svg *, math *)")].filter((part) => {
    const place = part.getBoundingClientRect();
    const spare = scrolls(part) ? 5 : 1;
    return place.width > 1 && part.checkVisibility({ visibilityProperty: true })
      && (place.left < box.left - spare || place.right > box.right + spare) && !isWithin(part);
  }).map((part) => `${figure.className}: ${part.localName}.${part.className}`);
}"""


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 640, 1280])
def test_no_part_of_a_figure_stands_out_of_it(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    for lesson in (ROOT / "content" / "lessons").glob("*.md"):
        page.goto(f"/lessons/{lesson.stem}/")
        found = page.evaluate(f"[...document.querySelectorAll('.widget')].flatMap({STANDING_OUT})")
        assert found == [], lesson.stem


# Whether, of the rendered regions, all wide ones and no others take the focus, and one is wide.
ONLY_WIDE_ONES = """(some) => {
  const regions = [...document.querySelectorAll(".formula, .matrix-scroll, .table-scroll")].filter(
    (region) => region.checkVisibility({ contentVisibilityAuto: true }));
  const wide = (region) => region.scrollWidth > region.clientWidth;
  return regions.every((region) => (region.tabIndex === 0) === wide(region))
    && regions.some(wide) === some && regions.length > 0;
}"""


@pytest.mark.parametrize(("width", "some"), [(320, True), (1280, False)])
def test_only_what_overflows_takes_the_focus(page: Page, width: int, some: bool) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto("/lessons/embeddings-to-attention/#softmax")
    page.wait_for_function(ONLY_WIDE_ONES, arg=some)
    page.set_viewport_size({"width": 1600 - width, "height": 800})
    # At the other width the page has scrolled, perhaps to a part without anything wide.
    page.locator("#softmax").evaluate("section => section.scrollIntoView()")
    page.wait_for_function(ONLY_WIDE_ONES, arg=not some)


@pytest.mark.parametrize("width", [360, 1280])
def test_a_link_into_a_lesson_lands_though_what_is_above_is_not_laid_out(page: Page, width: int):
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{LESSON}#why-softmax")
    title = page.locator("#why-softmax-title")
    expect(title).to_be_in_viewport()
    page.wait_for_timeout(500)
    assert 0 <= title.bounding_box()["y"] < 200
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
def test_words_explain_themselves_to_mouse_keyboard_and_touch(page: Page, browser: Browser) -> None:
    page.goto(LESSON)
    word = page.locator("button.word", has_text="tokens").first
    meaning = page.locator("#meaning-token")
    expect(meaning).to_be_hidden()
    word.hover()
    expect(meaning).to_be_visible()
    meaning.hover()
    page.wait_for_timeout(400)
    expect(meaning).to_be_visible()
    page.keyboard.press("Escape")
    expect(meaning).to_be_hidden()
    page.mouse.move(0, 0)

    word.click()  # pinned: it stays open when the pointer leaves
    page.mouse.move(0, 0)
    page.wait_for_timeout(400)
    expect(meaning).to_be_visible()
    page.keyboard.press("Escape")

    page.locator("#embeddings").evaluate("e => { e.tabIndex = -1; e.focus(); }")
    page.keyboard.press("Tab")
    expect(word).to_be_focused()
    expect(meaning).to_be_visible()
    page.keyboard.press("Tab")
    expect(meaning).to_be_hidden()

    context = browser.new_context(
        base_url=page.url.split("/lessons")[0],
        has_touch=True,
        viewport={"width": 320, "height": 640},
    )
    phone = context.new_page()
    phone.goto(LESSON)
    word = phone.locator("button.word", has_text="tokens").first
    for edge in ("start", "end"):
        word.evaluate("(word, block) => word.scrollIntoView({ block })", edge)
        word.tap()
        expect(phone.locator("#meaning-token")).to_be_in_viewport(ratio=1)
        phone.keyboard.press("Escape")
    context.close()


def test_on_paper_links_are_footnotes(page: Page) -> None:
    page.goto(LESSON)
    expect(page.locator(".footnotes")).to_be_hidden()
    page.emulate_media(media="print")
    notes = page.locator(".footnotes li")
    links = page.locator('.lesson-text a[rel~="noreferrer"]:not([href^="#"])')
    assert notes.count() == links.count() > 0
    expect(page.locator(".footnotes")).to_be_visible()
    for controls in (".section-end", ".contents", ".neighbours", ".quiz-card"):
        expect(page.locator(controls).first).to_be_hidden()


def test_on_paper_no_line_of_code_is_cut(page: Page) -> None:
    page.goto(LESSON)
    page.emulate_media(media="print")
    # The width of A4 between its margins, and less.
    page.set_viewport_size({"width": 480, "height": 800})
    code = page.locator(".lesson-text pre")
    assert code.count() > 0
    cut = "all => all.filter(each => each.scrollWidth > each.clientWidth).length"
    assert code.evaluate_all(cut) == 0


@pytest.mark.slow
def test_pages_to_read_are_for_everyone(student_page: Page) -> None:
    page = student_page
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.set_viewport_size({"width": 320, "height": 640})
    for address in (LESSON, "/", "/search/?q=dot+product", "/search/?q=zebra"):
        page.goto(address)
        assert complaints_in_both_themes(page) == [], address
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address
    assert complaints == []


@pytest.mark.parametrize(
    "lesson", ["attention-foundations", "attention-and-transformers", "embeddings-to-attention"]
)
def test_a_lesson_is_light_and_stands_still(page: Page, lesson: str, record_property) -> None:
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    sizes: list[int] = []
    hosts: set[str] = set()
    session.on("Network.loadingFinished", lambda done: sizes.append(done["encodedDataLength"]))
    page.on("request", lambda request: hosts.add(request.url.split("/")[2]))
    page.goto(f"/lessons/{lesson}/", wait_until="networkidle")
    moved = page.evaluate(
        """() => new Promise((done) => {
          let sum = 0;
          const add = (list) => { for (const each of list.getEntries()) sum += each.value; };
          new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });
          setTimeout(() => done(sum), 300);
        })"""
    )
    record_property("bytes", sum(sizes))
    record_property("requests", len(sizes))
    assert sum(sizes) < LARGEST_PAGE
    assert len(sizes) <= 12
    assert moved < 0.05
    assert len(hosts) == 1


def test_a_page_that_has_not_changed_is_not_sent_again(page: Page) -> None:
    first = page.request.get(LESSON)
    again = page.request.get(LESSON, headers={"If-None-Match": first.headers["etag"]})
    assert (first.status, again.status) == (200, 304)
    assert first.headers["content-encoding"] == "gzip"


def test_a_reload_and_going_back_lead_to_the_line_that_was_read(page: Page) -> None:
    page.goto(LESSON + "#projections")
    height = "document.getElementById('projections').getBoundingClientRect().top"
    page.mouse.move(200, 300)
    page.mouse.wheel(0, 900)
    page.wait_for_function("() => history.state?.place?.below > 700")
    before = page.evaluate(height)
    page.reload()
    page.wait_for_function(f"() => Math.abs({height} - {before}) < 5")
    page.goto("/search/")
    page.go_back()
    page.wait_for_function(f"() => Math.abs({height} - {before}) < 5")
