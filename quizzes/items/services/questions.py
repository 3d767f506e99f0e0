"""Writing concept questions. A version that was asked is never edited, but gets a successor."""

from collections.abc import Collection, Iterable, Sequence
from string import ascii_lowercase

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import ProtectedError, QuerySet
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _

from quizzes.models import Attempt, Choice, ConceptQuestion, PooledQuestion, QuestionTag, Topic

# The fields that all versions of a question share: where it belongs, whether it is asked and what
# it asks for, not its texts.
PROPERTIES = ("topic", "section", "published", "reserved", "asks")
_TEXTS = ("prompt", "explanation")
_OF_CHOICE = ("key", "text", "correct", "feedback")


@transaction.atomic
def write_question(*, question: ConceptQuestion, choices: Sequence[Choice]) -> int:
    """Write a question's texts and choices in order. Return how many were asked the version before.

    That is 0 if there is no new version. The row becomes that of the current version, whichever it
    was. Texts that differ only in line ends stay as they are stored. Students who are asked
    meanwhile get the version before.
    """
    current = _lock_current(question.key)
    if current is None:
        earlier = ConceptQuestion.every.filter(key=question.key).order_by("version").last()
        _add_version(question, version=earlier.version + 1 if earlier else 1)
        _write_choices(question, choices)
        return 0
    asked = 0
    question.pk, question.version, question.replaced_at = current.pk, current.version, None
    if _content(question, choices) == _content(current, current.choices.all()):
        for name in _TEXTS:
            setattr(question, name, getattr(current, name))
        question.save()
    elif asked := students_asked(current):
        ConceptQuestion.objects.filter(pk=current.pk).update(replaced_at=timezone.now())
        _add_version(question, version=current.version + 1)
        _write_choices(question, choices)
    else:
        question.save()
        _write_choices(question, choices)
    properties = {name: getattr(question, name) for name in PROPERTIES}
    ConceptQuestion.every.filter(key=question.key).update(**properties)
    return asked


@transaction.atomic
def write_questions(*, written: Iterable[tuple[ConceptQuestion, Sequence[Choice]]]) -> None:
    """Write questions and their choices as `write_question` does, all new ones at once.

    Of two new questions with one key, the last is written.
    """
    written = list(written)
    keys = {question.key for question, _choices in written}
    there = set(ConceptQuestion.every.filter(key__in=keys).values_list("key", flat=True))
    new = {pair[0].key: pair for pair in written if pair[0].key not in there}
    ConceptQuestion.every.bulk_create(question for question, _choices in new.values())
    for question, choices in new.values():
        for order, choice in enumerate(choices):
            choice.question, choice.order = question, order
    Choice.objects.bulk_create(choice for _question, choices in new.values() for choice in choices)
    for question, choices in written:
        if question.key in there:
            write_question(question=question, choices=choices)


@transaction.atomic
def withdraw_questions(*, keys: Collection[str]) -> None:
    """Withdraw questions in all versions, so that no attempt that starts later asks them."""
    ConceptQuestion.every.filter(key__in=keys).update(published=False)


@transaction.atomic
def delete_questions(*, questions: QuerySet[ConceptQuestion]) -> None:
    """Delete questions that nobody was asked, with their tags, and remove them from their pools.

    Raises:
        ProtectedError: one of them was asked in an earlier version.
    """
    keys = list(questions.values_list("key", flat=True))
    earlier = ConceptQuestion.every.filter(key__in=keys).exclude(replaced_at=None)
    if earlier:
        raise ProtectedError("An earlier version was asked.", set(earlier))
    ConceptQuestion.objects.filter(key__in=keys).delete()
    PooledQuestion.objects.filter(key__in=keys).delete()
    QuestionTag.objects.filter(key__in=keys).delete()


def students_asked(question: ConceptQuestion, most: int | None = None) -> int:
    """Return how many students were asked this version, counted up to `most`."""
    asked = Attempt.objects.filter(items__question=question.pk).order_by()
    return asked.values("student").distinct()[:most].count()


def _lock_current(key: str) -> ConceptQuestion | None:
    """Return the current version and lock the question against writing and asking."""
    # Every writer locks all versions, among them the first.
    versions = ConceptQuestion.every.select_for_update().filter(key=key).order_by("version")
    list(versions.values_list("pk", flat=True))
    return ConceptQuestion.objects.filter(key=key).first()


def _add_version(question: ConceptQuestion, *, version: int) -> None:
    question.pk, question.version, question.replaced_at = None, version, None
    question._state.adding = True
    question.save()


def _write_choices(question: ConceptQuestion, choices: Sequence[Choice]) -> None:
    """Write the choices; those whose keys exist keep their rows."""
    stored = question.choices.all()
    rows = dict(stored.values_list("key", "pk"))
    stored.exclude(key__in=[choice.key for choice in choices]).delete()
    stored.update(correct=False)  # another may become the right one
    for order, choice in enumerate(choices):
        choice.pk = rows.get(choice.key)
        choice._state.adding = choice.pk is None
        choice.question, choice.order = question, order
        choice.save()


def _content(question: ConceptQuestion, choices: Iterable[Choice]) -> Collection[object]:
    texts = [_normalize(getattr(question, name)) for name in _TEXTS]
    return texts, [[_normalize(getattr(choice, name)) for name in _OF_CHOICE] for choice in choices]


def _normalize(value: object) -> object:
    return value.replace("\r\n", "\n").strip() if isinstance(value, str) else value


def key_of_topic(title: str) -> str:
    """Return the key of the topic with this title, or the key that it would get.

    Raises:
        ValidationError: no key can be made of it.
    """
    found = Topic.objects.filter(title__iexact=title).first()
    key = found.key if found else slugify(title)[:60]
    if not key:
        raise ValidationError(_("A topic title must contain letters."))
    return key


def set_topic_title(*, key: str, title: str) -> None:
    """Give a topic its title, unless it has one."""
    Topic.objects.get_or_create(key=key, defaults={"title": title})


def new_key(topic: str) -> str:
    """Return a key for another question on a topic: the topic's key with the next number."""
    taken = ConceptQuestion.every.filter(key__startswith=f"{topic}-").values_list("key", flat=True)
    numbers = [int(end) for key in taken if (end := key.removeprefix(f"{topic}-")).isdecimal()]
    return f"{topic}-{max(numbers, default=0) + 1}"


def number_choices(*, choices: Iterable[Choice]) -> None:
    """Number the choices of a question in order, and give keys to those without one."""
    choices = list(choices)
    free = (key for key in _LETTERS if key not in {choice.key for choice in choices})
    for order, choice in enumerate(choices):
        choice.order = order
        choice.key = choice.key or next(free)


# After the alphabet come pairs of letters.
_LETTERS = [
    *ascii_lowercase,
    *(f"{one}{two}" for one in ascii_lowercase for two in ascii_lowercase),
]
