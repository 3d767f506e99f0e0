"""Loads questions and quizzes from content files."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from foundation.loading import Loaded, LoadOutcome, fingerprint, outcome_of
from lessons.errors import ContentError, errors_located_at
from lessons.models import Lesson, Section
from lessons.rendering import check_markdown
from quizzes.authoring.content_files import (
    CHOICE_FIELDS,
    QUIZ_FIELDS,
    SITTING_FIELDS,
    load_yaml_files,
    serialize_question,
    serialize_quiz,
)
from quizzes.authoring.services.pools import freeze_pools, freeze_unasked_pools, topics_of
from quizzes.authoring.services.publishing import find_obstacles, find_question_faults
from quizzes.authoring.services.slots import write_slots
from quizzes.items.pasted_questions import PastedQuestion, join_lines
from quizzes.items.services.questions import (
    new_key,
    number_choices,
    set_topic_title,
    withdraw_questions,
    write_question,
    write_questions,
)
from quizzes.items.services.tags import add_tags
from quizzes.models import Choice, ConceptQuestion, Quiz, Sitting, Slot, Topic
from quizzes.written.queries import is_written, newest_of
from sharing.services import add_owner

# Added to the content that a withdrawn question's `source_hash` is of, to tell it from one that is
# still shipped. So it is withdrawn once: an author who publishes it again keeps it.
_WITHDRAWN = {"withdrawn": True}


@transaction.atomic
def add_questions(
    *,
    topic: str,
    title: str = "",
    section: Section | None,
    tags: Collection[str] = (),
    publish: bool = False,
    pasted: Iterable[PastedQuestion],
    by: Any,
) -> list[ConceptQuestion]:
    """Add questions that were written in one text; they are asked only once they are published.

    Args:
        title: of a topic that is new.
        publish: whether to publish them at once. They need a section.
        by: the owner of the questions.

    Raises:
        ContentError: one of them cannot be asked; it names its line, and nothing is added.
    """
    if title:
        set_topic_title(key=topic, title=title)
    added = []
    for each in pasted:
        question = ConceptQuestion(
            key=new_key(topic),
            topic=topic,
            section=section,
            prompt=join_lines(each.prompt),
            explanation=join_lines(each.explanation),
            published=publish,
        )
        choices = _choices_of(each)
        if troubles := find_question_faults(choices):
            raise ContentError(" ".join(troubles), line=each.line)
        write_question(question=question, choices=choices)
        add_owner(row=question, user=by)
        added.append(question)
    add_tags(keys=[question.key for question in added], tags=tags)
    return added


def find_pasted_faults(pasted: Iterable[PastedQuestion]) -> list[str]:
    """Return what keeps pasted questions from being asked, a sentence with its line for each."""
    faults = [(each.line, find_question_faults(_choices_of(each))) for each in pasted]
    return [str(ContentError(" ".join(found), line=line)) for line, found in faults if found]


def _choices_of(pasted: PastedQuestion) -> list[Choice]:
    choices = [
        Choice(text=choice.text, correct=choice.correct, feedback=join_lines(choice.feedback))
        for choice in pasted.choices
    ]
    number_choices(choices=choices)
    return choices


def load_questions(*, folder: Path, overwrite: bool = False) -> list[Loaded]:
    """Load the concept questions of a folder; loading again changes nothing.

    A question that was edited since it was loaded stays as it is, unless `overwrite`. Those that a
    file lists as withdrawn are withdrawn likewise.

    Raises:
        ContentError: a file is wrong; nothing of that file is written.
    """
    loaded = []
    files = list(load_yaml_files(folder))
    defined = {str(entry.get("key")) for _path, data in files for entry in data["questions"]}
    for path, data in files:
        with transaction.atomic():
            _load_topics(path.name, data.get("topics", {}), overwrite)
            loaded += _load_questions(path.name, data["questions"], overwrite)
            withdrawn = [str(key) for key in data.get("withdrawn") or ()]
            for key in defined.intersection(withdrawn):
                with _name_place(f"{path.name}, {key}"):
                    raise ContentError(_("this key is both in use and withdrawn"))
            loaded += _withdraw_questions(withdrawn, overwrite)
    return loaded


def load_quizzes(*, folder: Path, overwrite: bool, withdrawn: Collection[str] = ()) -> list[Loaded]:
    """Load the quizzes of a folder like `load_questions`. A published one must be publishable.

    One that has not changed must be so if questions on its topics, with the keys `withdrawn`, have
    just been withdrawn.
    """
    lost = set(ConceptQuestion.objects.filter(key__in=withdrawn).values_list("topic", flat=True))
    loaded = []
    for path, data in load_yaml_files(folder):
        with _name_place(path.name):
            loaded.append(_load_quiz(data, overwrite, lost))
    return loaded


@contextmanager
def _name_place(place: str) -> Iterator[None]:
    """Turn errors inside into a ContentError that names this place of a file."""
    with errors_located_at(place):
        try:
            yield
        except KeyError as missing:
            words = _("%(name)s is missing")
            raise ContentError(words % {"name": missing.args[0]}) from None
        except ValidationError as wrong:
            raise ContentError(" ".join(wrong.messages)) from None


def _load_topics(file: str, entries: dict[str, dict[str, str] | str], overwrite: bool) -> None:
    """Load the titles and parts of topics: only those that are empty, unless `overwrite`."""
    topics = Topic.objects.in_bulk([str(key) for key in entries])
    for key, entry in entries.items():
        with _name_place(f"{file}, {key}"):
            data = {"title": entry} if isinstance(entry, str) else entry
            topic = topics.setdefault(str(key), Topic(key=key))
            for name in ("title", "part"):
                if overwrite or not getattr(topic, name):
                    setattr(topic, name, data.get(name, ""))
            topic.clean_fields()
    Topic.objects.bulk_create(
        topics.values(),
        update_conflicts=True,
        unique_fields=["key"],
        update_fields=["title", "part"],
    )


def _load_questions(file: str, entries: list[dict[str, Any]], overwrite: bool) -> list[Loaded]:
    """Load a file's questions: one query for each kind of row, however many there are."""
    stored = _stored_questions([str(entry.get("key")) for entry in entries])
    sections = _sections({entry.get("lesson", "") for entry in entries})
    loaded, written = [], []
    for entry in entries:
        with _name_place(f"{file}, {entry.get('key', _('a question without a key'))}"):
            found = stored.get(str(entry["key"]))
            # Files hold questions ready to be asked; one that an author withdrew stays withdrawn.
            question = found or ConceptQuestion(key=entry["key"], published=True)
            outcome = outcome_of(
                wanted=_question_in_full(entry),
                stored=_as_loaded(found) if found else None,
                source_hash=question.source_hash,
                overwrite=overwrite,
            )
            if outcome.writes:
                # One that a file withdrew is shipped again.
                question.published |= _is_withdrawn(question)
                written.append((question, _read_question(question, entry, sections)))
            loaded.append(Loaded(question.key, outcome))
    write_questions(written=written)
    rows = _stored_questions([question.key for question, _choices in written]).values()
    for row in rows:
        row.source_hash = fingerprint(serialize_question(row))
    ConceptQuestion.objects.bulk_update(rows, ["source_hash"])
    return loaded


