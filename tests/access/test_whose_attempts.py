"""The attempts that each member of staff sees: in lists, by address, in posts, in choices.

Everybody here is an instructor by role and may open these pages. The rows that they find there
depend on their roles: attempts at their classes' assignments, and nothing besides.
"""

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.urls import reverse

from accounts.roles import make_instructor
from classes.models import Assignment, Course, Membership
from quizzes import visibility
from quizzes.delivery.effective_settings import own_settings
from quizzes.delivery.services.taking import start_attempt, submit_attempt
from quizzes.items.skills import Skill
from quizzes.marking.services import grade_waiting
from quizzes.models import (
    Answer,
    Attempt,
    ExtraTime,
    Grade,
    Item,
    Quiz,
    Report,
    Ruling,
    RulingLine,
    Sitting,
    Submission,
)
from quizzes.practice.services import check_item, practise_skill
from quizzes.regrades.services import draft_regrade
from quizzes.reports.services import report_item
from tests.conftest import FormClient
from tests.world import make_question, save_answer, wrong_fields

# On one xdist worker, which creates the attempts once.
pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("whose attempts")]

# Ann and Bob are in one class, in two sections; Cem is in another; Dan learns alone.
STUDENTS = ("Ann", "Bob", "Cem", "Dan")
SEEN_BY = {
    "without a class": (),
    "left the class": (),
    "student of the class": (),
    "instructor": ("Ann", "Bob"),
    "instructor with a section": ("Ann", "Bob"),
    "assistant": ("Ann", "Bob"),
    "assistant of a section": ("Ann",),
    "observer": ("Ann", "Bob"),
    "instructor of an archived class": ("Cem",),
    "administrator": STUDENTS,
}
ROLES = {
    "left the class": ("A", "instructor", "", "left"),
    "student of the class": ("A", "student", "", "active"),
    "instructor": ("A", "instructor", "", "active"),
    "instructor with a section": ("A", "instructor", "1", "active"),
    "assistant": ("A", "assistant", "", "active"),
    "assistant of a section": ("A", "assistant", "1", "active"),
    "observer": ("A", "observer", "", "active"),
    "instructor of an archived class": ("B", "instructor", "", "active"),
}
LISTS = ("attempt", "submission")
# These try every page; the querysets are tested for everybody.
ON_PAGES = ("without a class", "instructor", "assistant of a section", "observer", "administrator")


@pytest.fixture(params=ON_PAGES, scope="module")
def who(request):
    return request.param


EVERYBODY = pytest.mark.parametrize("who", SEEN_BY, indirect=True)


@pytest.fixture(scope="module")
def taken(lasting_rows):
    """Each student's attempts. Every submission is marked, except the first of practice."""
    make_question("keys-1", "keys")
    make_question("keys-2", "keys")
    courses, sittings = {}, {}
    for course, title, archived in (("A", "Alpha", False), ("B", "Beta", True)):
        courses[course] = Course.objects.create(title=course, time_zone="UTC", archived=archived)
        quiz = Quiz.objects.create(slug=title.lower(), title=title, published=True)
        quiz.slots.create(position=1, topic="keys")
        sitting = Sitting.objects.create(quiz=quiz, given_in=course, open_to_all=False)
        Assignment.objects.create(course=courses[course], sitting=sitting)
        sittings[course] = (quiz, sitting)
    made = {}
    for name, course, section in (("Ann", "A", "1"), ("Bob", "A", "2"), ("Cem", "B", "1")):
        person = account(name)
        Membership.objects.create(course=courses[course], user=person, section=section)
        quiz, sitting = sittings[course]
        made[name] = [start_attempt(student=person, quiz=quiz, settings=own_settings(sitting))]
    # A quiz of Ann's class, but at another sitting than the class's.
    alone = account("Dan")
    Membership.objects.create(course=courses["A"], user=alone, section="1")
    practice = practise_skill(student=alone, skill=Skill("topic", "keys"))
    made["Dan"] = [start_attempt(student=alone, quiz=sittings["A"][0]), practice]
    for attempts in made.values():
        submit_attempt(attempt=attempts[0])
        for attempt in attempts:
            report_item(item=attempt.items.select_related("attempt").get(), sentence="It is odd.")
    [item] = practice.items.all()
    save_answer(item, wrong_fields(item))
    check_item(attempt=practice, position=1)
    grade_waiting()
    return made


def account(name):
    address = f"{name.lower()}@learners.example"
    return get_user_model().objects.create_user(address, "secret", name=f"{name} Learner")


@pytest.fixture
def person(who, taken):
    """An instructor by role, with access according to `who`."""
    user = get_user_model().objects.create_user("staff@example.org", "secret", name="Staff")
    make_instructor(user)
    if who in ROLES:
        title, role, section, state = ROLES[who]
        course = Course.objects.get(title=title)
        Membership.objects.create(course=course, user=user, role=role, section=section, state=state)
    if who == "administrator":
        user.is_superuser = True
        user.save()
    return user


