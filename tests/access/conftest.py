"""The world in which every address is requested, and the people who request it."""

import re

import pytest
from allauth.mfa.models import Authenticator
from django.apps import apps
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.contenttypes.models import ContentType

from accounts.roles import make_instructor
from api.services import create_token
from audit import verbs
from audit.services import record
from classes.assignments.services.calendars import create_calendar
from classes.models import Assignment, Course, MemberNote, Membership, Override
from lessons.authoring.history import newest_version
from lessons.models import Lesson, LessonImage
from outbox.models import Message
from outbox.unsubscribing import UnsubscribeLink
from quizzes.delivery.effective_settings import own_settings
from quizzes.delivery.services.previews import start_preview
from quizzes.delivery.services.taking import start_attempt, submit_attempt
from quizzes.items.skills import Skill
from quizzes.marking.services import grade_waiting
from quizzes.models import (
    Certificate,
    ConceptQuestion,
    ExtraTime,
    ProblemProof,
    Ruling,
    Sitting,
    Slot,
    StruckOut,
    Topic,
    Variant,
    WrittenProblem,
)
from quizzes.practice.services import practise_skill
from quizzes.regrades.services import draft_regrade
from quizzes.reports.services import report_item
from sharing.services import add_owner
from tests.access.addresses import EVERY, ROLES
from tests.quizzes.written.published import publish


@pytest.fixture
def people():
    create = get_user_model().objects.create_user
    names = (*ROLES[1:], "classmate")
    made = {name: create(f"{name}@example.org", "secret", name=name) for name in names}
    make_instructor(made["instructor"])
    administrator = made["administrator"]
    administrator.is_staff = administrator.is_superuser = True
    administrator.save()
    return made


@pytest.fixture
def objects(quiz, people):
    """The owner's objects, by the names that addresses use for them."""
    lesson = Lesson.objects.create(slug="one", title="One", published=True)
    lesson.sections.create(slug="first", title="First", body="Words.", families="softmax_row")
    Topic.objects.create(key="keys", title="Keys")
    LessonImage.objects.create(
        name="image", alt="alt", digest="d" * 64, file="none.png", width=1, height=1
    )
    draft = make_written_problem()
    for row in (lesson, quiz, draft, *ConceptQuestion.objects.all()):
        add_owner(row=row, user=people["instructor"])
    course, other = (Course.objects.create(title=title, time_zone="UTC") for title in "AB")
    for role, of, place, section in (
        ("owner", course, "instructor", ""),
        ("observer", course, "observer", ""),
        ("section_assistant", course, "assistant", "1"),
        ("assistant", course, "assistant", ""),
        ("student", course, "student", "1"),
        ("neighbour", other, "instructor", ""),
        ("classmate", course, "student", "2"),
    ):
        Membership.objects.create(course=of, user=people[role], role=place, section=section)
    sitting = Sitting.objects.create(quiz=quiz, given_in="A", open_to_all=False)
    assignment = Assignment.objects.create(course=course, sitting=sitting)
    marked = start_attempt(student=people["classmate"], quiz=quiz, settings=own_settings(sitting))
    submit_attempt(attempt=marked)
    grade_waiting()
    in_class = start_attempt(student=people["student"], quiz=quiz, settings=own_settings(sitting))
    report = report_item(item=in_class.items.first(), sentence="Odd.")
    owner = people["owner"]
    submitted = start_attempt(student=owner, quiz=quiz)
    submit_attempt(attempt=submitted)
    certificate = Certificate.objects.create(attempt=submitted, name="Owner")
    attempt = start_attempt(student=owner, quiz=quiz)
    practice = practise_skill(student=owner, skill=Skill("family", "cosine"))
    own_report = report_item(item=submitted.items.first(), sentence="Odd.")
    StruckOut.objects.create(variant=Variant.objects.first(), reason="Odd.", by=owner)
    ExtraTime.objects.create(student=owner, minutes=5)
    member = Membership.objects.get(user=people["student"])
    exception = Override.objects.create(course=course, member=member, more_minutes=5)
    note = MemberNote.objects.create(member=member, by=people["assistant"], text="Odd.")
    calendar = create_calendar(user=owner)
    token, secret = create_token(owner=owner, name="N", scope="exceptions", course=course, days=1)
    verbs.register("tests.read", "read")
    message = Message.objects.create(to=owner, kind="tests.news")
    regrades = [
        draft_regrade(regrade=Ruling(quiz=quiz, sitting=each, kind="void", reason="Wrong."))
        for each in (sitting, quiz.own_sitting)
    ]
    return {
        "certificate": certificate.token,
        "regrade": regrades[0].pk,
        "own_regrade": regrades[1].pk,
        "event": record(actor=owner, verb="tests.read", target=None).pk,
        "message": message.pk,
        "calendar": calendar,
        "token": token.pk,
        "letters_off": UnsubscribeLink.of(owner.pk, ["tests.news"]).address.removeprefix(
            settings.SITE_URL
        ),
        "course": course.pk,
        "code": course.code,
        "member": member.pk,
        "assignment": assignment.pk,
        "exception": exception.pk,
        "note": note.pk,
        "in_class": in_class.pk,
        "marked": marked.pk,
        "asked": f"q{marked.items.exclude(question=None).first().question_id}",
        "report": report.pk,
        "own_report": own_report.pk,
        "quiz": quiz.pk,
        "slot": Slot.objects.first().pk,
        "stamp": newest_version(lesson).stamp,
        "lesson_on_site": f"{ContentType.objects.get_for_model(Lesson).pk}/{lesson.pk}",
        "secret": secret,
        "attempt": attempt.pk,
        "sitting": quiz.own_sitting.pk,
        "submitted": submitted.pk,
        "practice": practice.pk,
        "preview": start_preview(author=people["administrator"], quiz=quiz).pk,
        "passkey": Authenticator.objects.create(
            user=get_user_model().objects.create_user("key@example.org"),
            type="webauthn",
            data={"name": "Key", "credential": {}},
        ).pk,
    } | (rows(submitted) | {"quizzes.writtenproblem": draft.pk})


def make_written_problem() -> WrittenProblem:
    """Return the draft of a problem's second version; the first one is published."""
    text = "title: Doubled\nsummary: Twice.\nx: tenths(2)\ny = 2 * x"
    texts = {"key": "own_doubled", "title": "Doubled", "summary": "Twice.", "text": text}
    publish(version=1, newest=False, **texts)
    draft = WrittenProblem.every.create(**texts, version=2)
    ProblemProof.objects.create(problem=draft, text=text, variants=20, chunks=2)
    return draft


def rows(submitted) -> dict:
    """Return the key of a row of each model that has admin pages, by app and model."""
    matches = (re.match(r"admin/(\w+)/(\w+)/<", pattern.route) for pattern in EVERY)
    names = {match.groups() for match in matches if match}
    first = {
        f"{app}.{model}": apps.get_model(app, model)._base_manager.first() for app, model in names
    }
    return {name: row.pk for name, row in first.items()} | {"quizzes.attempt": submitted.pk}
