"""Sharing decides what an instructor may do at each page of a quiz, lesson or question."""

import re

import pytest
from django.conf import settings
from django.db import transaction

from lessons.models import Lesson
from quizzes.models import ConceptQuestion, Quiz, Sitting, WrittenProblem
from sharing.models import Access, new_share, shares_of
from tests.access.addresses import ADMIN, FORM, addresses_of
from tests.conftest import FormClient
from tests.each import undone

pytestmark = pytest.mark.django_db

READ, EDIT, OWN = "read", "edit", "own"
# What each kind of row lets an instructor do.
KINDS = {
    "own": {READ, EDIT, OWN},
    "shared to edit": {READ, EDIT},
    "shared to read": {READ},
    "everybody edits": {READ, EDIT},
    "everybody reads": {READ},
    "the site’s": {READ},
    "foreign": set(),
}
# One kind of each level of access; further ways to the same access are slow tests.
FEW = ("own", "shared to edit", "everybody reads", "foreign")
every_kind = pytest.mark.parametrize(
    "kinds", [FEW, pytest.param(KINDS.keys() - FEW, marks=pytest.mark.slow)], ids=["few", "others"]
)
MODELS = {
    "lesson": Lesson,
    "quiz": Quiz,
    "conceptquestion": ConceptQuestion,
    "writtenproblem": WrittenProblem,
}
# The access that a page of one row needs, to look at it and to act on it.
NEEDED = {
    "change": (READ, EDIT),
    "history": (READ, READ),
    "delete": (OWN, OWN),
    "sharing": (OWN, OWN),
    "preview": (READ, READ),
    "version": (READ, READ),
    "restore": (EDIT, EDIT),
    "view_as_student": (READ, READ),
    "export": (READ, READ),
    "duplicate": (READ, READ),
    "pools": (READ, EDIT),
    "rehearsal": (READ, EDIT),
    "withdraw": (EDIT, EDIT),
    "text": (READ, READ),
    "proof": (READ, READ),
    "attention": (OWN, OWN),
}


def share_as(kind: str, row, user, other) -> None:
    """Share the row with the user as `kind` says; `other` owns it unless user or site does."""
    shares_of(row).delete()
    if kind == "the site’s":
        return
    new_share(row, user=user if kind == "own" else other, access=Access.OWN).save()
    word = "edit" if kind.endswith(("edit", "edits")) else "read"
    if kind.startswith("shared"):
        new_share(row, user=user, access=word).save()
    if kind.startswith("everybody"):
        new_share(row, user=None, access=word).save()


def pages(objects) -> list[tuple]:
    """Return the pages of single rows: model name, page name and address."""
    found = []
    for address in addresses_of(objects):
        parts = address.name.removeprefix("admin:").split("_", 2)
        of_row = len(parts) == 3 and parts[1] in MODELS and parts[2] in NEEDED
        if of_row and f"/{objects['.'.join(parts[:2])]}/" in address.path:
            found.append((parts[1], parts[2], address))
    return found


def test_every_page_of_a_row_stands_in_the_table(objects):
    words = {(model, word) for model, word, _address in pages(objects)}
    of_all = {
        (model, word)
        for name in ADMIN
        for model in MODELS
        if (word := name.partition(f"_{model}_")[2])
    }
    without_row = {"import_lessons", "paste", "choices", "example", "slots", "delete_preview"}
    without_row |= {"variant"}
    of_all -= {("lesson", "preview"), ("conceptquestion", "preview")}  # a preview of unsaved input
    assert {pair for pair in of_all if pair[1] not in without_row} <= words


@every_kind
def test_a_row_is_met_as_far_as_it_is_shared(objects, people, kinds, subtests):
    for kind in kinds:
        with subtests.test(kind), undone():
            user, other = people["instructor"], people["administrator"]
            for model in MODELS.values():
                for row in model.objects.all():
                    share_as(kind, row, user, other)
            client = FormClient(raise_request_exception=False)
            client.force_login(user)
            client.cookies[settings.CSRF_COOKIE_NAME] = "a" * 32
            wrong, seen, token = [], 0, {"X-CSRFToken": "a" * 32}
            for model, word, address in pages(objects):
                for method in ("GET", "POST") if address.takes == FORM else ("GET",):
                    needed = NEEDED[word][method == "POST"]
                    with transaction.atomic():
                        answer = client.generic(method, address.path, headers=token)
                        transaction.set_rollback(True)
                    # To a row that somebody cannot see, the admin answers with its first page.
                    led_off = answer.status_code == 302 and answer.headers["Location"] == "/admin/"
                    met = answer.status_code <= 400 or answer.status_code == 422
                    seen += 1
                    if (met and not led_off) != (needed in KINDS[kind]):
                        wrong.append(f"{method} {address.path} ({model}): {answer.status_code}")
            assert seen > 30
            assert not wrong, "\n".join(wrong)


def test_who_may_only_read_a_quiz_reads_its_rules(objects, people):
    for row in Quiz.objects.all():
        share_as("shared to read", row, people["instructor"], people["administrator"])
    Sitting.objects.filter(given_in="").update(attempts_allowed=7, minutes=41)
    client = FormClient()
    client.force_login(people["instructor"])
    text = client.get(f"/admin/quizzes/quiz/{objects['quiz']}/change/").content.decode()
    rules = re.findall(r'class="readonly[^"]*"[^>]*>\s*([^<]*?)\s*<', text)
    assert {"41", "7", "the best attempt"} <= {rule.lower() for rule in rules}


@every_kind
def test_lists_searches_and_fields_offer_what_may_be_read(objects, people, kinds, subtests):
    """Other rows' titles are in no list, filter, field or completion."""
    for kind in kinds:
        with subtests.test(kind), undone():
            user, other = people["instructor"], people["administrator"]
            Lesson.objects.update(title="Xylophone lesson")
            Quiz.objects.update(title="Xylophone quiz")
            WrittenProblem.every.update(title="Xylophone problem")
            for model in MODELS.values():
                for row in model.objects.all():
                    share_as(kind, row, user, other)
            Lesson.objects.update(published=False)
            client = FormClient()
            client.force_login(user)
            readable = READ in KINDS[kind]
            for name in ("lesson", "quiz"):
                app = MODELS[name]._meta.app_label
                text = client.get(f"/admin/{app}/{name}/?q=xylophone").content.decode()
                assert (f"Xylophone {name}</a>" in text) == readable
            for address in (
                *("/admin/quizzes/quiz/add/", "/admin/quizzes/conceptquestion/"),
                *("/admin/quizzes/conceptquestion/add/", "/admin/quizzes/attempt/"),
                *("/admin/quizzes/extratime/", "/admin/quizzes/topic/add/"),
                *("/admin/lessons/image/", "/teach/", "/admin/quizzes/writtenproblem/"),
            ):
                assert readable or "Xylophone" not in client.get(address).content.decode(), address