@pytest.fixture
def client(person):
    client = FormClient()
    client.force_login(person)
    return client


@pytest.fixture
def seen(who, taken):
    """The keys of the attempts that this person may see, and of those that they may not."""
    of = SEEN_BY[who]
    own = {each.pk for name in of for each in taken[name]}
    return own, {each.pk for attempts in taken.values() for each in attempts} - own


def named_on(page):
    return {name for name in STUDENTS if f"{name} Learner" in page}


def keys_of(rows, of="attempt"):
    return set(rows.values_list(of, flat=True))


# Rows


@pytest.mark.service
@EVERYBODY
def test_whoever_sees_an_attempt_sees_what_belongs_to_it(person, seen):
    own, _others = seen
    assert keys_of(Attempt.objects.visible_to(person), "pk") == own
    assert keys_of(Item.objects.visible_to(person)) == own
    assert keys_of(Submission.objects.visible_to(person)) == own
    assert keys_of(Answer.objects.visible_to(person), "submission__attempt") == own
    assert keys_of(Grade.objects.visible_to(person), "answer__submission__attempt") == own
    assert keys_of(Report.objects.visible_to(person), "item__attempt") == own


def test_a_regrade_is_seen_with_any_attempt_that_it_is_about(person, who, taken):
    made = {
        name: draft_regrade(
            regrade=Ruling(quiz=attempt.quiz, sitting=attempt.sitting, kind="void", reason="Odd.")
        )
        for name in ("Ann", "Cem", "Dan")
        for attempt in taken[name][:1]
    }
    found = set(Ruling.objects.visible_to(person))
    assert found == {regrade for name, regrade in made.items() if name in SEEN_BY[who]}
    lines = RulingLine.objects.visible_to(person)
    seen = {taken[name][0].pk for name in SEEN_BY[who]}
    assert keys_of(lines) == seen


@pytest.mark.parametrize("who", ["instructor"], indirect=True)
def test_without_a_provider_only_administrators_see_attempts(person, taken, monkeypatch):
    monkeypatch.setattr(visibility, "_providers", [])
    assert not Attempt.objects.visible_to(person).exists()
    person.is_superuser = True
    assert Attempt.objects.visible_to(person).count() == 5


@pytest.mark.parametrize("who", ["assistant of a section"], indirect=True)
def test_a_section_is_one_of_a_class(person, taken):
    """Sections of the same name in two classes are unrelated."""
    elsewhere = Course.objects.create(title="C", time_zone="UTC")
    Membership.objects.create(course=elsewhere, user=taken["Bob"][0].student, section="1")
    Membership.objects.create(course=elsewhere, user=person, role="assistant", section="1")
    assert keys_of(Attempt.objects.visible_to(person), "student__name") == {"Ann Learner"}


# Lists


@pytest.mark.service
@EVERYBODY
@pytest.mark.parametrize("model", LISTS)
def test_a_list_and_its_search_have_the_rows_that_are_seen(client, who, model):
    url = reverse(f"admin:quizzes_{model}_changelist")
    assert named_on(client.get(url).text) == {*SEEN_BY[who]}
    assert named_on(client.get(url, {"q": "learner"}).text) == {*SEEN_BY[who]}
    found = client.get(url, {"q": "cem@learners.example"}).text
    assert named_on(found) == {*SEEN_BY[who]} & {"Cem"}


@pytest.mark.parametrize("model", LISTS)
def test_a_filter_offers_the_quizzes_of_the_rows_that_are_seen(client, who, model):
    cl = client.get(reverse(f"admin:quizzes_{model}_changelist")).context_data["cl"]
    offered = {
        choice["display"]
        for spec in cl.filter_specs
        if spec.title == "quiz"
        for choice in spec.choices(cl)
    }
    quizzes = {"Ann": "Alpha", "Bob": "Alpha", "Cem": "Beta", "Dan": "Alpha"}
    # With no choice, or only one, there is no filter.
    wanted = {quizzes[name] for name in SEEN_BY[who]}
    assert offered & {"Alpha", "Beta"} == (wanted if len(wanted) > 1 else offered & wanted)


@pytest.mark.parametrize("model", LISTS)
def test_a_filter_by_a_quiz_that_is_not_offered_finds_nothing_more(client, who, model):
    name = "quiz__id__exact" if model == "attempt" else "attempt__quiz__id__exact"
    beta = Quiz.objects.get(slug="beta")
    page = client.get(reverse(f"admin:quizzes_{model}_changelist"), {name: beta.pk})
    assert named_on(page.text) == {*SEEN_BY[who]} & {"Cem"}


