"""Concept questions. What somebody was asked is never edited: it goes on in its next version."""

from collections.abc import Collection, Iterable, Sequence
from string import ascii_lowercase

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import ProtectedError, QuerySet
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _

from quizzes.models import (
    Attempt,
    Choice,
    ConceptQuestion,
    PooledQuestion,
    Topic,
)

# The question's own, whichever its version: they say where it stands and whether it is asked, not
# what it says.
PROPERTIES = ("topic", "section", "published", "reserved")
_TEXTS = ("prompt", "explanation")
_OF_CHOICE = ("key", "text", "correct", "feedback")


@transaction.atomic
def write_question(*, question: ConceptQuestion, choices: Sequence[Choice]) -> int:
    """Let a question say this, with these choices in their order; return how many students were
    asked the version before, and 0 where there is no new one.

    The row becomes that of the current version, whichever it was. Texts that differ by their line
    ends alone stay as they are stored. Who is asked meanwhile was asked the version before.
    """
    current = _current(question.key)
    if current is None:
        earlier = ConceptQuestion.every.filter(key=question.key).order_by("version").last()
        _begin(question, version=earlier.version + 1 if earlier else 1)
        _write_choices(question, choices)
        return 0
    asked = 0
    question.pk, question.version, question.replaced_at = current.pk, current.version, None
    if _says(question, choices) == _says(current, current.choices.all()):
        for name in _TEXTS:
            setattr(question, name, getattr(current, name))
        question.save()
    elif asked := students_asked(current):
        ConceptQuestion.objects.filter(pk=current.pk).update(replaced_at=timezone.now())
        _begin(question, version=current.version + 1)
        _write_choices(question, choices)
    else:
        question.save()
        _write_choices(question, choices)
    properties = {name: getattr(question, name) for name in PROPERTIES}
    ConceptQuestion.every.filter(key=question.key).update(**properties)
    return asked


@transaction.atomic
def delete_questions(*, questions: QuerySet[ConceptQuestion]) -> None:
    """Delete questions that nobody was asked, also out of the pools that they are in.

    Raises:
        ProtectedError: somebody was asked one of them, in an earlier version.
    """
    keys = list(questions.values_list("key", flat=True))
    earlier = ConceptQuestion.every.filter(key__in=keys).exclude(replaced_at=None)
    if earlier:
        raise ProtectedError("An earlier version was asked.", set(earlier))
    ConceptQuestion.objects.filter(key__in=keys).delete()
    PooledQuestion.objects.filter(key__in=keys).delete()


def students_asked(question: ConceptQuestion, most: int | None = None) -> int:
    """How many students were asked this version, counted up to `most`."""
    asked = Attempt.objects.filter(items__question=question.pk).order_by()
    return asked.values("student").distinct()[:most].count()


def _current(key: str) -> ConceptQuestion | None:
    """The current version. Until the transaction ends nobody else writes one, or is asked it."""
    # The first version is among them, and locked by whoever writes any.
    versions = ConceptQuestion.every.select_for_update().filter(key=key).order_by("version")
    list(versions.values_list("pk", flat=True))
    return ConceptQuestion.objects.filter(key=key).first()


def _begin(question: ConceptQuestion, *, version: int) -> None:
    question.pk, question.version, question.replaced_at = None, version, None
    question._state.adding = True
    question.save()


def _write_choices(question: ConceptQuestion, choices: Sequence[Choice]) -> None:
    """Those that are there already, by their keys, keep their rows."""
    stored = question.choices.all()
    rows = dict(stored.values_list("key", "pk"))
    stored.exclude(key__in=[choice.key for choice in choices]).delete()
    stored.update(correct=False)  # another may become the right one
    for order, choice in enumerate(choices):
        choice.pk = rows.get(choice.key)
        choice._state.adding = choice.pk is None
        choice.question, choice.order = question, order
        choice.save()


def _says(question: ConceptQuestion, choices: Iterable[Choice]) -> Collection[object]:
    texts = [_plain(getattr(question, name)) for name in _TEXTS]
    return texts, [[_plain(getattr(choice, name)) for name in _OF_CHOICE] for choice in choices]


def _plain(said: object) -> object:
    return said.replace("\r\n", "\n").strip() if isinstance(said, str) else said


def key_of_topic(title: str) -> str:
    """The key of the topic of this title, or the one that it would get.

    Raises:
        ValidationError: no key can be made of it.
    """
    found = Topic.objects.filter(title__iexact=title).first()
    key = found.key if found else slugify(title)[:60]
    if not key:
        raise ValidationError(_("A topic title must contain letters."))
    return key


def name_topic(*, key: str, title: str) -> None:
    """Say what a topic is called, unless that has been said already."""
    Topic.objects.get_or_create(key=key, defaults={"title": title})


def new_key(topic: str) -> str:
    """A key for another question on a topic: its own, with the next number."""
    taken = ConceptQuestion.every.filter(key__startswith=f"{topic}-").values_list("key", flat=True)
    numbers = [int(end) for key in taken if (end := key.removeprefix(f"{topic}-")).isdecimal()]
    return f"{topic}-{max(numbers, default=0) + 1}"


def name_choices(*, choices: Iterable[Choice]) -> None:
    """Give the choices of a question their order, and those that have none yet a key."""
    choices = list(choices)
    free = (key for key in _LETTERS if key not in {choice.key for choice in choices})
    for order, choice in enumerate(choices):
        choice.order = order
        choice.key = choice.key or next(free)


# After the alphabet, by two letters each.
_LETTERS = [
    *ascii_lowercase,
    *(f"{one}{two}" for one in ascii_lowercase for two in ascii_lowercase),
]
