"""Builders for tests: people, their answers, and attempts in any state."""

import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection
from django.utils import timezone

from accounts.roles import make_instructor
from classes.assignments.services.assigning import Rules
from classes.assignments.services.exceptions import OverrideValues, create_overrides
from classes.models import Assignment, Membership
from lessons.models import Lesson
from quizzes import problems
from quizzes.delivery.effective_settings import given_to, own_settings
from quizzes.delivery.services.item_selection import store_wordings
from quizzes.delivery.services.taking import Save, save_draft, start_attempt, submit_attempt
from quizzes.marking.services import grade_waiting
from quizzes.models import (
    GRACE,
    Answer,
    Attempt,
    Choice,
    ConceptQuestion,
    Grade,
    Item,
    Quiz,
    Sitting,
    Slot,
    Submission,
    Variant,
)
from quizzes.practice.services import check_item
from quizzes.problems.answers import cell_fields, choice_field, fields_of, nest_as_grid

REASON = "The fire alarm rang"

# People


def make_user(called: str, **more):
    """Create a user whose password is “secret”."""
    address = f"{called.lower()}@example.org"
    return get_user_model().objects.create_user(address, "secret", **{"name": called} | more)


def make_instructor_user(name: str):
    """Create an instructor by role."""
    user = make_user(name)
    make_instructor(user)
    return user


def refresh(row):
    """Return the row as it is stored now."""
    row.refresh_from_db()
    return row


# Lessons, quizzes and questions


def make_lesson(slug: str, *sections: str, **more) -> Lesson:
    """Create a published lesson with sections of these slugs."""
    fields = {"slug": slug, "title": slug.title(), "published": True}
    lesson = Lesson.objects.create(**fields | more)
    for order, section in enumerate(sections):
        lesson.sections.create(slug=section, title=section.title(), order=order)
    return lesson


def make_quiz(slug: str, *slots: Mapping[str, Any], **more) -> Quiz:
    """Create a published quiz with these slots."""
    fields = {"slug": slug, "title": slug.title(), "published": True}
    quiz = Quiz.objects.create(**fields | more)
    Slot.objects.bulk_create(
        Slot(quiz=quiz, position=position, **slot) for position, slot in enumerate(slots, start=1)
    )
    return quiz


def make_question(key: str, topic: str, **more) -> ConceptQuestion:
    """Create a published question whose choice “a” is right."""
    fields = {"key": key, "topic": topic, "prompt": "?", "published": True}
    question = ConceptQuestion.objects.create(**fields | more)
    Choice.objects.bulk_create(
        Choice(
            question=question,
            key=letter,
            text=f"Choice {letter} of {key}",
            correct=letter == "a",
            feedback=f"Feedback to {letter} of {key}.",
            order=order,
        )
        for order, letter in enumerate("abcd")
    )
    return question


# Pages


def is_logged_in(client) -> bool:
    return "_auth_user_id" in client.session


def admin_rows(client, address, **asked) -> list:
    """Return the rows of a list in the admin."""
    return list(client.get(address, asked).context_data["cl"].result_list)


def admin_form(response) -> dict:
    """Return what a browser would post of an admin form and its inlines."""
    posted = {}
    form = response.context["adminform"].form
    formsets = [inline.formset for inline in response.context["inline_admin_formsets"]]
    forms = [form, *(f for formset in formsets for f in [formset.management_form, *formset.forms])]
    for each in forms:
        for bound in each:
            value = bound.value()
            if value is True:
                posted[bound.html_name] = "on"
            elif value is not None and value is not False:
                posted[bound.html_name] = value
    return posted


def missing_in(text: str, *pieces: str) -> list[str]:
    return [piece for piece in pieces if piece not in text]


def found_in(text: str, *pieces: str) -> list[str]:
    return [piece for piece in pieces if piece in text]


def html_in_one_line(answer) -> str:
    """Return the HTML of a page, in one line."""
    return " ".join(answer.text.split())


def visible_text(html: str) -> str:
    """Return the text of some HTML, without its tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


# Concurrency


class Killed(BaseException):
    """Ends a worker in the middle of its work."""


class Threads(ThreadPoolExecutor):
    """Threads that leave no connection to the database behind."""

    def submit(self, work, /, *args, **kwargs):
        def work_alone():
            try:
                return work(*args, **kwargs)
            finally:
                connection.close()

        return super().submit(work_alone)


# Answers, as drafts store them


def right_fields(item):
    """Return the draft of a right answer."""
    if item.variant is None:
        return {"answer-choice": next(c["key"] for c in item.shown["choices"] if c["correct"])}
    fields = {}
    for cell in cell_fields(item.shown):
        value = nest_as_grid(item.variant.solution[cell.step])[cell.row][cell.column]
        fields[cell.field] = f"{value:.3f}"
    for step in item.shown["steps"]:
        if step["choices"]:
            right = item.variant.solution[step["key"]]
            fields[choice_field(step["key"])] = f"{right:.0f}"
    return fields


def wrong_fields(item):
    """Return the draft of an answer that is nowhere near."""
    if item.variant is None:
        return {"answer-choice": next(c["key"] for c in item.shown["choices"] if not c["correct"])}
    return {field: str(77 + n) for n, field in enumerate(fields_of(item.shown))}


def save_answer(item, fields, *, revision=None, token="token"):
    """Save a draft as the page does."""
    return save_draft(
        attempt=item.attempt,
        position=item.position,
        save=Save(fields, item.revision if revision is None else revision, token),
    )


def answer_everything(attempt, fields=right_fields):
    """Save an answer to every item of the attempt."""
    for item in attempt.items.select_related("variant"):
        save_answer(item, fields(item), token=f"token {item.position}")


def take_quiz(student, quiz, fields=right_fields):
    """Return an attempt that is answered, submitted and marked."""
    attempt = start_attempt(student=student, quiz=quiz)
    answer_everything(attempt, fields)
    return submit_and_mark(attempt)


def check_and_mark(item, fields) -> None:
    """Check an answer to an item of a practice, and mark it."""
    save_answer(item, fields, token=f"token {item.pk} {item.revision}")
    check_item(attempt=item.attempt, position=item.position)
    grade_waiting()


def item_at(attempt, position: int) -> Item:
    """Return the attempt's item at this position."""
    return attempt.items.select_related("variant").get(position=position)


