"""A concept question that is still being written, as students will see it."""

from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _

from quizzes import problems
from quizzes.pasted_questions import PastedQuestion, joined
from quizzes.presenters import texts
from quizzes.presenters.asked_item import previewed
from quizzes.tells import Option, tells


@dataclass(frozen=True)
class Written:
    """What has been written so far, and as what it is shown."""

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


def choice_of(number: int, text: str, correct: bool, feedback: str) -> dict[str, Any]:
    """A choice as wordings have it, with a key of its own."""
    return {"key": f"choice-{number}", "text": text, "correct": correct, "feedback": feedback}


def written_question(written: Written) -> Written:
    """With the HTML of its preview: the question, then what is said of each choice."""
    wording = problems.question_wording(
        key="preview",
        topic="",
        prompt=written.prompt,
        explanation=written.explanation,
        choices=list(written.choices),
    )
    told = tells([Option(each["text"], each["correct"]) for each in written.choices])
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
        previewed(problems.shown(wording)),
        format_html_join("", '<p class="notice">{}</p>', ((tell,) for tell in told)),
        _("What is said of each choice"),
        feedback,
        texts.block(written.explanation),
    )
    return replace(written, html=html, tells=told)
