"""Template contexts of the preview of a list of people."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from classes.history.words import OUTCOMES
from classes.models import Membership
from classes.people.queries.plans import PlannedLine
from classes.rosters import ImportAction, Line
from foundation.folded_names import folded_words

EXPLANATIONS = {
    ImportAction.ADDED: gettext_lazy("They already have an account."),
    ImportAction.INVITED: gettext_lazy("They join the class once they confirm their address."),
    ImportAction.BACK: gettext_lazy("They had left or been removed."),
    ImportAction.CHANGED: gettext_lazy("Already in the class, with a different section or labels."),
    ImportAction.THERE: gettext_lazy("Nothing changes for them."),
    ImportAction.REFUSED: gettext_lazy("These lines aren’t imported. Each says why."),
}


def outcome_counts(counts: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return the number of lines for each outcome that occurs."""
    return [
        {
            "outcome": outcome.value,
            "words": OUTCOMES[outcome],
            "explained": EXPLANATIONS[outcome],
            "count": counts[outcome],
        }
        for outcome in ImportAction
        if counts[outcome]
    ]


ENCODINGS = {"mac_roman": "Mac Roman", "cp1252": "Windows-1252"}


def encoding_note(encoding: str, lines: Iterable[Line]) -> str:
    """Return a warning if a file's encoding had to be guessed, with a name to check it by."""
    names = (line.name for line in lines if not line.name.isascii())
    if not encoding or not (name := next(names, "")):
        return ""
    words = _(
        "The file doesn’t say which encoding it’s in. Read as %(encoding)s, it "
        "contains the name %(name)s. If that name is wrong, discard the list, "
        "save the file as “CSV UTF-8” and import it again."
    )
    return words % {"encoding": ENCODINGS[encoding], "name": name}


def problem_groups(lines: Iterable[PlannedLine], most: int) -> list[dict[str, Any]]:
    """Return the lines that add nobody, grouped by problem, the most frequent first.

    Of each group at most `most` lines are listed.
    """
    groups: dict[str, list[PlannedLine]] = defaultdict(list)
    for each in lines:
        if each.line.problem:
            groups[each.line.problem].append(each)
    return [
        {
            "problem": _(problem),
            "count": len(group),
            "lines": [preview_line(each) for each in group[:most]],
            "more": max(0, len(group) - most),
        }
        for problem, group in sorted(groups.items(), key=lambda item: -len(item[1]))
    ]


def imported_message(invited: int, written: int) -> str:
    """Return the message after an import: how many people it invited, and who was written to."""
    words = [_("The list has been imported.")]
    if written:
        words.append(written_message(written))
    if invited > written:
        unwritten = ngettext(
            "%(count)s invited person hasn’t been emailed.",
            "%(count)s invited people haven’t been emailed.",
            invited - written,
        )
        words.append(unwritten % {"count": invited - written})
    return " ".join(words)


def written_message(count: int) -> str:
    words = ngettext(
        "%(count)s invited person is being emailed.",
        "%(count)s invited people are being emailed.",
        count,
    )
    return words % {"count": count}


def preview_line(planned: PlannedLine) -> dict[str, Any]:
    """Return a line of a list with its outcome."""
    line, member = planned.line, planned.member
    known = member or planned.user
    name = known.display_name if known else line.name
    return {
        "number": line.number,
        "name": name if name != line.address else "",
        "address": line.address,
        "outcome": planned.outcome.value,
        "words": OUTCOMES[planned.outcome],
        "details": list(_details(planned)),
    }


def _details(planned: PlannedLine) -> Iterable[str]:
    line, member = planned.line, planned.member
    if line.problem:
        yield _(line.problem)
    if planned.section:
        was = member.section if member else ""
        words = _("section %(section)s (was %(was)s)") if was else _("section %(section)s")
        yield words % {"section": planned.section, "was": was}
    if member and planned.differs and not planned.section and member.section:
        yield _("stays in section %(section)s") % {"section": member.section}
    if member and member.role != Membership.Role.STUDENT and (line.section or line.labels):
        yield _("a member of staff: the list’s section and labels aren’t applied")
    if line.unread:
        yield _("Not imported: %(text)s") % {"text": line.unread}
    if planned.labels:
        words = ngettext("label %(labels)s", "labels %(labels)s", len(planned.labels))
        yield words % {"labels": ", ".join(planned.labels)}
    if planned.leaves:
        words = ngettext(
            "without label %(labels)s", "without labels %(labels)s", len(planned.leaves)
        )
        yield words % {"labels": ", ".join(planned.leaves)}
    known = member or planned.user
    if known and line.name and not line.problem and _is_other_name(line.name, known.display_name):
        yield _("called %(name)s on the list (the name isn’t changed)") % {"name": line.name}


def _is_other_name(listed: str, name: str) -> bool:
    return "@" not in name and sorted(folded_words(listed)) != sorted(folded_words(name))
