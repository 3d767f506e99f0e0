"""Events are appended together with the action, read by an index, and never changed."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.transaction import TransactionManagementError
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy

from accounts.personal import export_personal_data, forget
from audit import verbs
from audit.changes import changed_values, field_values
from audit.models import AppendOnly, Event
from audit.queries import event_page, events
from audit.services import record
from lessons.models import Lesson
from tests.world import found_in, make_user, refresh

pytestmark = pytest.mark.django_db

MOVED, RENAMED = "tests.moved", "tests.renamed"


@pytest.fixture(autouse=True)
def _verbs(monkeypatch):
    monkeypatch.setattr(verbs, "_words", {})
    verbs.register(MOVED, gettext_lazy("moved %(person)s to %(target)s, group %(group)s"))
    verbs.register(RENAMED, "renamed %(target)s")


@pytest.fixture
def sam(db):
    return make_user("Sam", name="Sam Student")


@pytest.fixture
def lesson_one():
    return Lesson.objects.create(slug="one", title="Lesson one")


@pytest.mark.service
def test_an_event_has_its_actor_verb_target_and_reason(ada, sam, lesson_one):
    record(
        actor=ada,
        verb=MOVED,
        target=lesson_one,
        person=sam,
        scope="course:12",
        before={"group": "a", "at": timezone.now(), "factor": Decimal("1.5")},
        after={"group": "b"},
        reason="She asked.",
    )
    event = events(scope="course:12").get()
    assert event.actor_name == "Ada Lovelace"
    assert event.description == "moved Sam Student to Lesson one, group b"
    assert (event.target_type, event.target_id) == ("lessons.lesson", str(lesson_one.pk))
    assert (event.before["factor"], event.reason) == ("1.5", "She asked.")


def test_what_the_site_does_by_itself_has_no_actor(lesson_one):
    assert record(actor=None, verb=RENAMED, target=lesson_one).actor_name == "The site"


def test_a_person_as_target_is_named_by_reference_alone(ada, sam):
    record(actor=ada, verb=RENAMED, target=sam)
    event = Event.objects.get()
    assert (event.person, event.target_words) == (sam, "")


def test_words_missing_from_an_old_event_are_shown_as_unknown(ada, sam, lesson_one):
    words = record(actor=ada, verb=MOVED, target=lesson_one, person=sam).description
    assert words == "moved Sam Student to Lesson one, group (unknown)"


def test_a_verb_of_an_app_that_is_gone_is_shown_as_it_is(ada, lesson_one, monkeypatch):
    event = record(actor=ada, verb=RENAMED, target=lesson_one)
    monkeypatch.setattr(verbs, "_words", {})
    assert event.description == RENAMED


def test_a_verb_that_nobody_registered_is_refused(ada, lesson_one):
    with pytest.raises(verbs.UnknownVerb):
        record(actor=ada, verb="tests.unheard", target=lesson_one)


def test_what_is_too_long_is_cut_and_not_refused(ada):
    long = Lesson(pk=1, slug="long", title="x" * 300)
    event = record(actor=ada, verb=RENAMED, target=long, reason="y" * 5000)
    assert (len(refresh(event).target_words), len(event.reason)) == (200, 500)


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_a_deed_that_fails_leaves_no_event(ada, lesson_one):
    with transaction.atomic():
        record(actor=ada, verb=RENAMED, target=lesson_one)
        transaction.set_rollback(True)
    assert not Event.objects.exists()
    with pytest.raises(TransactionManagementError):
        record(actor=ada, verb=RENAMED, target=lesson_one)


# Append-only


@pytest.fixture
def event(ada, lesson_one):
    return record(actor=ada, verb=RENAMED, target=lesson_one, reason="because")


@pytest.mark.parametrize(
    "change",
    [
        lambda event: event.save(),
        lambda event: event.delete(),
        lambda event: Event.objects.update(reason=""),
        lambda event: Event.objects.filter(pk=event.pk).delete(),
        lambda event: Event.objects.bulk_update([event], ["reason"]),
        lambda event: Event.objects.update_or_create({"reason": ""}, pk=event.pk),
        lambda event: Event.objects.bulk_create([Event(pk=event.pk)]),
    ],
)
def test_no_code_changes_or_deletes_an_event(event, change):
    with pytest.raises((AppendOnly, DatabaseError)), transaction.atomic():
        change(event)
    assert Event.objects.get().reason == "because"


@pytest.mark.service
@pytest.mark.parametrize("sql", ["UPDATE audit_event SET reason = ''", "DELETE FROM audit_event"])
def test_the_database_refuses_it_too(event, sql):
    with (
        pytest.raises(DatabaseError, match="never changed"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(sql)
    assert Event.objects.get().reason == "because"


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_a_test_that_commits_events_leaves_none_behind(ada, lesson_one):
    """The next test starts empty, despite the trigger that forbids deletion (conftest.py)."""
    with transaction.atomic():
        record(actor=ada, verb=RENAMED, target=lesson_one)


# People


def test_a_name_goes_with_its_person_and_the_event_stays(ada, sam, lesson_one):
    record(actor=ada, verb=MOVED, target=lesson_one, person=sam, after={"group": "b"})
    forget(user=sam)
    forget(user=ada)
    event = events().get()
    assert "Sam" not in event.description
    assert event.person_name == f"Deleted person {sam.pk}"
    assert event.actor_name == f"Deleted person {ada.pk}"


@pytest.mark.service
@pytest.mark.parametrize("read", [events, Event.objects.all])
def test_a_person_who_is_deleted_whole_takes_no_event_along(ada, lesson_one, read):
    record(actor=ada, verb=RENAMED, target=lesson_one)
    number = ada.pk
    ada.delete()
    assert read().get().actor_name == f"Deleted person {number}"


@pytest.mark.service
def test_a_persons_file_has_what_they_did_and_what_was_done_to_them(ada, sam, lesson_one):
    record(actor=ada, verb=MOVED, target=lesson_one, person=sam, reason="She asked.")
    record(actor=ada, verb=RENAMED, target=lesson_one)
    assert [event["verb"] for event in export_personal_data(sam)["events"]] == [MOVED]
    assert export_personal_data(sam)["events"][0]["reason"] == "She asked."
    adas = export_personal_data(ada)["events"]
    assert [event["by_this_person"] for event in adas] == [True, True]


# Reading


@pytest.mark.service
def test_events_are_found_by_whatever_is_known_of_them(ada, sam, lesson_one):
    other = Lesson.objects.create(slug="two", title="Lesson two")
    first = record(actor=ada, verb=MOVED, target=lesson_one, person=sam, scope="course:1")
    second = record(actor=sam, verb=RENAMED, target=other, scope="course:12")
    assert list(events()) == [second, first]
    assert list(events(scope="course:1")) == [first]
    assert list(events(verb=RENAMED)) == [second]
    assert list(events(actor=ada)) == [first]
    assert list(events(person=sam)) == [first]
    assert list(events(target=other)) == [second]
    assert list(events(since=second.at)) == [second]
    assert list(events(until=second.at)) == [first]
    assert not events(actor=ada, verb=RENAMED)


@pytest.mark.service
def test_pages_follow_one_another_also_among_events_of_one_moment(ada, lesson_one):
    now = timezone.now()
    Event.objects.bulk_create(
        Event(verb=RENAMED, at=now - timedelta(seconds=number // 3)) for number in range(10)
    )
    seen, after, more = [], None, True
    while more:
        rows, more = event_page(events(), after=after, size=4)
        seen += rows
        after = rows[-1]
    assert seen == list(events())
    assert len(seen) == 10


@pytest.mark.service
@pytest.mark.slow
def test_a_page_of_a_long_list_is_read_by_an_index(ada, sam, lesson_one):
    Event.objects.bulk_create(
        Event(
            actor=(ada, sam)[number % 2],
            person=(sam, ada)[number % 2],
            verb=f"tests.{number % 40}",
            scope=f"course:{number % 50}",
            target_type="lessons.lesson",
            target_id=lesson_one.pk + number % 50,
        )
        for number in range(20_000)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    for known in (
        *({}, {"scope": "course:7"}, {"verb": "tests.7"}),
        *({"actor": ada}, {"person": ada}, {"target": lesson_one}),
    ):
        plan = events(**known)[:30].explain().lower()
        assert "event_" in plan
        assert found_in(plan, "sort", "temp b-tree") == []


def test_only_changed_fields_are_shown(lesson_one):
    before = field_values(lesson_one, "title", "slug")
    lesson_one.title = "Another"
    changed = changed_values(before, field_values(lesson_one, "title", "slug"))
    assert changed == ({"title": "Lesson one"}, {"title": "Another"})
    assert changed_values({"a": 1}, {"a": 1}) == ({}, {})
    assert changed_values({"a": None}, {}) == ({"a": None}, {})


def test_the_words_are_in_the_language_of_whoever_reads(ada, lesson_one):
    event = record(actor=None, verb=RENAMED, target=lesson_one)
    with translation.override("en"):
        assert event.description == "renamed Lesson one"
