"""Pages in another language, on which only texts of authors and of the core stay English.

The other language here puts ⟦brackets⟧ around every text that is translated. Words outside of
brackets are names, or content: texts that are complete in the database or in the core.
"""

import json
import re
from collections import defaultdict
from datetime import timedelta
from html.parser import HTMLParser

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.utils import timezone, translation
from django.utils.http import urlencode
from django.utils.translation import trans_real

from api.services import create_token
from classes.access.queries import CourseAccess
from classes.codes import format_code
from classes.courses.services.courses import create_course
from classes.models import Course, Membership
from classes.people.services.importing import keep_import
from classes.rosters import TWICE, Line
from classes.watching.services import extend, hand_in
from design import translation as kept_texts
from foundation import time_zones
from lessons import widgets
from lessons.authoring.history import versions_of
from lessons.authoring.services import import_lesson
from lessons.models import Lesson, LessonImage, Rung, Section
from lessons.real_model import maps
from quizzes import problems
from quizzes.certificates.services import make_certificate, withdraw_certificate
from quizzes.delivery.effective_settings import own_settings
from quizzes.delivery.services.deadlines import grant_extra_time
from quizzes.delivery.services.taking import Save, save_draft, start_attempt, submit_attempt
from quizzes.items.skills import Skill
from quizzes.marking.services import grade_waiting
from quizzes.models import (
    Answer,
    Attempt,
    ConceptQuestion,
    ExtraTime,
    Item,
    Quiz,
    Sitting,
    Submission,
    Topic,
)
from quizzes.notifiers import grading_notifier
from quizzes.practice.exercises import exercise_of
from quizzes.practice.services import check_item, practise_skill
from quizzes.problems.answers import fields_of
from tests.world import (
    copy_attempt_to_students,
    make_assignment,
    make_question,
    make_quiz,
    submit_and_mark,
    take_quiz,
)

ANOTHER = "de"
# Including a calculator's keys.
NAMES = {"Softmark", "UTC", "CSV"} | {"exp", "ln", "sin", "cos", "MR", "MC"}
TOLD_BY = {"aria-label", "aria-valuetext", "title", "placeholder", "alt"}
FOR_SCRIPTS = {"data-when", "data-block", "data-inline-formset"}
NO_TEXT = {"script", "style", "svg", "math", "code", "kbd"}
ICON = re.compile(r'<\w+ [^>]*class="[^"]*material-symbols[^>]*>[^<]*<')
SENTENCE = re.compile(r"[a-z] [a-z]")
ADDRESS = re.compile(r"\S+@\S+")
WORD = re.compile(r"[A-Za-z]{2,}")

LESSON = """\
---
slug: m
title: Μάθημα
tagline: Σύντομο.
category: Αρχή
published: true
{parts}
words:
- {{term: λέξη, meaning: Ένα κομμάτι.}}
families: {{softmax_row: arche}}
---

## Αρχή {{#arche}}

Η λέξη.

$$
\\sum_{{i=1}}^{{n}} x_i + \\sum_{{i=1}}^{{n}} y_i
$$

| α | β |
|---|---|
| γ | δ |

::: predict Τι;
Αυτό.
:::

::: choose Τι;
- [x] Α

  Αυτό.
- [ ] Β

  Αυτό.
:::

{widgets}
"""
WRITTEN = (Lesson, LessonImage, Quiz, Topic, ConceptQuestion, ExtraTime)
PARTS = ("today", "fits", "outcomes", "why_care", "analogy", "comparison", "big_story", "elsewhere")


class Texts(HTMLParser):
    """A page's texts piece by piece, and the parts outside of brackets."""

    def __init__(self, html):
        super().__init__()
        self.outside, self._depth, self._unread = [], 0, 0
        self.feed(ICON.sub("<", html))

    def handle_starttag(self, tag, attributes):
        self._unread += tag in NO_TEXT
        for name, value in attributes:
            is_data = name.startswith("data-") and name not in FOR_SCRIPTS
            if name in TOLD_BY or (is_data and SENTENCE.search(value or "")):
                self.outside.append(_outside(value or "")[0])
        attributes = dict(attributes)
        if "description" in (attributes.get("name") or attributes.get("property") or ""):
            self.outside.append(_outside(attributes["content"])[0])

    def handle_endtag(self, tag):
        self._unread -= tag in NO_TEXT

    def handle_data(self, text):
        outside, self._depth = _outside(text, self._depth)
        if not self._unread:
            self.outside.append(outside)


def _outside(text, depth=0):
    """Return the text outside of brackets, and the number of brackets open after it."""
    left = []
    for sign in text:
        depth += (sign == "⟦") - (sign == "⟧")
        left.append(sign if depth == 0 else " ")
    return "".join(left), depth


