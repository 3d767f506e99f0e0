"""The page that lists one's messages, sent or not."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone

from outbox import kinds
from outbox.models import Message
from outbox.sending import send_waiting
from outbox.services import post, set_preference, withdraw
from tests.world import make_user, missing_in, refresh

from .tested_kinds import DUE, NEWS

pytestmark = pytest.mark.django_db
PAGE = "/notifications/"
DAY = timedelta(days=1)


@pytest.fixture
def page(client, ada):
    """Return a function that opens the page as Ada and returns its text."""
    client.force_login(ada)
    return lambda query="": client.get(PAGE + query).text


def post_news(to, about="Attention", **options):
    post(kind=NEWS, to=to, payload={"course": about}, **options)


def test_it_shows_what_was_sent_without_greeting_and_link_to_unsubscribe(page, ada, mail_server):
    post_news(ada)
    send_waiting()
    shown = page()
    assert missing_in(shown, "<b>News of Attention</b>", "Ada: Attention has news.") == []
    assert "Hello" not in shown
    assert "/letters/off/" not in shown


def test_an_address_of_this_site_is_a_link_in_words(page, ada):
    post_news(ada)
    assert f'<a href="{settings.SITE_URL}/news/" rel="nofollow">Open the page</a>' in page()


def test_any_other_address_is_shown_as_it_is(page, ada):
    address = f"{settings.SITE_URL}.example.org/"
    post_news(ada, f"{address} <b>")
    assert missing_in(page(), f">{address}</a>", "&lt;b&gt;") == []


def test_a_letter_about_several_is_shown_once(page, ada, mail_server):
    for quiz in ("One", "Two"):
        post(kind=DUE, to=ada, payload={"quiz": quiz})
    send_waiting()
    shown = page()
    assert shown.count("<details") == 1
    assert missing_in(shown, "One is due", "Two is due") == []


def test_it_shows_what_is_switched_off_and_what_waits_for_the_morning(page, ada):
    set_preference(person=ada, kind=NEWS, how="off")
    set_preference(person=ada, kind=DUE, how="daily")
    post_news(ada)
    post(kind=DUE, to=ada, payload={"quiz": "Softmax"})
    send_waiting()
    assert missing_in(page(), "News of Attention", "Softmax is due tomorrow.") == []


def test_what_was_withdrawn_has_to_wait_or_is_old_is_left_out(page, ada, monkeypatch):
    post_news(ada, "Dropped", key="k")
    withdraw(key="k")
    post_news(ada, "Later", due=timezone.now() + DAY)
    post_news(ada, "Old", due=timezone.now() - 61 * DAY)
    post(kind=DUE, to=ada, payload={"quiz": "Secret"})
    secret = replace(kinds.get_kind(DUE), keys_to_delay=lambda all_of: {m.pk for m in all_of})
    kinds.register(secret)
    assert "<details" not in page()


def test_what_lost_its_reason_before_it_was_sent_is_left_out(page, ada):
    post_news(ada)
    kinds.register(replace(kinds.get_kind(NEWS), current_payloads=lambda messages: {}))
    assert "<details" not in page()


def test_letters_about_logging_in_are_left_out(page, ada):
    kinds.register(replace(kinds.get_kind(NEWS), sender="finished-letter"))
    post_news(ada)
    assert "<details" not in page()


def test_what_came_since_the_last_look_is_new_and_then_no_more(page, ada):
    post_news(ada, "First")
    assert page().count("<details open>") == 1
    assert page().count("<details open>") == 0
    post_news(ada, "Second")
    shown = page()
    assert shown.count("<details open>") == 1
    assert shown.index("Second") < shown.index("First")


def test_a_later_page_marks_nothing_as_seen(page, ada):
    for number in range(21):
        post_news(ada, f"class {number}")
    assert "class 0<" in page("?page=2")
    assert refresh(ada).notifications_seen is None


def test_nobody_sees_those_of_others(page, ada):
    sam = make_user("Sam")
    post_news(sam, "Sam's own")
    assert "<details" not in page()
    assert refresh(sam).notifications_seen is None
    assert Message.objects.get().to == sam
