"""A person's own data: exporting it, and erasing the person.

Rows are not deleted with the person, because marks are kept: `forget` empties the account's own
row, and each app erases what it has registered with `foundation/personal_data.py`.
"""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Model, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import FORGOTTEN_DOMAIN, User
from foundation.personal_data import registered_personal_data

# A session lasts two weeks, and `last_login` records only logging in.
MIN_IDLE_DAYS = 30


class LastAdministrator(ValueError):
    """Raised on erasing the last administrator, without whom nobody could add another."""


def export_personal_data(user: User) -> dict[str, Any]:
    """Return all the site's data about a person, as plain data."""
    data = {
        "account": {
            "email": user.email,
            "name": user.name,
            "sorted_as": user.sorts_as,
            "time_zone": user.time_zone,
            "joined": user.date_joined,
            "last_login": user.last_login,
            "roles": list(user.groups.values_list("name", flat=True)),
            "may_enter_the_admin": user.is_staff,
            "is_administrator": user.is_superuser,
        },
        "addresses": list(
            EmailAddress.objects.filter(user=user).values("email", "verified", "primary")
        ),
        "sessions": list(
            UserSession.objects.filter(user=user)
            .order_by("created_at")
            .values("created_at", "ip", "user_agent")
        ),
        "second_factors": [
            {
                "kind": each.type,
                "name": str(each),
                "added": each.created_at,
                "last_used": each.last_used_at,
            }
            for each in Authenticator.objects.filter(user=user).order_by("pk")
        ],
        "done_in_the_admin": list(
            LogEntry.objects.filter(user=user)
            .order_by("action_time")
            .values("action_time", "content_type__model", "object_id", "action_flag")
        ),
    }
    for holding in registered_personal_data():
        data |= holding.export(user)
    return data


@transaction.atomic
def forget(*, user: User) -> None:
    """Erase everything that identifies a person; marks stay, without a name.

    Nobody can log in as them afterwards, and open sessions end. Repeating it changes nothing.

    Raises:
        LastAdministrator: there is no other administrator.
    """
    user = User.objects.select_for_update().get(pk=user.pk)
    if includes_last_administrator([user]):
        raise LastAdministrator(
            _("This is the last administrator. Make someone else an administrator first.")
        )
    for holding in registered_personal_data():
        holding.forget(student=user)
    _forget_in_libraries(user)
    # Log entries about the person contain their name.
    of_user = ContentType.objects.get_for_model(User)
    LogEntry.objects.filter(content_type=of_user, object_id=user.pk).delete()
    _end_sessions(user)
    user.groups.clear()
    user.user_permissions.clear()
    user.email = f"{user.pk}@{FORGOTTEN_DOMAIN}"
    user.name = user.sorts_as = user.time_zone = ""
    user.is_active = user.is_staff = user.is_superuser = False
    user.last_login = user.notifications_seen = None
    user.set_unusable_password()
    user.save()


def includes_last_administrator(people: Iterable[User]) -> bool:
    """Return whether the last active administrator is among these people."""
    administrators = User.objects.filter(is_superuser=True, is_active=True)
    going = [user.pk for user in people]
    return administrators.filter(pk__in=going).exists() and not (
        administrators.exclude(pk__in=going).exists()
    )


def _forget_in_libraries(user: User) -> None:
    """Delete the person's rows in the models of installed third-party packages."""
    for relation in User._meta.related_objects:
        model = relation.related_model
        if not is_project_model(model) and model is not LogEntry:
            model._default_manager.filter(**{relation.field.name: user}).delete()


def is_project_model(model: type[Model]) -> bool:
    """Return whether the model belongs to an app of this project."""
    app = apps.get_app_config(model._meta.app_label)
    return Path(app.path).parent == settings.BASE_DIR


def _end_sessions(user: User) -> None:
    """Delete the person's sessions, which only their encoded data identifies."""
    live = Session.objects.filter(expire_date__gte=timezone.now())
    theirs = [
        session.pk
        for session in live.iterator()
        if session.get_decoded().get("_auth_user_id") == str(user.pk)
    ]
    Session.objects.filter(pk__in=theirs).delete()


def idle_accounts(*, days: int) -> QuerySet[User]:
    """Return non-staff users who have not logged in for `days` days, 30 at least."""
    before = timezone.now() - timedelta(days=max(days, MIN_IDLE_DAYS))
    seen = Q(last_login__gte=before) | Q(last_login=None, date_joined__gte=before)
    return (
        User.objects.filter(is_staff=False).exclude(seen).exclude(email__endswith=FORGOTTEN_DOMAIN)
    )


def forget_idle(*, days: int, most: int = 200) -> int:
    """Erase up to `most` idle users, one by one; none if `days` is 0. Return their number."""
    idle = list(idle_accounts(days=days)[:most]) if days else []
    for user in idle:
        forget(user=user)
    return len(idle)
