"""A class's life: creation, settings, archive, its code to join by, and its history."""

import pytest

from audit.models import Event
from classes.courses.services.courses import change_course, set_code_open
from classes.models import Assignment, Course, Membership
from tests.each import each
from tests.world import later, make_user, missing_in, refresh, visible_text

SETTINGS = {"title": "Attention 102", "time_zone": "Asia/Tokyo", "first_day": "2026-10-05"}


def test_an_instructor_makes_a_class_and_runs_it(log_in, ines):
    client = log_in(ines)
    assert "Create a class" in client.get("/teach/").text
    made = client.post("/teach/new/", SETTINGS, follow=True)
    course = Course.objects.get()
    assert (course.title, course.time_zone, str(course.first_day)) == tuple(SETTINGS.values())
    assert course.memberships.get().role == "instructor"
    assert course.formatted_code in made.text
    assert "Attention 102" in client.get("/teach/").text
    assert Event.objects.filter(scope=course.scope).count() == 2


def test_the_card_of_a_class_says_what_is_next_and_who_works_now(
    ines_client, log_in, add_member, assignment, attempts_by_name
):
    Assignment.objects.update(due_at=later(60))
    assignment.course.memberships.create(email="ivo@x.org", role="student", state="invited")
    page = visible_text(ines_client.get("/teach/").text)
    told = ["5 students, 1 invited", "1 working now", assignment.sitting.quiz.title, "due"]
    assert missing_in(page, *told) == []
    page = visible_text(ines_client.get(assignment.get_absolute_url()).text)
    assert missing_in(page, "of 5 started", "1 more person is invited.") == []
    # These are of the whole class, which an assistant of one section doesn't see.
    abe = log_in(add_member("Abe", role="assistant", section="A").user)
    shown = visible_text(abe.get("/teach/").text)
    assert missing_in(shown, "Assistant · A", "student", "working now") == [
        "student",
        "working now",
    ]


def test_a_student_makes_none(log_in, db):
    client = log_in(make_user("Sam"))
    assert "Create a class" not in client.get("/teach/").text
    assert client.get("/teach/new/").status_code == 403
    assert client.post("/teach/new/", SETTINGS).status_code == 403
    assert not Course.objects.exists()


@each(
    "field, wrong",
    [("title", wrong) for wrong in ("", "x" * 121, "\u200b ", "a\x00b")]
    + [("time_zone", wrong) for wrong in ("", "Mars/Olympus", "../../etc/passwd")]
    + [("first_day", wrong) for wrong in ("31.02.2026", "0001-01-01", "9999-12-31")],
)
def test_invalid_settings_show_errors_at_the_form(ines_client, course, field, wrong):
    for url in ("/teach/new/", f"/teach/{course.pk}/settings/"):
        page = ines_client.post(url, SETTINGS | {field: wrong})
        assert page.status_code == 200
        assert "There is a problem" in page.text
    assert refresh(course).title == "Attention 101"


def test_a_change_of_settings_is_remembered_with_what_was_before(ines_client, course, ines):
    ines_client.post(f"/teach/{course.pk}/settings/", SETTINGS)
    event = Event.objects.get(verb="classes.course.changed")
    assert (event.before["title"], event.after) == ("Attention 101", SETTINGS)
    change_course(course=course, by=ines, **(SETTINGS | {"first_day": event.at.date()}))
    assert Event.objects.filter(verb="classes.course.changed").count() == 2


def test_archiving_asks_first_and_can_be_undone(ines_client, course):
    url = f"/teach/{course.pk}/archive/"
    assert "Archive this class?" in ines_client.get(url).text
    ines_client.post(url, {"to": "archive"})
    assert refresh(course).archived
    ines_client.post(url, {"to": "archive"})  # a second time changes nothing
    assert refresh(course).archived
    ines_client.post(url, {"to": "fetch"})
    assert not refresh(course).archived


