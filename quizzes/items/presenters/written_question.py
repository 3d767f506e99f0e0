"""A concept question that is still being written, as students will see it."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from quizzes import problems
from quizzes.items.pasted_questions import PastedQuestion, join_lines
from quizzes.items.presenters import texts
from quizzes.items.presenters.asked_item import render_preview
from quizzes.items.tells import Option, find_giveaways
from quizzes.models import ConceptQuestion


@dataclass(frozen=True)
class WrittenQuestion:
    """The texts written so far, with the preview of them."""

    prompt: str = ""
    explanation: str = ""
    choices: tuple[dict[str, Any], ...] = ()
    html: str = ""
    tells: list[str] = field(default_factory=list)

    @classmethod
    def pasted(cls, question: PastedQuestion) -> "WrittenQuestion":
        choices = [
            choice_of(number, choice.text, choice.correct, join_lines(choice.feedback))
            for number, choice in enumerate(question.choices)
        ]
        return cls(join_lines(question.prompt), join_lines(question.explanation), tuple(choices))

    @classmethod
    def stored(cls, question: ConceptQuestion) -> "WrittenQuestion":
        choices = [
            choice_of(number, choice.text, choice.correct, choice.feedback)
            for number, choice in enumerate(question.choices.all())
        ]
        return cls(question.prompt, question.explanation, tuple(choices))


def choice_of(number: int, text: str, correct: bool, feedback: str) -> dict[str, Any]:
    """Return a choice as wordings have it, with a key of its own."""
    return {"key": f"choice-{number}", "text": text, "correct": correct, "feedback": feedback}


def with_preview(written: WrittenQuestion, position: int = 1) -> WrittenQuestion:
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
    found = find_giveaways([Option(each["text"], each["correct"]) for each in written.choices])
    feedback = format_html_join(
        "",
        "<dt>{}</dt><dd>{} {}</dd>",
        (
            (
                texts.render_line(each["text"]),
                format_html("<b>{}</b>", _("Right.")) if each["correct"] else "",
                texts.render_line(each["feedback"]),
            )
            for each in written.choices
        ),
    )
    html = format_html(
        '<div class="item-body">{}</div>{}<h3>{}</h3><dl>{}</dl>{}',
        render_preview(problems.shown(wording), position),
        format_html_join("", '<p class="notice">{}</p>', ((tell,) for tell in found)),
        _("Feedback for each choice"),
        feedback,
        texts.render_block(written.explanation),
    )
    return replace(written, html=html, tells=found)


def usage_context(
    question: ConceptQuestion,
    students: int,
    earlier: Iterable[tuple[ConceptQuestion, int]],
    *,
    most: int,
) -> dict[str, Any]:
    """Return how many students were asked each version of a question, counted up to `most`."""
    return {
        "usage": _describe_usage(students, most) if students else "",
        "next_version": question.version + 1,
        "earlier": [(each, _describe_usage(count, most)) for each, count in earlier],
    }


def _describe_usage(students: int, most: int) -> str:
    if students >= most:
        return _("At least %(count)s students were asked this.") % {"count": most}
    words = ngettext(
        "%(count)s student was asked this.", "%(count)s students were asked this.", students
    )
    return words % {"count": students}
