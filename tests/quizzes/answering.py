"""Typing whole answers, right or wrong, as drafts keep them."""

from quizzes.delivery.services.taking import Save, save_draft, start_attempt, submit_attempt
from quizzes.marking.services import grade_waiting
from quizzes.problems.answers import as_grid, cell_fields, choice_field, fields_of


def right_fields(item):
    """The draft of a right answer."""
    if item.variant is None:
        return {"answer-choice": next(c["key"] for c in item.shown["choices"] if c["correct"])}
    fields = {}
    for cell in cell_fields(item.shown):
        value = as_grid(item.variant.solution[cell.step])[cell.row][cell.column]
        fields[cell.field] = f"{value:.3f}"
    for step in item.shown["steps"]:
        if step["choices"]:
            right = item.variant.solution[step["key"]]
            fields[choice_field(step["key"])] = f"{right:.0f}"
    return fields


def wrong_fields(item):
    """The draft of an answer that is nowhere near."""
    if item.variant is None:
        return {"answer-choice": next(c["key"] for c in item.shown["choices"] if not c["correct"])}
    return {field: str(77 + n) for n, field in enumerate(fields_of(item.shown))}


def save(item, fields, *, revision=None, token="token"):
    """Save a draft as the page does."""
    return save_draft(
        attempt=item.attempt,
        position=item.position,
        save=Save(fields, item.revision if revision is None else revision, token),
    )


def answer_everything(attempt, fields=right_fields):
    """Save an answer to every item of the attempt."""
    for item in attempt.items.select_related("variant"):
        save(item, fields(item), token=f"token {item.position}")


def take(student, quiz, fields=right_fields):
    """A whole attempt, answered, handed in and marked."""
    attempt = start_attempt(student=student, quiz=quiz)
    answer_everything(attempt, fields)
    submit_attempt(attempt=attempt)
    grade_waiting()
    return attempt