def wording_for(variant: Variant):
    """Return the key of the wording in which a new item would ask this variant."""
    (key,) = store_wordings([problems.variant_wording(vars(variant))])
    return key


def replace_wording(item: Item, shown: Mapping[str, Any]) -> None:
    """Make an item show this, word for word."""
    (key,) = store_wordings([shown])
    Item.objects.filter(pk=item.pk).update(wording=key, order="")


# Attempts in a class


def rules(**changes) -> Rules:
    """Return rules of twenty minutes, one attempt and no dates, with changes."""
    dates = dict.fromkeys(("opens_at", "due_at", "closes_at"))
    return Rules(**dates | {"minutes": 20, "attempts_allowed": 1} | changes)


def make_override(access, assignment=None, *members, label=None, reason="", **changes):
    """Make an override for these members or this label. Return it, and what that changed."""
    (made,), changed = create_overrides(
        access=access,
        assignment=assignment,
        members=[member.pk for member in members],
        label=label,
        difference=OverrideValues(**changes),
        reason=reason,
    )
    return made, changed


def make_assignment(course, quiz, **more) -> Assignment:
    sitting = Sitting.objects.create(
        quiz=quiz, given_in=course.title, open_to_all=False, attempts_allowed=None, **more
    )
    return Assignment.objects.create(course=course, sitting=sitting)


def start_assignment(assignment, user) -> Attempt:
    sitting = assignment.sitting
    return start_attempt(student=user, quiz=sitting.quiz, settings=own_settings(sitting))


def start_assigned_quiz(member) -> Attempt:
    """Start the class's quiz for a member, by their effective settings."""
    (settings,) = given_to(member.user)
    return start_attempt(student=member.user, quiz=settings.sitting.quiz, settings=settings)


def submit_and_mark(attempt) -> Attempt:
    submit_attempt(attempt=attempt)
    grade_waiting()
    attempt.refresh_from_db()
    return attempt


def fail_marking(attempt) -> Attempt:
    """Submit the attempt and mark the submission as failed to be graded."""
    submit_attempt(attempt=attempt)
    Submission.objects.filter(attempt=attempt).update(state="attention")
    return attempt


def later(minutes=10):
    """Return the time in this many minutes."""
    return timezone.now() + timedelta(minutes=minutes)


def duration_in_minutes(attempt) -> float:
    """Return how many minutes the attempt lasts by now."""
    attempt.refresh_from_db()
    return (attempt.deadline - attempt.started_at).total_seconds() / 60


def let_time_run_out(attempt, seconds=1) -> None:
    past = timezone.now() - GRACE - timedelta(seconds=seconds)
    Attempt.objects.filter(pk=attempt.pk).update(deadline=past)


def attempts_in_every_state(assignment, member) -> dict[str, Attempt | None]:
    """Return attempts in every state by their students' names; Eve's is None."""
    people = {name: member(name).user for name in ("Ada", "Bob", "Cyd", "Dan", "Eve")}
    made = {
        name: start_assignment(assignment, people[name]) for name in ("Ada", "Cyd", "Dan", "Bob")
    }
    answer_everything(made["Cyd"], wrong_fields)
    submit_and_mark(made["Cyd"])
    fail_marking(made["Dan"])
    submit_attempt(attempt=made["Bob"])
    return made | {"Eve": None}


def insert_copies(rows, **changed):
    """Insert copies of the rows, with changed fields."""
    made = []
    for row in rows:
        fields = {each.attname: getattr(row, each.attname) for each in row._meta.concrete_fields}
        fields.pop("id")
        made.append(type(row)(**(fields | {key: of(row) for key, of in changed.items()})))
    return type(rows[0]).objects.bulk_create(made)


def copy_attempt_to_students(course, attempt, count, section="", called="Many"):
    """Create `count` new students, each with a copy of this marked attempt."""
    items = list(Item.objects.filter(attempt=attempt).order_by("position"))
    submissions = list(Submission.objects.filter(attempt=attempt).order_by("number"))
    answers = list(Answer.objects.filter(item__attempt=attempt).order_by("pk"))
    grades = list(Grade.objects.filter(answer__in=answers).order_by("pk"))
    made = []
    for number in range(count):
        user = make_user(f"{section}{called}{number:03}{attempt.pk}")
        Membership.objects.create(course=course, user=user, role="student", section=section)
        [own] = insert_copies([attempt], student_id=lambda _row, pk=user.pk: pk)
        new = dict(
            zip((row.pk for row in items), insert_copies(items, attempt_id=_of(own)), strict=True)
        )
        handed = insert_copies(submissions, attempt_id=_of(own))
        new_handed = dict(zip((row.pk for row in submissions), handed, strict=True))
        copies = insert_copies(
            answers,
            item_id=lambda row, new=new: new[row.item_id].pk,
            submission_id=lambda row, new=new_handed: new[row.submission_id].pk,
        )
        new_answers = dict(zip((row.pk for row in answers), copies, strict=True))
        insert_copies(grades, answer_id=lambda row, new=new_answers: new[row.answer_id].pk)
        made.append(Attempt.objects.get(pk=own.pk))
    return made


def _of(attempt):
    return lambda _row: attempt.pk
