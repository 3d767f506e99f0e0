"""Markup that people type stays inert on every page of every role."""

import re
from pathlib import Path

import pytest
from django.apps import apps
from django.db import models
from django.utils import timezone

from audit.services import record
from classes.models import Label, Membership, RosterImport
from lessons.models import Lesson, Sentence
from quizzes.delivery.services.messages import send_message
from quizzes.marking.services import grade_waiting
from quizzes.models import (
    Answer,
    Attempt,
    ConceptQuestion,
    Item,
    QuestionTag,
    Report,
    Wording,
    wordings,
)
from quizzes.reports.services import report_item
from scripts.bootstrap import ROOT
from scripts.demo import PACKAGES
from tests.access.addresses import STAFF, addresses_of
from tests.conftest import FormClient

pytestmark = pytest.mark.django_db

# Short enough for every field; a page that contains it unescaped contains a tag.
PLANTED = "<xz>"
# Filled by programs, or limited to letters and digits, by model or by field.
NOT_TYPED = {
    *("quizzes.Variant", "quizzes.Grade", "quizzes.RulingLine", "quizzes.Sheet", "quizzes.Slot"),
    *("quizzes.PooledQuestion", "quizzes.Rehearsal", "classes.Calendar", "outbox.Preference"),
    *("accounts.User.password", "accounts.User.email", "accounts.User.time_zone"),
    *("classes.Course.time_zone", "classes.Course.code", "classes.Membership.email"),
    *("api.Token.secret", "quizzes.Attempt.skill", "quizzes.Item.order", "quizzes.Item.token"),
    *("quizzes.Certificate.token", "quizzes.Submission.key", "quizzes.Submission.claimed_by"),
    *("quizzes.Report.about", "quizzes.Ruling.family", "quizzes.Ruling.event_scope"),
    *("outbox.Message.kind", "outbox.Message.key", "outbox.Message.claimed_by"),
    *("outbox.Message.payload", "audit.Event.verb", "audit.Event.target_type"),
    *("audit.Event.target_id", "audit.Event.scope", "lessons.Sentence.result"),
    *("lessons.LessonImage.digest", "lessons.Section.families", "quizzes.Item.hints"),
    *("lessons.HistoricalSection.families", "quizzes.Ruling.seen", "quizzes.Ruling.summary"),
    *("quizzes.Ruling.values", "quizzes.WrittenProblem.facts", "quizzes.WrittenProblem.part"),
    *("quizzes.ProblemProof.parts", "quizzes.ProblemProof.result"),
}
# Stored as JSON, or never changed: planted by hand below.
BY_HAND = {
    *("audit.Event.reason", "audit.Event.target_words", "audit.Event.before", "audit.Event.after"),
    *("quizzes.Wording.data", "quizzes.Item.draft", "quizzes.Answer.raw"),
    "classes.RosterImport.lines",
}
# Between them they reach every page.
LOOKING = ("owner", "assistant", "student", "administrator")


def typed_fields() -> dict[str, tuple[type[models.Model], models.Field]]:
    """Return the site's own fields that people fill with text, by label."""
    own = [app for app in apps.get_app_configs() if app.name == app.label]
    found = {
        f"{model._meta.label}.{field.name}": (model, field)
        for app in own
        for model in app.get_models()
        for field in model._meta.concrete_fields
        if isinstance(field, models.CharField | models.TextField | models.JSONField)
        and not isinstance(field, models.SlugField)
        and not field.choices
        and field.name not in ("source_hash", "history_change_reason")
    }
    return {
        name: each
        for name, each in found.items()
        if not NOT_TYPED & {name, each[0]._meta.label} and name not in BY_HAND
    }


def planted_in(value: object) -> object:
    """Return the same data with the mark in each text that people read."""
    if isinstance(value, list):
        return [planted_in(each) for each in value]
    if not isinstance(value, dict):
        return value
    read = ("prompt", "explanation", "text", "feedback", "title", "statement", "label")
    return {
        key: f"{each}{PLANTED}" if key in read and isinstance(each, str) else planted_in(each)
        for key, each in value.items()
    }


def planted_cells(typed: object) -> object:
    return [planted_cells(each) for each in typed] if isinstance(typed, list) else PLANTED