# One row, by its address


def test_the_page_of_an_attempt_is_there_for_whoever_sees_it(client, seen):
    own, others = seen
    for keys, status in ((own, 200), (others, 302)):
        for pk in keys:
            for name in ("change", "history"):
                answer = client.get(reverse(f"admin:quizzes_attempt_{name}", args=[pk]))
                assert answer.status_code == status
    for pk in others:
        assert client.get(reverse("admin:quizzes_attempt_review", args=[pk])).status_code == 404


def test_the_page_of_a_submission_is_there_for_whoever_sees_its_attempt(client, seen):
    own, _others = seen
    for submission in Submission.objects.all():
        status = 200 if submission.attempt_id in own else 302
        for name in ("change", "history"):
            url = reverse(f"admin:quizzes_submission_{name}", args=[submission.pk])
            assert client.get(url).status_code == status


def test_the_review_is_there_for_whoever_sees_the_attempt(client, seen):
    own, _others = seen
    for attempt in Attempt.objects.filter(mode="graded"):
        status = 200 if attempt.pk in own else 404
        assert client.get(reverse("quizzes:review", args=[attempt.pk])).status_code == status


def test_more_time_is_given_by_administrators_alone(client, who, seen):
    own, others = seen
    Attempt.objects.filter(mode="graded").update(state="open")
    for pk in own | others:
        url = reverse("admin:quizzes_attempt_give_more_time", args=[pk])
        assert client.get(url).status_code == (302 if who == "administrator" else 403)
    for pk in own:
        page = client.get(reverse("admin:quizzes_attempt_change", args=[pk])).text
        # The link to the withdrawal of attempts.
        assert ("Numbers" in page) == (who == "administrator")
        if who != "administrator":
            assert "Give more time" not in page


# What is posted


def test_only_what_is_seen_is_marked_again(client, seen):
    own, _others = seen
    Submission.objects.update(state="attention", tries=5)
    chosen = [submission.pk for submission in Submission.objects.all()]
    url = reverse("admin:quizzes_submission_changelist")
    for more in ({}, {"select_across": "1"}):
        client.post(url, {"action": "mark_again", "_selected_action": chosen, **more})
    assert keys_of(Submission.objects.filter(state="waiting")) == own
    assert Submission.objects.filter(state="attention").count() == 5 - len(own)


def test_extra_time_cannot_be_given_to_an_attempt_that_is_not_seen(client, person, who, seen):
    """Additional permissions change nothing."""
    person.user_permissions.set(Permission.objects.filter(content_type__model="extratime"))
    own, others = seen
    Attempt.objects.filter(mode="graded").update(state="open")
    asked = {"app_label": "quizzes", "model_name": "extratime", "field_name": "attempt"}
    found = client.get(reverse("admin:autocomplete"), asked | {"term": "learner"}).json()
    assert {int(each["id"]) for each in found["results"]} == own
    for pk in others:
        sent = {"student": person.pk, "attempt": pk, "factor": "2", "minutes": "0"}
        page = client.post(reverse("admin:quizzes_extratime_add"), sent).text
        assert named_on(page) <= {*SEEN_BY[who]}
        assert "This attempt belongs to" not in page
    assert not ExtraTime.objects.exists()


# The desks of the site


def test_the_desk_of_reports_has_those_of_attempts_that_are_seen(client, who):
    page = client.get(reverse("quizzes:reports"))
    # The reports of classes are at desks of their own.
    assert named_on(page.text) == {*SEEN_BY[who]} & {"Dan"}
    assert ("Alpha" in page.text) == (who == "administrator")


def test_a_report_that_is_not_seen_is_not_answered(client, who):
    for report in Report.objects.filter(student__name="Dan Learner"):
        sent = {"report": report.pk, "version": report.version, "answer": "No."}
        answer = client.post(reverse("quizzes:reports"), sent)
        assert (answer.status_code == 404) == (who != "administrator")


def test_the_desk_of_regrades_rules_over_attempts_that_are_seen(client, who, taken):
    own = taken["Dan"][0]
    regrade = Ruling(quiz=own.quiz, sitting=own.sitting, kind="void", reason="It is odd.")
    draft = draft_regrade(regrade=regrade)
    status = 200 if who == "administrator" else 404
    base = reverse("quizzes:rulings")
    item = own.items.get()
    new = (f"new/?sitting={own.sitting_id}&of=all", f"new/?item={item.pk}")
    for more in (*new, f"{draft.pk}/", f"{draft.pk}/apply/"):
        assert client.get(base + more, follow=True).status_code == status, more
    assert ("It is odd." in client.get(base).text) == (who == "administrator")
    assert ("Alpha" in client.get(f"{base}new/").text) == (who == "administrator")
