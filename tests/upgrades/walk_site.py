"""Walk through all that was open, waiting or finished when a site was upgraded.

Run by the shell of a process of its own, on the upgraded database. Prints as JSON what was done and
what failed.
"""

import json
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from classes.models import Assignment, Membership
from quizzes.delivery.services.taking import close_overdue
from quizzes.marking.services import grade_waiting
from quizzes.models import Attempt, Ruling, Submission
from quizzes.problems.answers import fields_of, input_name
from quizzes.regrades.services import (
    accept_regrade,
    apply_waiting_regrades,
    draft_regrade,
    draft_undo,
)

HOST = {"HTTP_HOST": "localhost"}
PAGES = (
    *("/", "/learning/", "/attempts/", "/quizzes/", "/practice/", "/today/"),
    *("/learning/mistakes/", "/formulas/", "/accounts/data/file/"),
)
done: Counter[str] = Counter()
failed: list[str] = []
practised: set[str] = set()


@contextmanager
def noting(what: str) -> Iterator[None]:
    done[what.split(" ", 1)[0]] += 1
    try:
        yield
    except Exception:
        failed.append(f"{what}\n{traceback.format_exc(limit=-4)}")


def expect(client: Client, method: str, url: str, *statuses: int, **sent: object) -> None:
    with noting(f"{method} {url}"):
        answer = getattr(client, method)(url, **sent, **HOST)
        assert answer.status_code in (statuses or (200,)), (
            answer.status_code,
            answer.content[:300],
        )


def mark() -> None:
    with noting("marking"):
        while grade_waiting():
            pass
        assert not Submission.objects.exclude(state=Submission.State.GRADED).exists()


def go_on(client: Client, attempt: Attempt) -> None:
    """Request every save, flag and page of an open attempt, then its submit."""
    url = f"/attempts/{attempt.pk}/"
    expect(client, "get", url)
    items = list(attempt.items.select_related("wording", "variant", "question"))
    for item in items:
        save = {
            "revision": item.revision,
            "token": f"after-{item.position}",
            "fields": item.draft | {fields_of(item.asked)[0]: "0.5"},
        }
        if item.position % 2:
            expect(
                *(client, "post", f"{url}items/{item.position}/draft/"),
                data=json.dumps(save),
                content_type="application/json",
            )
        expect(client, "post", f"{url}items/{item.position}/flag/", data={"flagged": "true"})
    expect(client, "get", url)
    expect(client, "get", f"{url}submit/")
    expect(client, "get", f"{url}status/")
    typed = {input_name(items[0].position, fields_of(items[0].asked)[0]): "0.25"}
    expect(client, "post", f"{url}submit/", 302, data=typed)


def practise(client: Client, attempt: Attempt) -> None:
    """Check every item as it was left, as typed, with help, and once more in a new variant.

    Of the items that nobody has typed anything into, only the first of a family is checked.
    """
    for item in attempt.items.select_related("wording", "variant").order_by("position"):
        url = f"/practice/{attempt.pk}/{item.position}/"
        expect(client, "get", url)
        family = item.variant.family if item.variant else ""
        if family in practised and not item.draft:
            continue
        practised.add(family)
        for what in ({"hint": ""}, {"solution": "1"}):
            expect(client, "post", url, 200, 302, data=what)
        typed = dict.fromkeys(fields_of(item.asked), "0.5")
        typed = {input_name(item.position, field): text for field, text in typed.items()}
        expect(client, "post", url, 200, 302, 409, data=typed | {"check": "1"})
        mark()
        expect(client, "get", url)
        expect(client, "get", f"{url}status/")
        expect(client, "post", url, 302, data={"another": "1"})
        expect(client, "get", url)


def rule_over(attempt: Attempt) -> None:
    """Apply several kinds of regrades to earlier marks, and undo each."""
    kinds = Ruling.Kind
    slots = list(attempt.quiz.slots.order_by("position"))
    numeric = next(slot for slot in slots if slot.family)
    for kind, scope, slot, values in (
        (kinds.REGRADE, "all", None, {}),
        (kinds.POINTS, "slot", numeric, {"points": 2}),
        (kinds.VOID, "slot", slots[0], {}),
    ):
        with noting(f"regrade {kind}"):
            regrade = Ruling(
                quiz=attempt.quiz, sitting=attempt.sitting, kind=kind, scope=scope, slot=slot
            )
            regrade.values, regrade.reason = values, "After an upgrade"
            accept_regrade(regrade=draft_regrade(regrade=regrade), by=None)
            while apply_waiting_regrades():
                pass
            undo = draft_undo(regrade=Ruling.objects.get(pk=regrade.pk), by=None, reason="Undone")
            accept_regrade(regrade=undo, by=None)
            while apply_waiting_regrades():
                pass


def each_of(student: object, attempts: list[Attempt], what: Callable[..., None]) -> None:
    client = Client()
    client.force_login(student)
    for attempt in attempts:
        what(client, attempt)
    mark()
    for attempt in attempts:
        if not attempt.is_practice:
            expect(client, "get", f"/attempts/{attempt.pk}/results/")
    for page in PAGES:
        expect(client, "get", page, 200, 302)


def teach() -> None:
    """Request the pages of every class."""
    for assignment in Assignment.objects.select_related("course"):
        teacher = Client()
        teacher.force_login(assignment.course.memberships.get(role=Membership.Role.INSTRUCTOR).user)
        url = f"/teach/{assignment.course_id}/"
        quiz = f"{url}quizzes/{assignment.pk}/"
        pages = ["people/", "gradebook/", "history/", "exceptions/", "quizzes/", "rulings/"]
        for page in (*(f"{url}{each}" for each in pages), quiz, f"{quiz}watch/", f"{quiz}figures/"):
            expect(teacher, "get", page)
        for attempt in Attempt.objects.filter(sitting=assignment.sitting_id):
            expect(teacher, "get", f"{url}attempts/{attempt.pk}/")


def main() -> None:
    people = get_user_model().objects
    now = timezone.now()
    late = people.get(email="late@example.org")
    running = Attempt.objects.filter(mode="graded", state="open")
    running.exclude(student=late).update(deadline=now + timedelta(minutes=20))
    running.filter(student=late).update(deadline=now - timedelta(minutes=1))
    with noting("kept"):
        assert running.filter(extra_time__gt=timedelta()).exists()
        waiting = Submission.objects.exclude(state=Submission.State.GRADED)
        assert {"graded", "practice"} == set(waiting.values_list("attempt__mode", flat=True))
    with noting("closing"):
        close_overdue()
        assert not running.filter(student=late).exists()
    mark()
    for name, what in {
        "late": lambda *_: None,
        "waiting": lambda *_: None,
        "marked": lambda *_: None,
        "open": go_on,
        "practising": practise,
    }.items():
        student = people.get(email=f"{name}@example.org")
        each_of(student, list(Attempt.objects.filter(student=student).order_by("pk")), what)
    marked = Attempt.objects.filter(student__email="marked@example.org").order_by("pk")
    for attempt in marked:
        rule_over(attempt)
    staff = Client()
    boss = people.create_superuser("boss@example.org", name="Boss")
    staff.force_login(boss)
    for attempt in marked:
        expect(staff, "get", f"/attempts/{attempt.pk}/review/")
    teach()
    with noting("replaying"):
        call_command("replay_grades", verbosity=0)
    sys.stdout.write(f"\n{json.dumps({'done': done, 'failed': failed})}\n")
