"""A concept question that is still being written, as students will see it."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from quizzes import problems
from quizzes.items.pasted_questions import PastedQuestion, joined
from quizzes.items.presenters import texts
from quizzes.items.presenters.asked_item import previewed
from quizzes.items.tells import Option, tells
from quizzes.models import ConceptQuestion


@dataclass(frozen=True)
class Written:
    """The texts written so far, with the preview of them."""

    prompt: str = ""
    explanation: str = ""
    choices: tuple[dict[str, Any], ...] = ()
    html: str = ""
    tells: list[str] = field(default_factory=list)

    @classmethod
    def pasted(cls, question: PastedQuestion) -> "Written":
        choices = [
            choice_of(number, choice.text, choice.correct, joined(choice.feedback))
            for number, choice in enumerate(question.choices)
        ]
        return cls(joined(question.prompt), joined(question.explanation), tuple(choices))

    @classmethod
    def stored(cls, question: ConceptQuestion) -> "Written":
        choices = [
            choice_of(number, choice.text, choice.correct, choice.feedback)
            for number, choice in enumerate(question.choices.all())
        ]
        return cls(question.prompt, question.explanation, tuple(choices))


def choice_of(number: int, text: str, correct: bool, feedback: str) -> dict[str, Any]:
    """Return a choice as wordings have it, with a key of its own."""
    return {"key": f"choice-{number}", "text": text, "correct": correct, "feedback": feedback}


def written_question(written: Written, position: int = 1) -> Written:
    """Return the question with its preview's HTML: first as it is asked, then with all feedback.

    If several are on one page, each has its own position.
    """
    wording = problems.question_wording(
        key="preview",
        topic="",
        prompt=written.prompt,
        explanation=written.explanation,
        choices=list(written.choices),
    )
    found = tells([Option(each["text"], each["correct"]) for each in written.choices])
    feedback = format_html_join(
        "",
        "<dt>{}</dt><dd>{} {}</dd>",
        (
            (
                texts.line(each["text"]),
                format_html("<b>{}</b>", _("Right.")) if each["correct"] else "",
                texts.line(each["feedback"]),
            )
            for each in written.choices
        ),
    )
    html = format_html(
        '<div class="item-body">{}</div>{}<h3>{}</h3><dl>{}</dl>{}',
        previewed(problems.shown(wording), position),
        format_html_join("", '<p class="notice">{}</p>', ((tell,) for tell in found)),
        _("Feedback for each choice"),
        feedback,
        texts.block(written.explanation),
    )
    return replace(written, html=html, tells=found)


def question_in_use(
    question: ConceptQuestion,
    students: int,
    earlier: Iterable[tuple[ConceptQuestion, int]],
    *,
    most: int,
) -> dict[str, Any]:
    """Return how many students were asked each version of a question, counted up to `most`."""
    return {
        "told": _asked_of(students, most) if students else "",
        "next_version": question.version + 1,
        "earlier": [(each, _asked_of(count, most)) for each, count in earlier],
    }


def _asked_of(students: int, most: int) -> str:
    if students >= most:
        return _("At least %(count)s students were asked this.") % {"count": most}
    words = ngettext(
        "%(count)s student was asked this.", "%(count)s students were asked this.", students
    )
    return words % {"count": students}
