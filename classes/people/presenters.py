"""Template contexts of the preview of a list of people."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from classes.history.words import OUTCOMES
from classes.people.queries.plans import PlannedLine
from classes.rosters import ImportAction

EXPLANATIONS = {
    ImportAction.ADDED: gettext_lazy("An account with this address exists."),
    ImportAction.INVITED: gettext_lazy("They join the class once they confirm this address."),
    ImportAction.BACK: gettext_lazy("They had left or been removed."),
    ImportAction.CHANGED: gettext_lazy("Already in the class, with a different section or labels."),
    ImportAction.THERE: gettext_lazy("Nothing changes for them."),
    ImportAction.REFUSED: gettext_lazy("These lines are not imported. Each says why."),
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


def imported_message(invited: int, written: int) -> str:
    """Return the message after an import: how many people it invited, and who was written to."""
    words = [_("The list has been imported.")]
    if written:
        words.append(written_message(written))
    if invited > written:
        unwritten = ngettext(
            "%(count)s invited person was not written to.",
            "%(count)s invited people were not written to.",
            invited - written,
        )
        words.append(unwritten % {"count": invited - written})
    return " ".join(words)


def written_message(count: int) -> str:
    words = ngettext(
        "%(count)s invited person is sent an email.",
        "%(count)s invited people are sent an email.",
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
    if planned.line.problem:
        yield _(planned.line.problem)
    if planned.section:
        was = planned.member.section if planned.member else ""
        words = _("section %(section)s (was %(was)s)") if was else _("section %(section)s")
        yield words % {"section": planned.section, "was": was}
    if planned.line.unread:
        yield _("Not imported: %(text)s") % {"text": planned.line.unread}
    if planned.labels:
        yield _("label %(labels)s") % {"labels": ", ".join(planned.labels)}
