"""The daily letter to staff about what waits in a class: to whom, when, and with what."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest
from django.core import mail
from django.utils import timezone

from classes.assignments.services.mornings import WAITING, post_morning_letters
from outbox.models import Message, Preference
from outbox.sending import send_waiting
from outbox.services import set_preference
from tests.world import missing_in, rules

pytestmark = pytest.mark.django_db
# Half past seven in Vienna, on the day on which the quiz closes.
MORNING = datetime(2027, 3, 1, 6, 30, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
RULES = rules(closes_at=MORNING + 6 * HOUR)


@pytest.fixture(autouse=True)
def at(monkeypatch):
    def go(when):
        monkeypatch.setattr(timezone, "now", lambda: when)

    go(MORNING)
    return go


@pytest.fixture
def wants(ines, assignment):
    set_preference(person=ines, kind=WAITING, how=Preference.How.AT_ONCE)


def letters():
    """Post and send what is due now; return the new letters about what waits."""
    already = len(mail.outbox)
    post_morning_letters()
    send_waiting(seconds=60)
    return [each for each in mail.outbox[already:] if "Waiting for you" in each.subject]


def test_who_asked_for_it_gets_what_the_class_s_page_shows(wants, ines, course):
    [letter] = letters()
    assert (letter.to, letter.subject) == ([ines.email], "Waiting for you in Attention 101")
    assert missing_in(letter.body, "– Ends today: ", f"/teach/{course.pk}/quizzes/") == []


def test_nobody_gets_it_without_asking_whatever_they_chose_for_all_kinds(ines, assignment):
    set_preference(person=ines, kind="", how=Preference.How.AT_ONCE)
    assert letters() == []


def test_there_is_one_a_day_and_none_when_nothing_waits(wants, at):
    assert len(letters()) == 1
    at(MORNING + HOUR)
    assert letters() == []
    at(MORNING + DAY)  # the quiz has closed, and nobody is in the class
    assert letters() == []
    assert Message.objects.filter(kind=WAITING, state="dropped").count() == 1


def test_it_comes_in_the_morning_of_the_class(wants, at):
    for when in (MORNING - HOUR, MORNING + 3 * HOUR):
        at(when)
        assert letters() == []
    at(MORNING + 2 * HOUR)
    assert len(letters()) == 1


def test_it_goes_to_staff_of_the_class_alone(wants, ines, add_member, course):
    gone = add_member("Gus", role="assistant", state="left").user
    for person in (add_member("Sam").user, gone):
        set_preference(person=person, kind=WAITING, how=Preference.How.AT_ONCE)
    assert [letter.to for letter in letters()] == [[ines.email]]


def test_a_link_in_it_ends_it(wants, client, at):
    [letter] = letters()
    [link] = re.findall(r"https?://\S+/letters/off/\S+|https?://\S+off\S+", letter.body)
    client.post(urlsplit(link).path)
    assert Preference.objects.get(kind=WAITING).how == Preference.How.OFF


def test_staff_alone_are_offered_it_and_may_ask_for_it(ines_client, ines, log_in, sam):
    assert WAITING not in log_in(sam.user).get("/letters/").text
    page = ines_client.get("/letters/").text
    assert missing_in(page, f'name="{WAITING}"', "What’s waiting for you in your classes") == []
    offer = page.partition(f'name="{WAITING}"')[2].partition("</select>")[0]
    assert 'value="off" selected' in offer
    for how in ("now", "off"):
        ines_client.post("/letters/", {"every": "now", WAITING: how})
        assert Preference.objects.get(person=ines, kind=WAITING).how == how