@pytest.fixture
def planted(objects, people, quiz):
    """The world of the access tests, with the mark in every text that somebody could have typed."""
    owner = people["owner"]
    member = Membership.objects.get(pk=objects["member"])
    member.labels.add(Label.objects.create(course=member.course, text="label"))
    Report.objects.update(answer="so", answered_at=timezone.now())
    line = {"name": PLANTED, "section": PLANTED, "labels": [PLANTED]}
    lines = [{"number": 1, "address": f"a{PLANTED}@example.org"} | line]
    RosterImport.objects.create(
        course=member.course, by=owner, source="list", lines=lines, role="student"
    )
    Sentence.objects.create(key="a-key", text="a sentence")
    QuestionTag.objects.create(key=ConceptQuestion.objects.first().key, tag="a tag")
    sitting = Attempt.objects.get(pk=objects["in_class"]).sitting
    send_message(sitting=sitting, text="a message", by=owner)
    Lesson.objects.get().words.create(term="term", meaning="meaning")
    record(actor=owner, verb="tests.read", target=member.course, person=member.user, reason=PLANTED)
    for item in Item.objects.all():
        fields = [f"{step['key']}-0-0" for step in item.asked.get("steps", ())]
        Item.objects.filter(pk=item.pk).update(draft=dict.fromkeys(fields, PLANTED))
    for answer in Answer.objects.all():
        raw = {step: planted_cells(typed) for step, typed in answer.raw.items()}
        Answer.objects.filter(pk=answer.pk).update(raw=raw)
    grade_waiting()
    for wording in Wording.objects.all():
        Wording.objects.filter(pk=wording.pk).update(data=planted_in(wording.data))
    wordings._cache.clear()
    without_rows = []
    for name, (model, field) in typed_fields().items():
        text = PLANTED if field.max_length and field.max_length < 12 else f"w{PLANTED}w"
        rows = model._base_manager.all()
        if name == "quizzes.Sitting.given_in":  # only a class's sittings have it
            rows = rows.filter(open_to_all=False)
        if not rows.update(**{field.name: text}):
            without_rows.append(name)
    report_item(item=Attempt.objects.get(pk=objects["in_class"]).items.first(), sentence=PLANTED)
    assert not without_rows, f"no row to plant in, and not excused: {without_rows}"
    return objects


def paths_of(objects, role) -> list[str]:
    """Return the addresses for a role: all of them for staff, otherwise those outside the admin."""
    every = addresses_of(objects)
    return [each.path for each in every if role in STAFF or not each.name.startswith("admin:")]


@pytest.mark.slow
def test_markup_that_somebody_typed_is_inert_on_every_page(planted, people):
    raw, seen = [], set()
    for role in LOOKING:
        client = FormClient()
        client.force_login(people[role])
        for path in paths_of(planted, role):
            answer = client.get(path, follow=True)
            if "html" not in answer.headers["Content-Type"]:
                continue
            html = answer.content.decode()
            if "&lt;xz&gt;" in html:
                seen.add(path)
            if PLANTED in html:
                at = html.index(PLANTED)
                raw.append((role, path, html[max(0, at - 120) : at + 20]))
    assert not raw, "\n".join(map(str, raw))
    assert len(seen) > 50


# Our own text, into which Jinja puts escaped values: _("… %(name)s")|safe % {"name": name}
OWN_TEXT = re.compile(r"""(?:_\()?("[^"]*"|'[^']*')\)?\|safe\b""")
CALLED_SAFE = re.compile(r"\|\s*safe\b|\bsafeseq\b|autoescape\s+(?:off|false)")


def templates() -> list[Path]:
    folders = [ROOT / package for package in PACKAGES]
    return [path for folder in folders for path in folder.rglob("*.html")]


def test_no_template_calls_anything_safe_but_texts_of_our_own():
    called = []
    for path in templates():
        text = path.read_text()
        if "jinja2" in path.parts:
            text = OWN_TEXT.sub("", text)
        called += [f"{path.relative_to(ROOT)}: {each[0]}" for each in CALLED_SAFE.finditer(text)]
    assert not called, "\n".join(called)
    assert len(templates()) > 100