def _withdraw_questions(keys: Collection[str], overwrite: bool) -> list[Loaded]:
    """Withdraw the questions with these keys that nobody edited since they were loaded."""
    loaded, withdrawn = [], []
    for question in _stored_questions(keys).values():
        wanted = serialize_question(question) | _WITHDRAWN
        outcome = outcome_of(
            wanted=wanted,
            stored=_as_loaded(question),
            source_hash=question.source_hash,
            overwrite=overwrite,
        )
        if outcome.writes:
            outcome = LoadOutcome.WITHDRAWN
            question.source_hash = fingerprint(wanted)
            withdrawn.append(question)
        loaded.append(Loaded(question.key, outcome))
    withdraw_questions(keys=[question.key for question in withdrawn])
    ConceptQuestion.objects.bulk_update(withdrawn, ["source_hash"])
    return loaded


def _as_loaded(question: ConceptQuestion) -> dict[str, Any]:
    """Return the content that a stored question's `source_hash` is of, unless it was edited."""
    return serialize_question(question) | (_WITHDRAWN if _is_withdrawn(question) else {})


def _is_withdrawn(question: ConceptQuestion) -> bool:
    """Return whether a file withdrew the question and nobody edited its content since."""
    if not question.source_hash:
        return False
    return question.source_hash == fingerprint(serialize_question(question) | _WITHDRAWN)


def _stored_questions(keys: Iterable[str]) -> dict[str, ConceptQuestion]:
    """Return the questions with these keys, with all the rows that a file describes."""
    rows = ConceptQuestion.objects.filter(key__in=keys)
    rows = rows.select_related("section__lesson").prefetch_related("choices")
    return {row.key: row for row in rows}


def _read_question(
    question: ConceptQuestion, data: dict[str, Any], sections: dict[tuple[str, str], Section]
) -> list[Choice]:
    """Set a question's fields from its file. Return its choices; raise if it cannot be asked."""
    question.topic = data["topic"]
    question.section = _section(data, sections)
    question.reserved = data.get("reserved", False)
    question.asks = data.get("asks", "")
    question.prompt, question.explanation = data["prompt"], data.get("explanation", "")
    for text in (question.prompt, question.explanation):
        check_markdown(text)
    question.clean_fields(exclude={"section"})
    choices = [
        Choice(order=order, **{name: entry[name] for name in CHOICE_FIELDS})
        for order, entry in enumerate(data["choices"])
    ]
    for choice in choices:
        for text in (choice.text, choice.feedback):
            check_markdown(text)
        choice.clean_fields(exclude={"question"})
    if troubles := find_question_faults(choices):
        raise ValidationError(troubles)
    return choices


