"""Regrades as instructors see them: their scope, their values, and whose marks change."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.formats import date_format
from django.utils.text import Truncator
from django.utils.timezone import localdate
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from quizzes import problems
from quizzes.items.presenters import texts
from quizzes.items.presenters.skills import slot_title
from quizzes.models import Attempt, ConceptQuestion, Item, Ruling, Sitting, WrittenProblem
from quizzes.problems import Marked
from quizzes.regrades.desk import FlagsIn
from quizzes.regrades.queries.accepting import GivenAnswer
from quizzes.regrades.queries.choosing import SittingParts
from quizzes.regrades.queries.versions import regraded_family
from quizzes.regrades.rules import ALSO, DECIDED_OUTCOMES, EVERYBODY, MarkChange, Outcome

Kind, Scope = Ruling.Kind, Ruling.Scope
MAX_TITLE_LENGTH = 70


class ScopeChoice(NamedTuple):
    """A possible scope of a regrade.

    Attributes:
        of: its key in addresses.
        more: what it covers.
        reports: how many open ones are on it.
        flags: the figures by which it stands out.
        position: of the first slot that it covers.
        sitting: the one whose marks would change, where there are several to choose from.
    """

    of: str
    title: str
    more: str = ""
    reports: int = 0
    sitting: Sitting | None = None
    flags: Sequence[str] = ()
    position: int = 0


def question_title(question: ConceptQuestion) -> str:
    """Return the first words of a concept question."""
    words = " ".join(texts.strip_markup(question.prompt).split())
    return Truncator(words).chars(MAX_TITLE_LENGTH)


def scope_choices_in_sittings(
    found: Iterable[SittingParts],
    titles: Mapping[str, str],
    words: Sequence[str],
    flags_in: FlagsIn,
) -> list[ScopeChoice]:
    """Return the possible scopes in sittings whose texts have all `words`.

    What stands out comes first, then what is reported most, then by slot. Flags cost the
    statistics of a whole sitting, so there are none where several are left to choose from.
    The questions are left as they were found: their texts are longer than their titles.
    """
    choices = [list(_scope_choices(parts, titles, words)) for parts in found]
    left = [own for own in choices if own]
    if len(left) == 1:
        [own] = left
        flags = flags_in(own[0].sitting)
        left = [[_with_flags(each, flags) for each in own]]
    ordered = [each for own in left for each in sorted(own, key=lambda each: each.position)]
    return sorted(ordered, key=lambda each: (not each.flags, -each.reports))


def _with_flags(each: ScopeChoice, flags: Mapping[tuple[str, int], Sequence[str]]) -> ScopeChoice:
    scope, _dash, key = each.of.partition("-")
    number = {str(Scope.SLOT): each.position, str(Scope.QUESTION): key}.get(scope)
    return each._replace(flags=flags.get((scope, int(number)), ())) if number else each


def _scope_choices(
    parts: SittingParts, titles: Mapping[str, str], words: Sequence[str]
) -> Iterator[ScopeChoice]:
    def choice(scope: str, part: Any, title: str, more: str, at: Sequence[int]) -> ScopeChoice:
        reports, position = parts.reports.get((scope, part), 0), min(at, default=0)
        of = f"{scope}-{part}"
        return ScopeChoice(of, title, more, reports, parts.sitting, position=position)

    def fits(*texts: str) -> bool:
        return all(word.casefold() in " ".join(texts).casefold() for word in words)

    at_family: dict[str, list[int]] = {}
    for slot in parts.slots:
        number = _("Question %(number)s") % {"number": slot.position}
        title = slot_title(slot, titles)
        if slot.family and not slot.retired_at:
            at_family.setdefault(slot.family, []).append(slot.position)
        if fits(number, title, slot.family, slot.topic):
            # Two slots of one family differ in their sizes.
            sizes = [
                f"{name.replace('_', ' ')} {size}" for name, size in sorted(slot.options.items())
            ]
            more = ", ".join([title, *sizes])
            if slot.retired_at:
                more = _("%(title)s, before it was changed") % {"title": more}
            yield choice("slot", slot.pk, number, more, [slot.position])
    for family in sorted({slot.family for slot in parts.slots if slot.family}):
        if fits(title := problems.family_title(family), family):
            at = at_family.get(family, [])
            more = _("everywhere in the quiz")
            if at:
                more = f"{more}: {_numbers(at)}"
            yield choice("family", family, title, more, at)
    for question in parts.questions:
        at = parts.positions[question.pk]
        more = f"{_numbers(at)}, {_version(question)}"
        title = titles.get(question.topic, question.topic)
        yield choice("question", question.pk, question_title(question), f"{title}, {more}", at)
    if not words:
        last = max((slot.position for slot in parts.slots), default=0) + 1
        yield ScopeChoice("all", _("Every question"), sitting=parts.sitting, position=last)


def _numbers(positions: Sequence[int]) -> str:
    words = ngettext("question %(numbers)s", "questions %(numbers)s", len(positions))
    return words % {"numbers": ", ".join(map(str, positions))}


def _version(question: ConceptQuestion) -> str:
    if question.version == 1 and question.replaced_at is None:
        return _("concept question")
    return _("concept question, version %(number)s") % {"number": question.version}


def scope_choices_of_item(item: Item) -> list[ScopeChoice]:
    """Return the possible scopes of a regrade that starts at one item."""
    number = {"number": item.position}
    parts = []
    if item.question:
        words = _("for everyone who was given this question")
        parts.append(
            ScopeChoice(f"question-{item.question_id}", question_title(item.question), words)
        )
    if item.variant:
        title = problems.title_of_kind(item.variant.kind)
        words = _("everywhere in the quiz")
        parts.append(ScopeChoice(f"family-{item.variant.family}", title, words))
        parts.append(ScopeChoice(f"variant-{item.variant_id}", _("The same numbers"), title))
    if item.slot_id:
        parts.append(
            ScopeChoice(
                f"slot-{item.slot_id}", _("Question %(number)s") % number, _("for everyone")
            )
        )
    parts.append(
        ScopeChoice(f"item-{item.pk}", _("This answer only"), _("manually, for one attempt"))
    )
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
        case Kind.ACCEPT:
            named = [_accepted(regrade.undoes or regrade, value) for value in values["accept"]]
            return "; ".join(named)
        case Kind.POINTS:
            return _("Out of %(points)s") % {"points": values["points"]}
        case Kind.TOLERANCE:
            return _("Right within %(tolerance)s") % {"tolerance": values["tolerance"]}
        case Kind.ADJUST:
            return _("Set to %(points)s manually") % {"points": values["points"]}
        case Kind.VOID:
            return _("Doesn’t count")
        case Kind.UNDO:
            return _("Undoes: %(ruling)s") % {"ruling": describe_values(regrade.undoes, choices)}
        case Kind.REGRADE if regrade.corrects:
            return _("Marked again by version %(number)s") % {"number": values["version"]}
    return _("Marked again by the current marker")


def _choice(key: str, choices: Mapping[str, Mapping[str, Any]]) -> str:
    if key not in choices:
        return key
    return Truncator(texts.strip_markup(choices[key]["text"])).chars(MAX_TITLE_LENGTH)


def _accepted(regrade: Ruling, value: str) -> str:
    version, step, mistake = value.split("/")
    label, words = _accepted_words(regraded_family(regrade), int(version), step, mistake)
    short = Truncator(texts.strip_markup(words)).chars(MAX_TITLE_LENGTH)
    return f"{texts.strip_markup(label)}: {short}"


def _accepted_words(family: str, version: int, step: str, mistake: str) -> tuple[str, str]:
    """Return the step's label and the words for a mistake there, or for every answer.

    The version is the one that was asked; only answers that a correction has marked again may make
    mistakes that the newest one alone has.
    """
    newest = problems.mistakes_of_family(family)
    known = {**newest, **problems.mistakes_of_family(family, version)}
    label = next((each.label for (of, _key), each in known.items() if of == step), step)
    if not mistake:
        return label, _("every answer")
    found = known.get((step, mistake))
    return label, found.feedback if found and found.feedback else mistake


def answers_to_accept(answers: Sequence[GivenAnswer]) -> list[tuple[str, Any]]:
    """Return the answers that can be accepted for a form, each with how many gave it."""
    several = len({each.version for each in answers}) > 1
    choices = []
    for each in answers:
        label, words = _accepted_words(each.family, each.version, each.step, each.mistake)
        if each.mistake:
            counted = ngettext("%(count)s answer", "%(count)s answers", each.count)
        else:
            counted = ngettext(
                "%(count)s answer not right", "%(count)s answers not right", each.count
            )
        parts = {"step": label, "words": words, "count": counted % {"count": each.count}}
        line = _("%(step)s: %(words)s (%(count)s)") % parts
        if several:
            line = _("%(line)s, version %(number)s") % {"line": line, "number": each.version}
        choices.append((each.value, texts.render_line(line)))
    return choices


def versions_to_mark_by(offered: Sequence[WrittenProblem]) -> list[tuple[Any, str]]:
    """Return the versions for a form, after the choice that leaves each answer its own."""
    if not offered:
        return []
    words = _("version %(number)s, published on %(day)s")
    days = [(each.version, date_format(localdate(each.published_at))) for each in offered]
    return [
        ("", _("the version each answer is marked by now")),
        *((number, words % {"number": number, "day": day}) for number, day in days),
    ]


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
    """Return the figures of a dry run, each with what it counts and of how many."""
    of = {name: summary.get(name, 0) for name in ("answers", "attempts", "students")}
    labels = {
        "changed_students": _("of %(students)s: students whose marks change"),
        "changed_attempts": _("of %(attempts)s: attempts whose points change"),
        Outcome.HIGHER: _("of %(answers)s: answers with a higher mark"),
        Outcome.LOWER: _("of %(answers)s: answers with a lower mark"),
        **{
            way: ngettext(
                "of %(answers)s answer %(becomes)s",
                "of %(answers)s answers %(becomes)s",
                of["answers"],
            )
            % {"answers": of["answers"], "becomes": Outcome(way).label}
            for way in DECIDED_OUTCOMES[2:]
        },
        "gained": _("of %(attempts)s: attempts now passed"),
        "lost": _("of %(attempts)s: attempts no longer passed"),
    }
    always = ("changed_students", "changed_attempts", Outcome.HIGHER, Outcome.LOWER)
    # Dry runs of earlier releases counted no students.
    return [
        (summary.get(name, 0), words % of)
        for name, words in labels.items()
        if summary.get(name) or (name in always and name in summary)
    ]


def summary_notes(summary: Mapping[str, Any]) -> list[str]:
    """Return further sentences about a dry run."""
    sentences = []
    if summary.get("before") is not None:
        sentences += [
            _("These figures include all graded attempts, not only those whose score counts.")
        ]
        sentences += _means(summary)
    else:
        sentences.append(
            _("Nothing this applies to has been marked yet. It’ll apply to anything marked later.")
        )
    if none := summary.get("out_of_none"):
        words = ngettext(
            "%(count)s attempt will have no points to earn, so it can’t be passed.",
            "%(count)s attempts will have no points to earn, so they can’t be passed.",
            none,
        )
        sentences.append(words % {"count": none})
    if need := summary.get("in_need"):
        words = ngettext(
            "%(count)s submission that couldn’t be marked will be marked.",
            "%(count)s submissions that couldn’t be marked will be marked.",
            need,
        )
        sentences.append(words % {"count": need})
    return sentences


def _means(summary: Mapping[str, Any]) -> list[str]:
    """Return how the changed attempts and the mean move, and over what each is."""

    def words(sentence: str, count: int, before: float, after: float) -> str:
        shares = {"before": before, "after": after}
        shown = {name: texts.format_points(100 * share) for name, share in shares.items()}
        return sentence % {"count": count, **shown}

    found = []
    counted = summary.get("counted")
    # A dry run of an earlier release has the mean of all attempts alone.
    if summary["attempts"] == 1 or counted is None:
        sentence = ngettext(
            "%(count)s attempt goes from %(before)s%% to %(after)s%%.",
            "The mean of all %(count)s attempts, even those that don’t count, goes from"
            " %(before)s%% to %(after)s%%.",
            summary["attempts"],
        )
        found.append(words(sentence, *(summary[name] for name in ("attempts", "before", "after"))))
    if counted:
        sentence = ngettext(
            "The %(count)s attempt that counts goes from %(before)s%% to %(after)s%%.",
            "Of the %(count)s attempts that count, one for each student, the mean goes from"
            " %(before)s%% to %(after)s%%.",
            counted,
        )
        names = ("counted", "mean_before", "mean_after")
        found.append(words(sentence, *(summary[name] for name in names)))
    return found


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
