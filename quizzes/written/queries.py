"""Problems in rows that somebody may read, and those that are open to everybody's practice."""

from collections.abc import Callable, Iterable
from typing import Any

from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from quizzes import problems
from quizzes.models import QuizShare, Slot, WrittenProblem, WrittenProblemShare
from quizzes.models.written_problems import WrittenProblemQuerySet
from quizzes.written.loading import newest_versions, without_unreadable
from sharing.models import Access


def is_written(key: str) -> bool:
    """Return whether a family's key is that of a problem in rows."""
    return key.startswith(problems.OWN)


def drawable_problems() -> QuerySet[WrittenProblem]:
    """Return the newest published version of each problem; no query finds that there is none."""
    if not (newest := newest_versions()):
        return WrittenProblem.every.none()
    later = WrittenProblem.every.published().filter(
        key=OuterRef("key"), version__gt=OuterRef("version")
    )
    return WrittenProblem.every.published().filter(~Exists(later), key__in=newest)


def readable_problems(user: Any) -> dict[str, WrittenProblem]:
    """Return the problems that an instructor may ask in quizzes, by key: their newest versions."""
    if not user.is_staff:
        return {}
    return {row.key: row for row in drawable_problems().visible_to(user)}


def open_keys(among: Iterable[str] | None = None) -> frozenset[str]:
    """Return the keys of the problems that everybody may practise: shared with all instructors.

    Of these keys, or of all.
    """
    return _visible(among, lambda rows: rows.visible_to_all())


def readable_keys(user: Any, among: Iterable[str] | None = None) -> frozenset[str]:
    """Return the keys that an instructor may read; for anybody else those open to all."""
    if not user.is_staff:
        return open_keys(among)
    return _visible(among, lambda rows: rows.visible_to(user))


def drop_closed(families: Iterable[str]) -> list[str]:
    """Return these families without the problems in rows that are not open to everybody."""
    keys = list(families)
    if not (written := set(filter(is_written, keys))):
        return keys
    closed = written - open_keys(written)
    return [key for key in keys if key not in closed]


def newest_among(families: Iterable[str]) -> tuple[int, ...]:
    """Return the newest versions of the problems in rows among these families, in their order.

    What is kept of families is kept for these versions.
    """
    return tuple(newest_versions().get(key, 0) for key in families if is_written(key))


def drawable_keys(among: Iterable[str] | None = None) -> frozenset[str]:
    """Return the keys, of these or of all, of which a version is published; mostly no query."""
    if among is None:
        return frozenset(newest_versions())
    written = frozenset(filter(is_written, among))
    return written & newest_versions().keys() if written else written


def _visible(
    among: Iterable[str] | None, visible: Callable[[WrittenProblemQuerySet], QuerySet[Any]]
) -> frozenset[str]:
    if not (keys := drawable_keys(among)):
        return keys
    rows = visible(WrittenProblem.every.published().filter(key__in=sorted(keys)))
    return without_unreadable(rows.order_by().values_list("key", flat=True))


def newest_of(keys: Iterable[str]) -> dict[str, int]:
    """Return the newest version of each of these problems that may be asked, by key.

    It is read now, unlike `newest_versions`: what is stored must not be a moment old.
    """
    if not (wanted := set(filter(is_written, keys))):
        return {}
    rows = WrittenProblem.every.published().filter(key__in=wanted).order_by()
    return dict(rows.values_list("key").annotate(Max("version")))


def withdrawn_slots(slots: Iterable[Slot]) -> list[Slot]:
    """Return those of the slots that ask a withdrawn version; no query without such families."""
    asking = [slot for slot in slots if is_written(slot.family)]
    if not asking:
        return []
    rows = WrittenProblem.every.filter(key__in={slot.family for slot in asking})
    gone = set(rows.exclude(withdrawn_at=None).values_list("key", "version"))
    return [slot for slot in asking if (slot.family, slot.family_version) in gone]


def outdated_slots(slots: Iterable[Slot]) -> list[tuple[Slot, int]]:
    """Return the slots whose problem has a newer version for their sizes, with its number."""
    return [(slot, newest) for slot, newest, lacking in newer_versions(slots) if not lacking]


def newer_versions(slots: Iterable[Slot]) -> list[tuple[Slot, int, dict[str, Any]]]:
    """Return the slots whose problem has a newer version that can be read, with its number.

    And with those of the slot's sizes that it lacks, by name.
    """
    slots = list(slots)
    newest = newest_of(slot.family for slot in slots)
    found = []
    for slot in slots:
        number = newest.get(slot.family, 0)
        if number > (slot.family_version or 0) and problems.is_family(slot.family, number):
            offered = problems.sizes_of(slot.family, number)
            sizes = slot.options.items()
            lacking = {name: size for name, size in sizes if size not in offered.get(name, ())}
            found.append((slot, number, lacking))
    return found


def may_ask(user: Any, key: str) -> bool:
    """Return whether an instructor may have another slot ask a family: published, and readable."""
    return not is_written(key) or key in readable_problems(user)


def may_read(user: Any, family: str) -> bool:
    """Return whether the user may read a family: a shipped one, or a problem they have access to.

    A problem that does not exist is one that nobody may read.
    """
    if not is_written(family):
        return True
    return WrittenProblem.objects.visible_to(user).filter(key=family).exists()


def unreadable_keys(user: Any) -> QuerySet[Any]:
    """Return the keys of the problems that the user must not read, for a subquery."""
    readable = WrittenProblem.objects.visible_to(user).order_by().values("key")
    return WrittenProblem.objects.exclude(key__in=readable).order_by().values("key")


def unreadable_to_owners(quiz: Any, keys: Iterable[str]) -> set[str]:
    """Return those of the keys whose problem no owner of the quiz may read.

    Administrators, who may read all problems, are the only ones who edit a quiz without owners.
    """
    owners = QuizShare.objects.filter(quiz=quiz, access=Access.OWN)
    wanted = set(keys)
    if not wanted or not owners.exists() or owners.filter(user__is_superuser=True).exists():
        return set()
    shares = WrittenProblemShare.objects.filter(key=OuterRef("key"))
    theirs = shares.filter(Q(user=None) | Q(user__in=owners.values("user")))
    readable = WrittenProblem.objects.filter(Exists(theirs) | ~Exists(shares))
    return wanted - set(readable.filter(key__in=wanted).values_list("key", flat=True))