@transaction.atomic
def _load_quiz(data: dict[str, Any], overwrite: bool, lost: Collection[str]) -> Loaded:
    """Write a quiz as in its file, unless it was edited since it was loaded.

    `lost` are topics from which questions were withdrawn.
    """
    quiz = Quiz.objects.filter(slug=data["slug"]).first() or Quiz(slug=data["slug"])
    outcome = outcome_of(
        wanted=_quiz_in_full(data),
        stored=serialize_quiz(quiz) if quiz.pk else None,
        source_hash=quiz.source_hash,
        overwrite=overwrite,
    )
    if outcome.writes:
        _write_quiz(quiz, data)
        # The hash of the quiz as loaded, by which a later edit is detected.
        quiz.refresh_from_db()
        quiz.source_hash = fingerprint(serialize_quiz(quiz))
        quiz.save(update_fields=["source_hash"])
    elif quiz.published and outcome == LoadOutcome.UNCHANGED:
        freeze_unasked_pools(quiz=quiz)
        if topics_of(quiz).intersection(lost) and (troubles := find_obstacles(quiz, anew=False)):
            raise ValidationError(troubles)
    return Loaded(quiz.slug, outcome)


def _write_quiz(quiz: Quiz, data: dict[str, Any]) -> None:
    anew = not quiz.published
    quiz.lesson = _lesson(data.get("lesson", ""))
    for name in QUIZ_FIELDS:
        if name in data:
            setattr(quiz, name, data[name])
    quiz.full_clean()
    quiz.save()
    sitting = quiz.own_sitting
    for name in SITTING_FIELDS:
        if name in data:
            setattr(sitting, name, data[name])
    sitting.full_clean()
    sitting.save()
    _set_slots(quiz, data["slots"])
    if quiz.published:
        freeze = freeze_pools if anew else freeze_unasked_pools
        freeze(quiz=quiz)
        if troubles := find_obstacles(quiz, anew=anew):
            raise ValidationError(troubles)


def _set_slots(quiz: Quiz, entries: list[dict[str, Any]]) -> None:
    """Write the slots by position; a changed slot that was asked is replaced by a new row."""
    there = {slot.position: slot for slot in quiz.slots.all()}
    wanted = []
    for position, entry in enumerate(entries, start=1):
        slot = there.get(position) or Slot(quiz=quiz, position=position)
        slot.family, slot.topic = entry.get("family", ""), entry.get("topic", "")
        slot.family_version = _version_to_ask(slot.family)
        slot.options, slot.points = entry.get("options", {}), entry.get("points", 1)
        slot.full_clean(exclude={"position"})
        wanted.append(slot)
    write_slots(quiz=quiz, wanted=wanted)


def _version_to_ask(family: str) -> int | None:
    """Return the newest version of a problem in rows; None for a family that is shipped."""
    if not is_written(family):
        return None
    version = newest_of([family]).get(family)
    if version is None:
        words = _("there’s no published problem “%(name)s”. Publish it here, or choose another")
        raise ContentError(words % {"name": family})
    return version


def _question_in_full(data: dict[str, Any]) -> dict[str, Any]:
    """Return the file's question in the form of a stored one, to compare them."""
    choices = [
        entry | {"text": entry["text"].strip(), "feedback": entry["feedback"].strip()}
        for entry in data["choices"]
    ]
    texts = {name: data.get(name, "").strip() for name in ("prompt", "explanation")}
    return {"lesson": "", "section": "", **data, **texts, "choices": choices}


def _quiz_in_full(data: dict[str, Any]) -> dict[str, Any]:
    """Return the file's quiz with defaults filled in, to compare it with a stored one."""
    empty = {"family": "", "options": {}, "topic": "", "points": 1}
    defaults = {name: Quiz._meta.get_field(name).get_default() for name in QUIZ_FIELDS}
    defaults |= {name: Sitting._meta.get_field(name).get_default() for name in SITTING_FIELDS}
    slots = [empty | slot for slot in data["slots"]]
    return {"lesson": "", **defaults, **data, "slots": slots}


def _lesson(slug: str) -> Lesson | None:
    if not slug:
        return None
    lesson = Lesson.objects.filter(slug=slug).first()
    if lesson is None:
        raise ContentError(_("there’s no lesson “%(name)s”") % {"name": slug})
    return lesson


def _sections(lessons: Iterable[str]) -> dict[tuple[str, str], Section]:
    """Return the sections of these lessons, by the slugs of both."""
    rows = Section.objects.filter(lesson__slug__in=lessons).select_related("lesson")
    return {(row.lesson.slug, row.slug): row for row in rows}


def _section(data: dict[str, Any], sections: dict[tuple[str, str], Section]) -> Section | None:
    if not data.get("section"):
        return None
    section = sections.get((data["lesson"], data["section"]))
    if section is None:
        words = _("the lesson “%(lesson)s” has no section “%(name)s”")
        raise ContentError(words % {"lesson": data["lesson"], "name": data["section"]})
    return section