def words(text):
    return " ".join(word for word in WORD.findall(ADDRESS.sub("", text)) if word not in NAMES)


def untranslated(html, content):
    """Return the English pieces of a page that nobody wrote as content."""
    pieces = {words(text) for text in Texts(html).outside}
    return sorted(piece for piece in pieces if piece and f" {piece} " not in content)


def make_language(settings, monkeypatch, translate, code=ANOTHER):
    """Make another language of the site's texts, each of which `translate` turns into its own.

    Each has a code of its own: rendered lessons are kept by it.
    """
    settings.LANGUAGES = [("en", "English"), (code, "Another")]
    catalogue = trans_real.translation(code)

    def gettext(text):
        return translate(text.rpartition("\x04")[2])  # a context may precede it

    monkeypatch.setattr(catalogue, "gettext", gettext)
    # What is looked up here is no text of this language afterwards.
    monkeypatch.setattr(kept_texts, "_texts", defaultdict(kept_texts._Texts))
    monkeypatch.setattr(
        catalogue, "ngettext", lambda one, many, count: gettext(one if count == 1 else many)
    )
    monkeypatch.setattr(grading_notifier, "wake_again", lambda: None)


@pytest.fixture
def another_language(settings, monkeypatch):
    make_language(settings, monkeypatch, "⟦{}⟧".format)


@pytest.fixture
def client(another_language, django_user_model):
    """The client of somebody who may see everything."""
    client = Client(headers={"accept-language": ANOTHER})
    client.user = django_user_model.objects.create_superuser("1@2.c", "secret", name="Σαπφώ")
    client.force_login(client.user)
    return client


@pytest.fixture
def greek_lesson(db):
    parts = "\n".join(f"{part}: Κείμενο." for part in PARTS)
    examples = "\n\n".join(map(widgets.example, widgets.names()))
    return import_lesson(text=LESSON.format(parts=parts, widgets=examples))


@pytest.fixture
def quiz(greek_lesson):
    """A softmax, a question with a step to choose, and a concept question."""
    Topic.objects.create(key="t", title="Θέμα")
    question = make_question("k", "t", prompt="Τι;", explanation="Α.")
    question.choices.update(text="Α", feedback="Β")
    asked = ({"family": "softmax_row"}, {"family": "find_the_slip"}, {"topic": "t"})
    return make_quiz("quiz", *asked, title="Ερωτήσεις", lesson=greek_lesson)


@pytest.fixture
def course(client):
    return create_course(by=client.user, title="Τάξη", time_zone="UTC", first_day=None)


@pytest.fixture
def anna(django_user_model):
    return django_user_model.objects.create_user("3@4.c", name="Άννα")


def content():
    """Return what authors, the core and the student have written of all that pages can show."""
    taught = Section.objects.exclude(families="")
    exercises = [
        exercise_of(*where, Rung.EXAMPLE)
        for where in taught.values_list("lesson__slug", "slug", "pk", "families")
    ]
    prepared = [each for one in exercises for each in (one.item(), one.example()) if each]
    numeric = [*Item.objects.exclude(variant=None).select_related("variant"), *prepared]
    worked = [
        step
        for item in numeric
        for step in problems.worked_solution(vars(item.variant)).steps.values()
    ]
    notes = [each for item in numeric for each in problems.cell_notes(item.shown, item.draft)]
    codes = Course.objects.values_list("code", flat=True)
    stored = [
        *(
            (item.shown, item.draft)
            for item in (*Item.objects.select_related("variant"), *prepared)
        ),
        *Answer.objects.values_list("raw"),
        *Submission.objects.values_list("claimed_by"),
    ]
    texts = [
        *Group.objects.values_list("name", flat=True),
        *Section.objects.values_list("body", flat=True),
        " ".join(maps.attention_map("animal_it").tokens),
        *(title for _key, title in problems.family_choices()),
        *map(problems.family_summary, problems.family_keys()),
        *(json.dumps(each, ensure_ascii=False) for row in stored for each in row),
        *(f"{step.how} {step.feedback}" for step in worked),
        # Places are named as in the list of time zones, and codes and links are no words.
        *(
            text
            for region, places in time_zones.choices()
            for text in (region, *dict(places).values())
        ),
        "http://testserver/join/",
        *(f"http://testserver/join/{code}/" for code in codes),
        *map(format_code, codes),
        *(note.unreadable for note in notes),
    ]
    return "|".join(f" {words(text)} " for text in texts)


