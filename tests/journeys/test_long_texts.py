"""Pages whose every text is twice as long, as another language's may be."""

import re
from collections.abc import Iterator

import pytest
from django.conf import LazySettings
from django.test import Client, RequestFactory
from playwright.sync_api import Browser, Page, Route
from pytest_django.live_server_helper import LiveServer

from config.static_files import import_all
from lessons import widgets
from lessons.authoring.services import import_lesson
from quizzes.models import Quiz
from tests.test_in_another_language import LESSON, make_language

LONG = "nl"  # the code of the language
# What a `%` would fill again.
PLACE = re.compile("%[sd]")
ALL_FILES = re.compile(r"/static/(?P<folder>.+)/\*(?P<suffix>\.\w+)$")
# Texts that leave the window, or the box that cuts them off. What scrolls holds all of its texts.
LOST = """() => {
  const found = [];
  const sheet = new CSSStyleSheet(); // what is further down has its boxes too
  sheet.replaceSync("* { content-visibility: visible !important }");
  document.adoptedStyleSheets.push(sheet);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const holder = texts.currentNode.parentElement;
    const unseen = holder.closest(".visually-hidden, svg, math, option, script, style, h1");
    if (unseen || !texts.currentNode.data.trim()) continue;
    if (!holder.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const range = new Range();
    range.selectNodeContents(texts.currentNode);
    const { left, right, width } = range.getBoundingClientRect();
    let [from, to] = [0, document.documentElement.clientWidth];
    for (let box = holder; box; box = box.parentElement) {
      const { overflowX } = getComputedStyle(box);
      if (["auto", "scroll"].includes(overflowX)) {
        [from, to] = [-Infinity, Infinity];
        break;
      }
      if (["hidden", "clip"].includes(overflowX)) {
        const edges = box.getBoundingClientRect();
        [from, to] = [Math.max(from, edges.left), Math.min(to, edges.right)];
      }
    }
    if (width > 1 && (left < from - 1 || right > to + 1)) {
      found.push(`${holder.closest("[class]").className}: ${texts.currentNode.data.trim()}`);
    }
  }
  return found;
}"""


def double(text: str) -> str:
    return f"{text} {PLACE.sub('', text)}"


def serve_all_files(route: Route) -> None:
    """Serve what names all files of a folder, as in DEBUG: no files are bundled for tests."""
    named = ALL_FILES.search(route.request.url)
    assert named is not None
    answer = import_all(RequestFactory().get("/"), **named.groupdict())
    route.fulfill(body=answer.content, content_type=answer.headers["Content-Type"])


@pytest.fixture
def page(
    settings: LazySettings,
    monkeypatch: pytest.MonkeyPatch,
    browser: Browser,
    live_server: LiveServer,
    root_client: Client,
) -> Iterator[Page]:
    """A page of an administrator, who reads a language of long texts."""
    make_language(settings, monkeypatch, double, LONG)
    context = browser.new_context(base_url=live_server.url, locale=LONG)
    session = root_client.cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    context.route(lambda address: bool(ALL_FILES.search(address)), serve_all_files)
    yield context.new_page()
    context.close()


@pytest.mark.slow
def test_texts_of_twice_the_length_stay_on_their_pages(page: Page, quiz: Quiz) -> None:
    shown = map(widgets.example, ("model_map", "recurrent_beside_attention"))
    import_lesson(text=LESSON.format(parts="", widgets="\n\n".join(shown)))
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    admin = "/admin/quizzes"
    for address in (
        *("/", "/lessons/m/", quiz.get_absolute_url(), "/learning/", "/practice/", "/accounts/"),
        "/teach/",
        f"{admin}/writtenproblem/add/",
    ):
        for width in (320, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            answer = page.goto(address)
            assert answer is not None
            assert answer.status == 200, address
            where = f"{address} at {width} pixels"
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), where
            if not address.startswith(admin):  # unfold cuts paths off
                assert page.evaluate(LOST) == [], where
    assert errors == []
