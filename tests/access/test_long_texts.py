"""Pages at a phone's width hold texts of twice the length, as another language may have them."""

from urllib.parse import urljoin

import pytest
from django.test import Client
from playwright.sync_api import Page

from quizzes.marking.services import grade_waiting
from tests.access.addresses import ADDRESSES
from tests.sites import Site
from tests.test_in_another_language import ANOTHER, make_language

WIDTH = 390
# What sticks out of the page, by its element and text.
OUTSIDE = """() => document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll("main *, header *, footer *")]
    .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
    .slice(-3).map((each) => `${each.tagName}: ${each.textContent.trim().slice(0, 60)}`)"""


@pytest.mark.slow
@pytest.mark.django_db
def test_no_page_is_wider_than_a_phone(
    site: Site, page: Page, objects, people, settings, monkeypatch
):
    grade_waiting()
    make_language(settings, monkeypatch, lambda text: f"{text} {text}" if text.strip() else text)
    client = Client(headers={"accept-language": ANOTHER})
    client.force_login(people["owner"])
    page.set_viewport_size({"width": WIDTH, "height": 844})
    wide, seen = {}, 0
    for name, (template, *_table) in ADDRESSES.items():
        path = template.format(**objects)
        answer = client.get(path)
        if answer.status_code != 200 or not answer.headers["Content-Type"].startswith("text/html"):
            continue
        html = answer.getvalue().decode()
        # The site itself has the styles, and gives this page in place of its own.
        address = urljoin(site.url, path)
        page.route(
            address, lambda route, html=html: route.fulfill(body=html, content_type="text/html")
        )
        page.goto(address, wait_until="load")
        seen += 1
        if outside := page.evaluate(OUTSIDE):
            wide[name] = outside
    assert seen > 60
    assert not wide
