"""Services that share rows and stop sharing them."""

from typing import Any

from django.apps import apps
from django.db import models, transaction
from django.utils import timezone

from audit.services import record
from outbox.services import Note, post_all
from sharing.models import Access, Share, administrators, new_share, shares_of

SHARED, STOPPED = "sharing.row.shared", "sharing.row.stopped"
LETTER = "sharing.owner-left"


def add_owner(*, row: models.Model, user: Any) -> None:
    """Make the user the owner of a row they have just created."""
    if not shares_of(row).filter(user=user).exists():
        new_share(row, user=user, access=Access.OWN, by=user).save()


@transaction.atomic
def share(*, row: models.Model, user: Any, access: str, by: Any) -> None:
    """Give a user, or with None every instructor, this access to a row."""
    found = shares_of(row).select_for_update().filter(user=user).first()
    before = found.access if found else ""
    if before == access:
        return
    kept = found or new_share(row, user=user)
    kept.access, kept.by, kept.since = access, by, timezone.now()
    kept.save()
    _record(SHARED, row, user, by, before, access)


@transaction.atomic
def stop_sharing(*, row: models.Model, user: Any, by: Any) -> None:
    """Remove a user's share of a row, or with None the share of every instructor."""
    for found in shares_of(row).select_for_update().filter(user=user):
        found.delete()
        _record(STOPPED, row, user, by, found.access, "")


def notify_owner_left(*, user: Any) -> None:
    """Tell administrators which rows have no other owner when this owner stops being an instructor.

    The shares stay, so access does not change, and an owner who returns has their rows again.
    """
    left = [
        share.row_name
        for model in share_models()
        for share in model.objects.filter(user=user, access=Access.OWN)
        if not share.has_other_owner()
    ]
    if left:
        payload = {"rows": sorted(left)}
        notes = [Note(to=pk, payload=payload) for pk in administrators()]
        post_all(kind=LETTER, notes=notes)


def share_models() -> list[type[Share]]:
    """Return the models of shares of all apps."""
    return [model for model in apps.get_models() if issubclass(model, Share)]


def _record(verb: str, row: models.Model, user: Any, by: Any, before: str, after: str) -> None:
    record(
        actor=by,
        verb=verb,
        target=row,
        person=user,
        before={"access": before, "all": user is None},
        after={"access": after, "all": user is None},
    )