def test_the_code_is_closed_opened_and_renewed(ines_client, course):
    url, code = f"/teach/{course.pk}/joining/", course.code
    assert f"/join/{code}/" in ines_client.get(url).text
    closed = ines_client.post(url, {"code": "close"}, follow=True).text
    assert "Joining is turned off" in closed
    assert f"/join/{code}/" not in closed
    assert course.formatted_code in ines_client.post(url, {"code": "open"}, follow=True).text
    ines_client.post(url, {"code": "new"})
    ines_client.post(url, {"code": "?"})
    assert refresh(course).code != code
    verbs = list(Event.objects.filter(verb__contains=".code.").values_list("verb", flat=True))
    assert sorted(verbs) == [f"classes.code.{deed}" for deed in ("closed", "opened", "renewed")]


# History


@pytest.fixture
def url(course):
    return f"/teach/{course.pk}/history/"


def test_the_history_tells_who_did_what_to_whom_and_why(ines_client, url, course, add_member):
    ann = add_member("Ann")
    change = {"member": ann.pk, "role": "observer", "section": "", "reason": "Only <listens>"}
    ines_client.post(f"/teach/{course.pk}/people/change/", change | {"add_labels": "guest"})
    page = ines_client.get(url).text
    assert "<b><bdi>Ines</bdi></b> changed <bdi>Ann</bdi>" in page
    assert missing_in(page, "role: Student, now Observer", "Reason: Only &lt;listens&gt;") == []


def test_the_history_is_filtered(ines_client, url, course, ines, add_member):
    set_code_open(course=course, by=ines, is_open=False)
    ann, bob = add_member("Ann"), add_member("Bob")
    for gone in (ann, bob):
        ines_client.post(f"/teach/{course.pk}/people/remove/", {"member": gone.pk})
    assert "Ann" in ines_client.get(url).text

    def lines(query):
        return ines_client.get(f"{url}?{query}").text.partition('class="plain-list history"')[2]

    assert "turned off the joining code" in lines("verb=classes.code.closed")
    assert "Ann" not in lines("verb=classes.code.closed")
    assert "Bob" not in lines(f"member={ann.pk}")
    assert "Ann" in lines(f"member={ann.pk}")
    assert "Ann" in lines(f"actor={ines.pk}")
    assert "Ann" not in lines("since=2090-01-01")
    assert "Ann" not in lines("until=2001-01-01")
    for nonsense in ("verb=x", "actor=x", "since=x", "until=9999-12-31", "member=x", "after=%00"):
        assert "Ann" in lines(nonsense)


def test_no_other_class_stands_in_it(ines_client, url, other_course, add_member):
    stranger = add_member("Stranger", of=other_course)
    event = Event.objects.filter(scope=other_course.scope).first()
    assert "Otto" not in ines_client.get(url).text
    assert "Stranger" not in ines_client.get(f"{url}?member={stranger.pk}").text
    assert "Attention" in ines_client.get(f"{url}?after={event.pk}").text


def test_a_long_history_is_paged_with_few_queries(
    ines_client, url, course, ines, django_assert_max_num_queries
):
    for number in range(120):
        set_code_open(course=course, by=ines, is_open=bool(number % 2))
    with django_assert_max_num_queries(12):
        page = ines_client.get(url).text
    assert page.count("<time") == 50
    older = page.partition('href="?after=')[2].partition('"')[0]
    assert ines_client.get(f"{url}?after={older}").text.count("<time") == 50


def test_somebody_who_was_forgotten_is_in_no_history(ines_client, url, course, add_member):
    from accounts.personal import forget

    ann = add_member("Ann", section="A")
    ann.labels.create(course=course, text="extra time")
    ines_client.post(f"/teach/{course.pk}/people/remove/", {"member": ann.pk})
    forget(user=ann.user)
    page = ines_client.get(url).text
    assert "Ann" not in page
    assert f"Deleted person {ann.user_id}" in page
    assert (refresh(ann).state, ann.labels.count()) == ("removed", 0)
    assert Membership.objects.filter(pk=ann.pk).exists()
