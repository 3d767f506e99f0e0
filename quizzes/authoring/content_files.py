"""Quizzes and concept questions as plain data, as content/ keeps them in YAML."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from django.utils.translation import gettext as _

from lessons.errors import ContentError
from quizzes.models import ConceptQuestion, Quiz

QUIZ_FIELDS = ("title", "introduction", "pass_mark", "published")
# Of the quiz's own sitting.
SITTING_FIELDS = ("minutes", "attempts_allowed", "counts", "practice", "release")
# The same loader in C, if PyYAML has it, takes a tenth of the time.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
CHOICE_FIELDS = ("key", "text", "correct", "feedback")


def load_yaml_files(folder: Path) -> Iterator[tuple[Path, Any]]:
    """Yield every YAML file of the folder with its data.

    Raises:
        ContentError: a file is not YAML; it names the file and the line.
    """
    for path in sorted(folder.glob("*.yaml")):
        try:
            yield path, yaml.load(path.read_text(encoding="utf-8"), _LOADER)  # noqa: S506 - safe
        except yaml.MarkedYAMLError as wrong:
            line = wrong.problem_mark.line + 1 if wrong.problem_mark else None
            raise ContentError(
                wrong.problem or _("this isn’t YAML"), line=line, where=path.name
            ) from None


def serialize_question(question: ConceptQuestion) -> dict[str, Any]:
    """Return a concept question as its file has it."""
    section = question.section
    return {
        "key": question.key,
        "topic": question.topic,
        "lesson": section.lesson.slug if section else "",
        "section": section.slug if section else "",
        "prompt": question.prompt.strip(),
        "explanation": question.explanation.strip(),
        # Only if set, so that questions loaded before these existed do not count as edited.
        **({"reserved": True} if question.reserved else {}),
        **({"asks": question.asks} if question.asks else {}),
        "choices": [
            {
                "key": choice.key,
                "text": choice.text.strip(),
                "correct": choice.correct,
                "feedback": choice.feedback.strip(),
            }
            for choice in question.choices.all()
        ],
    }


def serialize_quiz(quiz: Quiz) -> dict[str, Any]:
    """Return a quiz with its slots as its file has it."""
    return {
        "slug": quiz.slug,
        "lesson": quiz.lesson.slug if quiz.lesson else "",
        **{name: getattr(quiz, name) for name in QUIZ_FIELDS},
        **{name: getattr(quiz.own_sitting, name) for name in SITTING_FIELDS},
        "slots": [
            {
                "family": slot.family,
                "options": slot.options,
                "topic": slot.topic,
                "points": slot.points,
            }
            for slot in quiz.slots.all()
        ],
    }
