"""Plans of imports, computed for the preview and again when the import is applied."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from classes.access.queries import CURRENT_STATES, Account, Role, accounts_with, sections_of
from classes.models import Course
from classes.people.queries.people import MemberColumns, member_columns
from classes.rosters import ImportAction, Line
from foundation.fingerprints import fingerprint


@dataclass(frozen=True)
class PlannedLine:
    """A line, its outcome, and the changes for an existing member.

    section: the new section; labels: the labels to add. Empty means no change.
    """

    line: Line
    outcome: ImportAction
    user: Account | None = None
    member: MemberColumns | None = None
    section: str = ""
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plan:
    """Everything an import would do.

    absent: the students of the class who are not in the list.
    source, role: the name of the file, and the role of new members.
    """

    lines: Sequence[PlannedLine]
    absent: Sequence[MemberColumns]
    source: str = ""
    role: str = ""

    @property
    def counts(self) -> dict[str, int]:
        """The number of lines for each outcome."""
        counted = Counter(each.outcome for each in self.lines)
        return {outcome.value: counted[outcome] for outcome in ImportAction}

    @property
    def invited(self) -> int:
        """The number of people who would be invited, as they have no account."""
        back = [each for each in self.lines if each.outcome == ImportAction.BACK]
        return self.counts[ImportAction.INVITED] + sum(
            not each.member.user for each in back if each.member
        )

    @property
    def list_digest(self) -> str:
        """A digest of the list: its file, its role, and every line as it was read."""
        return fingerprint(self.source, self.role, [each.line for each in self.lines])

    @property
    def digest(self) -> str:
        """A digest of everything a preview shows: the list, each line's outcome, the absent."""
        return f"{self.list_digest}-{fingerprint(self)}"


def plan_import(course: Course, lines: Iterable[Line]) -> Plan:
    """Return what importing these lines would do to the class now."""
    lines = list(lines)
    accounts = accounts_with(line.address for line in lines if not line.problem)
    places = member_columns(course)
    by_user = {place.user: place for place in places if place.user}
    by_address = {place.address: place for place in places if not place.user}
    sections = {name.casefold(): name for name in sections_of(course)}
    planned, met, met_users = [], set(), set()
    for line in lines:
        user = None if line.problem else accounts.get(line.address)
        member = (user and by_user.get(user.pk)) or by_address.get(line.address)
        each = _planned(line, user, member, sections)
        if (each.member and each.member.pk in met) or (user and user.pk in met_users):
            each = PlannedLine(line, ImportAction.THERE)  # two addresses of one person
        if each.member:
            met.add(each.member.pk)
        if user:
            met_users.add(user.pk)
        planned.append(each)
    absent = [
        place
        for place in places
        if place.role == Role.STUDENT and place.state in CURRENT_STATES and place.pk not in met
    ]
    return Plan(planned, sorted(absent, key=lambda place: place.display_name.casefold()))


def _planned(
    line: Line, user: Account | None, member: MemberColumns | None, sections: dict[str, str]
) -> PlannedLine:
    if line.problem:
        return PlannedLine(line, ImportAction.REFUSED)
    section = sections.setdefault(line.section.casefold(), line.section)
    if member is None:
        outcome = ImportAction.ADDED if user else ImportAction.INVITED
        return PlannedLine(line, outcome, user, None, section, line.labels)
    # A list of students must not change staff, nor what they may see.
    is_student = member.role == Role.STUDENT
    section = section if is_student and section != member.section else ""
    worn = {text.casefold() for text in member.labels}
    labels = tuple(text for text in line.labels if text.casefold() not in worn)
    labels = labels if is_student else ()
    if member.state not in CURRENT_STATES:
        outcome = ImportAction.BACK
    else:
        outcome = ImportAction.CHANGED if section or labels else ImportAction.THERE
    return PlannedLine(line, outcome, user, member, section, labels)
