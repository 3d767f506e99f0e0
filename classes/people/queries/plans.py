"""Plans of imports, computed for the preview and again when the import is applied."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from classes.access.queries import CURRENT_STATES, Account, Role, accounts_with, sections_of
from classes.models import Course
from classes.people.queries.people import MemberColumns, member_columns
from classes.rosters import ImportAction, Line, split_sections
from foundation.fingerprints import fingerprint


@dataclass(frozen=True)
class PlannedLine:
    """A line, its outcome, and the changes for an existing member.

    section: the new section; labels: the labels to add, by which somebody is in further sections;
    leaves: the labels of sections to remove. Empty means no change.
    differs: whether the member is in sections that the list does not name.
    """

    line: Line
    outcome: ImportAction
    user: Account | None = None
    member: MemberColumns | None = None
    section: str = ""
    labels: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    differs: bool = False


@dataclass(frozen=True)
class Plan:
    """Everything an import would do.

    absent: the students of the class who are not in the list.
    source, role: the name of the file, and the role of new members.
    replaces: whether the list's sections replace those that members have.
    """

    lines: Sequence[PlannedLine]
    absent: Sequence[MemberColumns]
    source: str = ""
    role: str = ""
    replaces: bool = False

    @property
    def elsewhere(self) -> int:
        """The number of members who are in sections that the list does not name."""
        return sum(each.differs for each in self.lines)

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
        """A digest of what would be done: the list, and each line's outcome.

        The absent are left out: only those ticked are removed, so somebody who joined meanwhile is
        no reason to look at the preview again.
        """
        return f"{self.list_digest}-{fingerprint(replace(self, absent=()))}"


def plan_import(course: Course, lines: Iterable[Line], *, replaces: bool = False) -> Plan:
    """Return what importing these lines would do to the class now.

    Args:
        replaces: whether the list's sections replace those that members have. Otherwise they
            are added.
    """
    lines = list(lines)
    accounts = accounts_with(line.address for line in lines if not line.problem)
    places = member_columns(course)
    by_user = {place.user: place for place in places if place.user}
    by_address = {place.address: place for place in places if not place.user}
    sections = {name.casefold(): name for name in sections_of(course)}
    named = [_sections_in(line, sections) for line in lines]
    planned, met, met_users = [], set(), set()
    for line, names in zip(lines, named, strict=True):
        user = None if line.problem else accounts.get(line.address)
        member = (user and by_user.get(user.pk)) or by_address.get(line.address)
        each = _planned(line, names, user, member, sections, replaces)
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
    absent.sort(key=lambda place: place.display_name.casefold())
    return Plan(planned, absent, replaces=replaces)


def _sections_in(line: Line, known: dict[str, str]) -> tuple[str, ...]:
    """Return the sections that a line names, as the class spells them; new ones become known."""
    if line.problem or not line.section:
        return ()
    names = split_sections(line.section, known) if line.in_several else (line.section,)
    return tuple(known.setdefault(name.casefold(), name) for name in names)


def _planned(
    line: Line,
    names: tuple[str, ...],
    user: Account | None,
    member: MemberColumns | None,
    known: Collection[str],
    replaces: bool,
) -> PlannedLine:
    if line.problem:
        return PlannedLine(line, ImportAction.REFUSED)
    if member is None:
        outcome = ImportAction.ADDED if user else ImportAction.INVITED
        section, labels = next(iter(names), ""), (*line.labels, *names[1:])
        return PlannedLine(line, outcome, user, None, section, labels)
    # A list of students must not change staff, nor what they may see.
    if member.role != Role.STUDENT:
        there = member.state in CURRENT_STATES
        outcome = ImportAction.THERE if there else ImportAction.BACK
        return PlannedLine(line, outcome, user, member)
    worn = {text.casefold() for text in member.labels}
    listed = {name.casefold() for name in names}
    others = [
        text for text in member.labels if text.casefold() in known and text.casefold() not in listed
    ]
    stays = member.section in names or not names or (member.section and not replaces)
    section = "" if stays else names[0]
    here = {(section or member.section).casefold(), *worn}
    labels = tuple(text for text in (*line.labels, *names) if text.casefold() not in here)
    leaves = tuple(others) if replaces and names else ()
    differs = bool(names) and bool(others or (member.section and member.section not in names))
    if member.state not in CURRENT_STATES:
        outcome = ImportAction.BACK
    else:
        changes = section or labels or leaves
        outcome = ImportAction.CHANGED if changes else ImportAction.THERE
    return PlannedLine(line, outcome, user, member, section, labels, leaves, differs)