def read(client, *addresses):
    """Return the remaining English on these pages."""
    left = {}
    for address in addresses:
        answer_alike = client.get(address, follow=True)
        assert "⟦" in answer_alike.text, address
        left[address] = untranslated(answer_alike.text, content())
    return {address: pieces for address, pieces in left.items() if pieces}


def answer_alike(attempt, *, text):
    for item in attempt.items.all():
        fields = dict.fromkeys(fields_of(item.shown), text)
        change = Save(fields, item.revision, f"token {item.revision}")
        save_draft(attempt=attempt, position=item.position, save=change)


def test_lessons_and_what_leads_to_them(client, greek_lesson, quiz):
    assert not read(client, "/", "/lessons/m/", "/search/", "/search/?q=λέξη", "/search/?q=x")
    assert not read(client, "/lessons/nowhere/", "/nowhere/", "/sentences/")
    (section,) = Section.objects.all()
    asked = exercise_of("m", section.slug, section.pk, section.families, Rung.EXAMPLE)
    for sent in ({"question": asked.signature}, {"question": "x"}):
        assert not read(client, f"/exercises/m/{section.slug}/?{urlencode(sent)}")


def test_accounts(client, settings):
    settings.SOFTMARK_DEMO = True
    assert not read(client, "/accounts/password/change/", "/accounts/email/", "/accounts/logout/")
    client.logout()
    assert not read(client, "/accounts/login/", "/accounts/signup/", "/accounts/password/reset/")


def test_classes(client, course):
    access = CourseAccess(course, client.user, "instructor")
    own = Membership.objects.get()
    in_a = Line(2, "1@3.c", section="Α", labels=("Β",))
    lines = [Line(1, "1@2.c"), in_a, Line(3, "", problem=TWICE)]
    pages = (
        *("people/", f"people/change/?member={own.pk}", f"people/remove/?member={own.pk}"),
        *("people/add/", "people/import/", "people/preview/", "joining/", "settings/"),
        *("archive/", "history/"),
    )
    keep_import(access=access, lines=lines, role="student", source="Λίστα")
    addresses = [f"/teach/{course.pk}/{page}" for page in pages]
    assert not read(client, "/teach/", "/teach/new/", "/join/", "/learning/", *addresses)
    join = f"/join/{course.code}/"
    assert not read(client, join, "/join/0/", f"/classes/{course.pk}/leave/")
    client.logout()
    assert not read(client, join)


def test_tokens(client, course):
    assert not read(client, "/teach/tokens/")
    wanted = {"owner": client.user, "name": "Ν", "course": None, "days": 1}
    token, _secret = create_token(**wanted, scope="exceptions")
    assert not read(client, "/teach/tokens/", f"/teach/tokens/{token.pk}/revoke/")
    client.post("/accounts/reauthenticate/", {"password": "secret"})
    assert not read(client, "/teach/tokens/new/")
    for name in ("", "Ν"):
        made = client.post("/teach/tokens/new/", {"name": name, "scope": "read", "days": "30"})
        assert made.status_code == 200
        page_text = re.sub(r"softmark_[\w-]+|SOFTMARK_TOKEN", "", made.text)
        assert not untranslated(page_text, content())


def test_a_quiz_that_a_class_takes_and_what_is_done_meanwhile(client, course, quiz, anna):
    assignment = make_assignment(course, quiz)
    member = Membership.objects.create(course=course, user=anna, section="Α")
    here, chosen = f"/teach/{course.pk}/quizzes/{assignment.pk}/", f"?member={member.pk}"
    deeds = [f"{here}{deed}/{chosen}" for deed in ("extend", "reopen", "hand-in", "mark-again")]
    assert not read(client, f"{here}watch/", f"{here}watch/?search=x", *deeds)
    attempt = start_attempt(student=anna, quiz=quiz, settings=own_settings(assignment.sitting))
    answer_alike(attempt, text="1/2")
    page = f"/teach/{course.pk}/attempts/{attempt.pk}/"
    assert not read(client, f"{here}watch/", page, *deeds)
    access = CourseAccess(course, client.user, "instructor")
    done = {"access": access, "assignment": assignment, "reason": "Λόγος"}
    extend(**done, until={attempt.pk: timezone.now() + timedelta(hours=1)})
    hand_in(**done, attempts=[attempt.pk])
    grade_waiting()
    assert not read(client, f"{here}watch/", page, f"/teach/{course.pk}/history/")
    for deed in ("reopen", "hand-in", "mark-again"):
        sent = {"member": member.pk, "minutes": "5", "reason": "Λόγος"}
        assert not untranslated(client.post(f"{here}{deed}/", sent).text, content())
    assert not read(client, page)


