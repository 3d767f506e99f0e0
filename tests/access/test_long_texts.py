"""Pages at a phone's width hold texts of twice the length, as another language may have them."""

import re
from urllib.parse import urljoin

import pytest
from django.test import Client
from playwright.sync_api import Page

from quizzes.marking.services import grade_waiting
from tests.access.addresses import ADDRESSES
from tests.sites import Site
from tests.test_in_another_language import ANOTHER, make_language

WIDTH = 390
# What sticks out of a page that scrolls sideways, by its element and text. What scrolls in a box
# of its own may be wider.
OUTSIDE = """() => {
  if (document.documentElement.scrollWidth <= innerWidth) return [];
  const scrolls = (each) => each && each !== document.body &&
    (getComputedStyle(each).overflowX !== "visible" || scrolls(each.parentElement));
  const outside = (each) => each.getBoundingClientRect().right > innerWidth;
  return [...document.querySelectorAll("body *")]
    .filter((each) => outside(each) && !scrolls(each.parentElement))
    .slice(-3)
    .map((each) => `${each.tagName} ${each.className}: ${each.textContent.trim().slice(0, 60)}`);
}"""
TAG = re.compile(r"(<[^>]*>)")
PLACE = re.compile(r"%(\(\w+\))?[\d.]*[a-z]|\{\w*\}")


def twice(text: str) -> str:
    """Return a text in which each piece between tags is followed by its words once more."""
    pieces = TAG.split(text)
    pieces[::2] = [
        f"{each} {PLACE.sub('…', each)}" if each.strip() else each for each in pieces[::2]
    ]
    return "".join(pieces)


@pytest.mark.slow
@pytest.mark.django_db
def test_no_page_is_wider_than_a_phone(
    site: Site, page: Page, objects, people, settings, monkeypatch
):
    grade_waiting()
    # With the site's styles, under the names that they have there.
    settings.STATIC_ROOT = site.folder / "static"
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "config.static_files.StaticFiles"}
    }
    make_language(settings, monkeypatch, twice)
    client = Client(headers={"accept-language": ANOTHER})
    client.force_login(people["owner"])
    page.set_viewport_size({"width": WIDTH, "height": 844})
    pages, wide = {}, {}
    page.route(
        lambda address: address in pages,
        lambda route: route.fulfill(body=pages[route.request.url], content_type="text/html"),
    )
    for name, (template, *_table) in ADDRESSES.items():
        address = urljoin(site.url, template.format(**objects))
        answer = client.get(template.format(**objects))
        if answer.status_code != 200 or not answer.headers["Content-Type"].startswith("text/html"):
            continue
        pages[address] = answer.getvalue()
        page.goto(address)
        if outside := page.evaluate(OUTSIDE):
            wide[name] = outside
    assert len(pages) > 60
    assert not wide
