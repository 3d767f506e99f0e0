"""What was done is read in the admin: found by verb, person, thing and day, and never changed."""

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from audit import admin, verbs
from audit.models import Event
from audit.services import record
from foundation import large_lists
from lessons.models import Lesson

pytestmark = [pytest.mark.django_db, pytest.mark.service]
LIST = "admin:audit_event_changelist"
RENAMED, MOVED = "tests.renamed", "tests.moved"


@pytest.fixture(autouse=True)
def _verbs(monkeypatch):
    monkeypatch.setattr(verbs, "_words", {})
    verbs.register(RENAMED, "renamed %(target)s")
    verbs.register(MOVED, "moved %(person)s")


@pytest.fixture
def root():
    return get_user_model().objects.create_superuser("root@example.org", name="Root")


@pytest.fixture
def staff(client, root):
    client.force_login(root)
    return client


@pytest.fixture
def ada():
    return get_user_model().objects.create_user("ada@example.org", name="Ada Lovelace")


@pytest.fixture
def events(root, ada):
    lesson = Lesson.objects.create(slug="one", title="Dot products")
    return [
        record(actor=ada, verb=RENAMED, target=lesson, before={"title": "<Dots>"}),
        record(actor=root, verb=MOVED, target=ada),
        record(actor=None, verb=RENAMED, target=lesson),
    ]


def listed(staff, **asked):
    return list(staff.get(reverse(LIST), asked).context_data["cl"].result_list)


def test_events_are_found_by_verb_person_and_thing(staff, root, ada, events):
    renamed, moved, by_the_site = events
    assert listed(staff) == [by_the_site, moved, renamed]
    assert listed(staff, verb=MOVED) == [moved]
    assert listed(staff, actor__id__exact=ada.pk) == [renamed]
    assert listed(staff, q="lovelace") == [moved, renamed]
    assert listed(staff, q="DOT prod") == [by_the_site, renamed]
    assert listed(staff, q="dot nobody") == []
    assert listed(staff, q="dot", verb=MOVED) == []


def test_things_are_looked_for_among_the_newest_and_people_among_all(
    staff, ada, events, monkeypatch
):
    renamed, moved, by_the_site = events
    monkeypatch.setattr(admin, "MOST_SEARCHED", 1)
    assert listed(staff, q="dot") == [by_the_site]
    assert listed(staff, q="ada") == [moved, renamed]


def test_an_event_is_read_and_not_changed(staff, events):
    address = reverse("admin:audit_event_change", args=[events[0].pk])
    page = staff.get(address).content.decode()
    assert "renamed Dot products" in page
    assert "Ada Lovelace" in page
    assert "title: &quot;&lt;Dots&gt;&quot;" in page
    assert 'name="_save"' not in page
    assert staff.post(address, {"reason": "x"}).status_code == 403
    delete = reverse("admin:audit_event_delete", args=[events[0].pk])
    assert staff.post(delete, {"post": "yes"}).status_code == 403
    assert Event.objects.count() == 3


def test_a_page_asks_no_more_of_the_database_the_more_events_there_are(staff, ada, events):
    def asked():
        with CaptureQueriesContext(connection) as queries:
            listed(staff)
        return len(queries)

    few = asked()
    Event.objects.bulk_create(
        Event(actor=ada, person=ada, verb=RENAMED, target_words="x") for _ in range(90)
    )
    assert asked() <= few


def test_a_search_finds_the_newest_things_whatever_the_lists_order(staff, events, monkeypatch):
    _renamed, _moved, by_the_site = events
    monkeypatch.setattr(admin, "MOST_SEARCHED", 1)
    assert listed(staff, q="dot", o="0") == [by_the_site]
    assert listed(staff, q="lovelace", o="0") == [events[0], events[1]]


def test_people_of_a_name_that_thousands_have_are_looked_for_among_the_newest(
    staff, ada, events, monkeypatch
):
    renamed, moved, _by_the_site = events
    record(actor=ada, verb=RENAMED, target=None)
    monkeypatch.setattr(large_lists, "MOST_PEOPLE", 0)
    assert listed(staff, q="ada")[1:] == [moved, renamed]
    monkeypatch.setattr(admin, "MOST_SEARCHED", 2)
    assert len(listed(staff, q="ada")) == 1