def test_the_gradebook_and_the_figures_of_a_class(client, course, quiz, anna):
    book = f"/teach/{course.pk}/gradebook/"
    assert not read(client, book)
    assignment = make_assignment(course, quiz)
    here = f"/teach/{course.pk}/quizzes/{assignment.pk}/"
    marks, figures = f"{here}gradebook/", f"{here}figures/"
    assert not read(client, book, marks, figures)
    Membership.objects.create(course=course, user=anna, section="Α", state="left")
    attempt = start_attempt(student=anna, quiz=quiz, settings=own_settings(assignment.sitting))
    answer_alike(attempt, text="1/2")
    submit_and_mark(attempt)
    copy_attempt_to_students(course, Attempt.objects.get(pk=attempt.pk), 6, called="Πολλοί")
    Sitting.objects.update(release=Sitting.Release.BY_HAND, counts="last")
    assert not read(client, book, f"{book}?at=2026-01-02", f"{book}?search=x", marks)
    assert not read(client, figures, f"{figures}?attempts=first")
    found = re.findall(rf'href="({figures}of/[^"]+)"', client.get(figures).text)
    assert found
    assert not read(client, *sorted(set(found)))


def test_an_attempt_from_its_start_to_its_review(client, quiz):
    assert not read(client, quiz.get_absolute_url())
    attempt = start_attempt(student=client.user, quiz=quiz)
    page = attempt.get_absolute_url()
    submit, results = f"{page}submit/", f"{page}results/"
    assert not read(client, page, submit, "/learning/")
    answer_alike(attempt, text="?")
    assert not read(client, page, submit)
    answer_alike(attempt, text="1/2")
    submit_attempt(attempt=attempt)
    assert not read(client, results)
    grade_waiting()
    assert not read(client, results, quiz.get_absolute_url(), "/attempts/", "/learning/", "/")
    Sitting.objects.update(release=Sitting.Release.BY_HAND)
    assert not read(client, f"{page}review/")


def test_certificates(client, quiz):
    attempt = take_quiz(client.user, quiz)
    own = f"{attempt.get_absolute_url()}certificate/"
    assert not read(client, f"{attempt.get_absolute_url()}results/", "/learning/", own)
    address = make_certificate(attempt=attempt, name="Όνομα").get_absolute_url()
    assert not read(client, own, f"{own}withdraw/", address)
    Attempt.objects.filter(pk=attempt.pk).update(score=0)
    assert not read(client, address)
    Sitting.objects.update(release=Sitting.Release.BY_HAND)
    assert not read(client, address)
    withdraw_certificate(attempt=attempt)
    assert not read(client, address)


def test_practice(client, quiz):
    assert not read(client, "/practice/", "/practice/family/softmax_row/", "/practice/topic/t/")
    for skill in (Skill("family", "softmax_row"), Skill("topic", "t")):
        practice = practise_skill(student=client.user, skill=skill)
        answer_alike(practice, text="1/2")
        check_item(attempt=practice, position=1)
        page = practice.get_absolute_url()
        assert not read(client, page)
        grade_waiting()
        assert not read(client, page, "/practice/")


@pytest.mark.slow
def test_the_admin(client, quiz):
    attempt = start_attempt(student=client.user, quiz=quiz)
    answer_alike(attempt, text="1/2")
    submit_and_mark(attempt)
    grant_extra_time(granted=ExtraTime(student=client.user, factor=2))
    assert not read(client, "/admin/", "/admin/accounts/user/", "/admin/accounts/user/add/")
    for model in (*WRITTEN, Attempt, Submission):
        page = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        changes = [f"{page}{row.pk}/change/" for row in model.objects.all()]
        assert not read(client, page, *changes, *([f"{page}add/"] if model in WRITTEN else []))


def test_the_history_of_a_lesson_and_its_copies(client, greek_lesson):
    page = f"/admin/lessons/lesson/{greek_lesson.pk}"
    version = f"{page}/history/{versions_of(greek_lesson)[0].stamp}/"
    assert not read(client, f"{page}/history/", version, f"{version}restore/")
    assert not read(client, f"{page}/duplicate/", "/admin/lessons/lesson/import_lessons/")


def test_english_is_found_in_every_part_of_a_page(another_language):
    with translation.override(ANOTHER):
        translated = translation.gettext("Told")
    html = '<p title="{}">{} <b data-later="{}">1</b></p>'
    assert untranslated(html.format(translated, translated, f"{translated} a"), "") == []
    for place in range(3):
        texts = [translated, translated, translated]
        texts[place] = "Not told"
        assert untranslated(html.format(*texts), "") == ["Not told"]
    assert untranslated("<p>⟦A <b>name</b>⟧ of it</p>", "| of it |") == []
