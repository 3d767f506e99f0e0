"""Regrades as instructors see them: their scope, their values, and whose marks change."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from quizzes import problems
from quizzes.items.presenters import texts
from quizzes.items.presenters.skills import slot_title
from quizzes.models import Attempt, ConceptQuestion, Item, Ruling, Slot
from quizzes.problems import Marked
from quizzes.regrades.rules import ALSO, DECIDED_OUTCOMES, EVERYBODY, MarkChange, Outcome

Kind, Scope = Ruling.Kind, Ruling.Scope
MAX_TITLE_LENGTH = 70


# A possible scope of a regrade: its key in addresses, its title, and what it covers.
type ScopeChoice = tuple[str, str, str]


def question_title(question: ConceptQuestion) -> str:
    """Return the first words of a concept question."""
    words = " ".join(texts.strip_markup(question.prompt).split())
    return Truncator(words).chars(MAX_TITLE_LENGTH)


def scope_choices_in_quiz(
    slots: Iterable[Slot], questions: Iterable[ConceptQuestion], titles: Mapping[str, str]
) -> list[ScopeChoice]:
    """Return every possible scope in a sitting: slots, families and questions that were asked."""
    slots = list(slots)
    places = [
        (
            f"slot-{slot.pk}",
            _("Question %(number)s") % {"number": slot.position},
            (_("%(title)s, before it was changed") if slot.retired_at else "%(title)s")
            % {"title": slot_title(slot, titles)},
        )
        for slot in slots
    ]
    families = sorted({slot.family for slot in slots if slot.family})
    return [
        *places,
        *(
            (f"family-{key}", problems.family_title(key), _("everywhere in the quiz"))
            for key in families
        ),
        *((f"question-{each.pk}", question_title(each), _version(each)) for each in questions),
        ("all", _("Every question"), ""),
    ]


def _version(question: ConceptQuestion) -> str:
    if question.version == 1 and question.replaced_at is None:
        return _("concept question")
    return _("concept question, version %(number)s") % {"number": question.version}


def scope_choices_of_item(item: Item) -> list[ScopeChoice]:
    """Return the possible scopes of a regrade that starts at one item."""
    number = {"number": item.position}
    parts = []
    if item.question:
        words = _("for everyone who was asked it")
        parts.append((f"question-{item.question_id}", question_title(item.question), words))
    if item.variant:
        title = problems.family_title(item.variant.family)
        words = _("everywhere in the quiz")
        parts.append((f"family-{item.variant.family}", title, words))
        parts.append((f"variant-{item.variant_id}", _("The same numbers"), title))
    if item.slot_id:
        parts.append((f"slot-{item.slot_id}", _("Question %(number)s") % number, _("for everyone")))
    parts.append((f"item-{item.pk}", _("This answer only"), _("manually, for one attempt")))
    return parts


def describe_scope(regrade: Ruling) -> str:
    """Describe the scope of a regrade."""
    match regrade.scope:
        case Scope.SLOT if regrade.slot:
            return _("question %(number)s") % {"number": regrade.slot.position}
        case Scope.FAMILY:
            return problems.family_title(regrade.family)
        case Scope.QUESTION if regrade.question:
            return _("“%(question)s”") % {"question": question_title(regrade.question)}
        case Scope.VARIANT:
            return _("the same numbers")
        case Scope.ITEM if regrade.item:
            return _("question %(number)s of one attempt") % {"number": regrade.item.position}
        case Scope.ALL:
            return _("every question")
    return _("something that no longer exists")


def describe_values(regrade: Ruling, choices: Mapping[str, Mapping[str, Any]] | None = None) -> str:
    """Describe what a regrade does."""
    values = (regrade.undoes or regrade).values
    match regrade.kind:
        case Kind.KEY:
            if values["mode"] == EVERYBODY:
                return _("Everyone is right")
            named = [_choice(key, choices or {}) for key in values["accept"]]
            words = (
                _("Also right: %(choices)s") if values["mode"] == ALSO else _("Right: %(choices)s")
            )
            return words % {"choices": ", ".join(named)}
        case Kind.POINTS:
            return _("Out of %(points)s") % {"points": values["points"]}
        case Kind.TOLERANCE:
            return _("Right within %(tolerance)s") % {"tolerance": values["tolerance"]}
        case Kind.ADJUST:
            return _("Set to %(points)s manually") % {"points": values["points"]}
        case Kind.VOID:
            return _("Does not count")
        case Kind.UNDO:
            return _("Undoes: %(ruling)s") % {"ruling": describe_values(regrade.undoes, choices)}
    return _("Marked again by the current marker")


def _choice(key: str, choices: Mapping[str, Mapping[str, Any]]) -> str:
    if key not in choices:
        return key
    return Truncator(texts.strip_markup(choices[key]["text"])).chars(MAX_TITLE_LENGTH)


def choices_to_accept(choices: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, Any]]:
    """Return the choices for a form. Those that were right when asked are labelled so."""
    return [
        (
            key,
            texts.render_line(
                f"{choice['text']} ({_('the key until now')})"
                if choice["correct"]
                else choice["text"]
            ),
        )
        for key, choice in choices.items()
    ]


# Dry runs


def summary_figures(summary: Mapping[str, Any]) -> list[tuple[int, str]]:
    """Return the figures of a dry run, each with what it counts."""
    labels = {
        "changed_attempts": _("attempts change"),
        Outcome.HIGHER: _("marks higher"),
        Outcome.LOWER: _("marks lower"),
        **{way: Outcome(way).label for way in DECIDED_OUTCOMES[2:]},
        "gained": _("now pass"),
        "lost": _("no longer pass"),
    }
    figures = [(summary.get(name, 0), words) for name, words in labels.items()]
    return [figure for place, figure in enumerate(figures) if place < 3 or figure[0]]


def summary_notes(summary: Mapping[str, Any]) -> list[str]:
    """Return further sentences about a dry run."""
    sentences = []
    if summary.get("before") is not None:
        words = ngettext(
            "%(count)s attempt goes from %(before)s %% to %(after)s %%.",
            "The mean of %(count)s attempts goes from %(before)s %% to %(after)s %%.",
            summary["attempts"],
        )
        sentences.append(
            words
            % {
                "count": summary["attempts"],
                "before": texts.format_points(100 * summary["before"]),
                "after": texts.format_points(100 * summary["after"]),
            }
        )
    else:
        sentences.append(
            _(
                "Nothing this applies to has been marked yet. It will apply to anything marked"
                " later."
            )
        )
    if none := summary.get("out_of_none"):
        words = ngettext(
            "%(count)s attempt will have no points available and will not be passed.",
            "%(count)s attempts will have no points available and will not be passed.",
            none,
        )
        sentences.append(words % {"count": none})
    if need := summary.get("in_need"):
        words = ngettext(
            "%(count)s submission that could not be marked will be marked.",
            "%(count)s submissions that could not be marked will be marked.",
            need,
        )
        sentences.append(words % {"count": need})
    return sentences


# Returns a student's name at a desk, and the address of the attempt's review or "".
StudentOf = Callable[[Attempt], tuple[str, str]]


def change_rows(changes: Collection[MarkChange], student_of: StudentOf) -> list[dict[str, Any]]:
    """Return a table row for each change, with its student."""
    attempts = Attempt.objects.select_related("student").in_bulk({c.attempt for c in changes})
    passing = {1: _("now passes"), -1: _("no longer passes"), 0: ""}
    lines = []
    for change in changes:
        if change.attempt in attempts:  # not deleted meanwhile
            student, review = student_of(attempts[change.attempt])
            line = {
                "student": student,
                "url": f"{review}#item-{change.position}" if review else "",
                "before": _format_mark(change.before),
                "after": _format_mark(change.after),
                "word": Outcome(change.outcome).label,
                "passing": passing[change.passing],
            }
            lines.append(line | {"change": change})
    return lines


def _format_mark(mark: Marked) -> str:
    points, out_of = (texts.format_points(float(each)) for each in (mark.points, mark.out_of))
    return _("%(points)s of %(out_of)s") % {"points": points, "out_of": out_of}
