"""First owners of rows older than sharing; used by migrations only.

Shipped rows that nobody edited are the site's. Others belong to the instructor who added them, or
else to the first who changed them, if they still are instructors; or else to the site, and every
instructor edits them until they are handed over. Instructors who changed a row keep editing it.
All read it.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

ADDED, CHANGED = 1, 2  # as django.contrib.admin numbers them


@dataclass
class Writers:
    """The people who added and who changed a row, in order."""

    added: list[int] = field(default_factory=list)
    changed: list[int] = field(default_factory=list)

    def note(self, user: int | None, *, added: bool) -> None:
        if user is not None:
            (self.added if added else self.changed).append(user)


def logged_writers(apps: Any, model: str) -> dict[str, Writers]:
    """Return who added and changed each row of a model in the admin, by its primary key as text."""
    found: dict[str, Writers] = defaultdict(Writers)
    content_type = apps.get_model("contenttypes", "ContentType").objects
    kind = content_type.filter(app_label=model.split(".")[0], model=model.split(".")[1]).first()
    if kind is None:
        return found
    entries = apps.get_model("admin", "LogEntry").objects.filter(content_type=kind)
    rows = entries.filter(action_flag__in=(ADDED, CHANGED)).order_by("action_time", "pk")
    for key, user, flag in rows.values_list("object_id", "user_id", "action_flag"):
        found[key].note(user, added=flag == ADDED)
    return found


def shares_to_begin_with(
    instructors: set[int], writers: Writers, *, shipped: bool
) -> Iterable[tuple[int | None, str]]:
    """Yield the first shares of a row as (user's key, or None for all; access)."""
    known = [user for user in [*writers.added, *writers.changed] if user in instructors]
    nobody = not writers.added and not writers.changed
    if not known:
        if not (shipped and nobody):
            yield None, "edit"
        return
    yield None, "read"
    owner = known[0]
    yield owner, "own"
    for user in dict.fromkeys(known[1:]):
        if user != owner:
            yield user, "edit"


def instructors_now(apps: Any) -> set[int]:
    """Return the primary keys of the people who may use the admin."""
    users = apps.get_model("accounts", "User").objects.filter(is_active=True, is_staff=True)
    return set(users.values_list("pk", flat=True))
