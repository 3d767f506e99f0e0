"""The record of events in the admin: found by verb, person, thing and day, and never changed."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse, reverse_lazy

from audit import admin, verbs
from audit.models import Event
from audit.services import record
from foundation import large_lists
from lessons.models import Lesson
from tests.world import admin_rows, missing_in

pytestmark = pytest.mark.django_db
LIST = reverse_lazy("admin:audit_event_changelist")
RENAMED, MOVED = "tests.renamed", "tests.moved"


@pytest.fixture(autouse=True)
def _verbs(monkeypatch):
    monkeypatch.setattr(verbs, "_words", {})
    verbs.register(RENAMED, "renamed %(target)s")
    verbs.register(MOVED, "moved %(person)s")


@pytest.fixture
def events(root, ada):
    lesson = Lesson.objects.create(slug="one", title="Dot products")
    return [
        record(actor=ada, verb=RENAMED, target=lesson, before={"title": "<Dots>"}),
        record(actor=root, verb=MOVED, target=ada),
        record(actor=None, verb=RENAMED, target=lesson),
    ]


@pytest.mark.service
def test_events_are_found_by_verb_person_and_thing(root_client, root, ada, events):
    renamed, moved, by_the_site = events
    assert admin_rows(root_client, LIST) == [by_the_site, moved, renamed]
    assert admin_rows(root_client, LIST, verb=MOVED) == [moved]
    assert admin_rows(root_client, LIST, actor__id__exact=ada.pk) == [renamed]
    assert admin_rows(root_client, LIST, q="lovelace") == [moved, renamed]
    assert admin_rows(root_client, LIST, q="DOT prod") == [by_the_site, renamed]
    assert admin_rows(root_client, LIST, q="dot nobody") == []
    assert admin_rows(root_client, LIST, q="dot", verb=MOVED) == []


def test_things_are_looked_for_among_the_newest_and_people_among_all(
    root_client, ada, events, monkeypatch
):
    renamed, moved, by_the_site = events
    monkeypatch.setattr(admin, "MAX_SEARCHED", 1)
    for order in ({}, {"o": "0"}):
        assert admin_rows(root_client, LIST, q="dot", **order) == [by_the_site]
        found = admin_rows(root_client, LIST, q="lovelace", **order)
        assert found == ([renamed, moved] if order else [moved, renamed])


def test_an_event_is_read_and_not_changed(root_client, events):
    address = reverse("admin:audit_event_change", args=[events[0].pk])
    page = root_client.get(address).text
    assert missing_in(page, "renamed Dot products", "Ada Lovelace") == []
    assert "title: &quot;&lt;Dots&gt;&quot;" in page
    assert 'name="_save"' not in page


@pytest.mark.service
def test_a_page_asks_no_more_of_the_database_the_more_events_there_are(root_client, ada, events):
    def asked():
        with CaptureQueriesContext(connection) as queries:
            admin_rows(root_client, LIST)
        return len(queries)

    few = asked()
    Event.objects.bulk_create(
        Event(actor=ada, person=ada, verb=RENAMED, target_words="x") for _ in range(90)
    )
    assert asked() <= few


@pytest.mark.service
def test_people_of_a_name_that_thousands_have_are_looked_for_among_the_newest(
    root_client, ada, events, monkeypatch
):
    renamed, moved, _by_the_site = events
    record(actor=ada, verb=RENAMED, target=None)
    monkeypatch.setattr(large_lists, "MAX_PEOPLE", 0)
    assert admin_rows(root_client, LIST, q="ada")[1:] == [moved, renamed]
    monkeypatch.setattr(admin, "MAX_SEARCHED", 2)
    assert len(admin_rows(root_client, LIST, q="ada")) == 1
