"""Changes of several concept questions at once."""

from collections.abc import Collection
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from lessons.models import Section
from quizzes.authoring.services.publishing import QuestionFault, find_publish_faults
from quizzes.items.queries import tags_of
from quizzes.items.services.questions import new_key, set_topic_title, write_question
from quizzes.items.services.tags import add_tags, remove_tags
from quizzes.models import Choice, ConceptQuestion
from sharing.services import add_owner

type Refused = list[tuple[ConceptQuestion, list[QuestionFault]]]


@transaction.atomic
def publish_questions(
    *, questions: QuerySet[ConceptQuestion], section: Section | None = None
) -> tuple[list[ConceptQuestion], Refused]:
    """Publish the drafts among the questions. Return them, and those with faults, which stay.

    Args:
        section: for those that have none.
    """
    ready, refused = [], []
    drafts = questions.filter(pk__in=_lock(questions), published=False)
    for question in drafts.prefetch_related("choices").select_related("section"):
        if section and question.section_id is None:
            question.section = section
            _of_all_versions([question.key]).update(section=section)
        faults = find_publish_faults(question, question.choices.all())
        if faults:
            refused.append((question, faults))
        else:
            ready.append(question)
    _of_all_versions([question.key for question in ready]).update(published=True)
    return ready, refused


@transaction.atomic
def change_questions(
    *,
    questions: QuerySet[ConceptQuestion],
    topic: str = "",
    title: str = "",
    section: Section | None = None,
    added: Collection[str] = (),
    removed: Collection[str] = (),
) -> int:
    """Change what is given here of these questions, in all versions. Return how many they are.

    Args:
        title: of a topic that is new.
        added, removed: tags.
    """
    keys = list(questions.filter(pk__in=_lock(questions)).values_list("key", flat=True))
    if title:
        set_topic_title(key=topic, title=title)
    changed: dict[str, Any] = {"topic": topic} if topic else {}
    if section:
        changed["section"] = section
    if changed:
        _of_all_versions(keys).update(**changed)
    remove_tags(keys=keys, tags=removed)
    add_tags(keys=keys, tags=added)
    return len(keys)


@transaction.atomic
def duplicate_questions(*, questions: QuerySet[ConceptQuestion], by: Any) -> list[ConceptQuestion]:
    """Copy questions with their tags. The copies are drafts, and belong to the user."""
    copies = []
    for question in questions.prefetch_related("choices").select_related("section"):
        copy = ConceptQuestion(
            key=new_key(question.topic),
            topic=question.topic,
            section=question.section,
            prompt=question.prompt,
            explanation=question.explanation,
            reserved=question.reserved,
            asks=question.asks,
        )
        choices = [
            Choice(key=each.key, text=each.text, correct=each.correct, feedback=each.feedback)
            for each in question.choices.all()
        ]
        write_question(question=copy, choices=choices)
        add_tags(keys=[copy.key], tags=tags_of(question.key))
        add_owner(row=copy, user=by)
        copies.append(copy)
    return copies


def _of_all_versions(keys: Collection[str]) -> QuerySet[ConceptQuestion]:
    return ConceptQuestion.every.filter(key__in=keys)


def _lock(questions: QuerySet[ConceptQuestion]) -> list[int]:
    """Lock the questions in all versions, always in the same order. Return their keys."""
    found = dict(questions.order_by().values_list("pk", "key"))
    versions = _of_all_versions(found.values()).select_for_update().order_by("key", "version")
    list(versions.values_list("pk", flat=True))
    return list(found)
