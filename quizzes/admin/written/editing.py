"""Ticks and rewordings of mistakes, put into the text."""

from collections.abc import Iterator
from typing import NamedTuple

from quizzes import problems

# The beginnings of the fields' names; the step and the mistake follow.
LISTED, ON, SAYS = "listed-", "on-", "says-"


class _Edit(NamedTuple):
    """A mistake whose tick or words aren't those that its page was opened with."""

    step: str
    key: str
    on: bool
    says: str | None


def text_in(sent) -> str:
    """Return the text of a sent form, as it was typed."""
    return sent.get("text", "").replace("\r\n", "\n")


def edited_text(sent) -> str:
    """Return the sent text with the mistakes that were ticked or reworded since the page opened.

    What stands in the text itself by now stays, but for these.

    Raises:
        FormulaError: the text has a fault.
    """
    text, edits = text_in(sent), [*_edits(sent)]
    if not edits:
        return text
    sketch = problems.sketch_variant(text, "1", {})
    for step, left_out in sketch.left_out.items():
        own = [edit for edit in edits if edit.step == step]
        known = {*left_out, *(key for at, key in sketch.feedback if at == step)}
        ticked = {edit.key: edit.on for edit in own if edit.key in known}
        if ticked:
            without = [key for key in left_out if not ticked.get(key)]
            without += sorted(key for key, on in ticked.items() if not on and key not in without)
            words = {edit.key: edit.says for edit in own if edit.on and edit.says is not None}
            rewordings = {**sketch.reworded[step], **words}
            text = problems.edit_mistakes(text, step, without=without, rewordings=rewordings)
    return text


def _edits(sent) -> Iterator[_Edit]:
    """Yield the changed mistakes: each is listed with its tick and its words of before."""
    for name, before in sent.items():
        if not name.startswith(LISTED):
            continue
        field = name.removeprefix(LISTED)
        was_on, _space, words = before.partition(" ")
        typed = " ".join(sent.get(f"{SAYS}{field}", words).split())
        says = typed if typed != " ".join(words.split()) else None
        on = f"{ON}{field}" in sent
        step, _dot, key = field.partition(".")
        if on != (was_on == "on") or says is not None:
            yield _Edit(step, key, on, says)
