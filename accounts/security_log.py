"""Security log of accounts: event, user and IP address, never a secret.

Users appear by primary key, so that the log contains no email address, nor a password that was
typed into the wrong field.
"""

import logging
from typing import Any

from allauth.account import signals as account_signals
from allauth.account.adapter import get_adapter
from allauth.mfa import signals as mfa_signals
from django.contrib.auth import signals as auth_signals
from django.contrib.auth.models import Group, Permission
from django.db.models.signals import m2m_changed

from accounts.models import User

logger = logging.getLogger("softmark.security")


def log_event(event: str, *, user: Any = None, request: Any = None, about: str = "") -> None:
    """Log one line: the event, the user and the IP address."""
    who = f"user {user.pk}" if user is not None else "no account"
    where = f" from {get_adapter().get_client_ip(request)}" if request is not None else ""
    logger.info("%s: %s%s%s", event, who, where, about and f", {about}")


def connect_signals() -> None:
    """Connect the signal handlers, once, when the app is ready."""

    def listen(signal: Any, event: str) -> None:
        def heard(
            request: Any = None, user: Any = None, authenticator: Any = None, **_: Any
        ) -> None:
            about = authenticator.type if authenticator else ""
            log_event(event, user=user, request=request, about=about)

        signal.connect(heard, weak=False, dispatch_uid=f"softmark {event}")

    listen(auth_signals.user_logged_in, "logged in")
    listen(auth_signals.user_logged_out, "logged out")
    listen(account_signals.user_signed_up, "signed up")
    listen(account_signals.password_changed, "password changed")
    listen(account_signals.password_set, "password set")
    listen(account_signals.password_reset, "password reset")
    listen(account_signals.email_added, "email address added")
    listen(account_signals.email_changed, "email address changed")
    listen(account_signals.email_removed, "email address removed")
    listen(mfa_signals.authenticator_added, "second factor added")
    listen(mfa_signals.authenticator_removed, "second factor removed")
    listen(mfa_signals.authenticator_reset, "second factor made anew")
    listen(mfa_signals.authenticator_used, "second factor used")
    listen(mfa_signals.authentication_failed, "second factor failed")
    auth_signals.user_login_failed.connect(_failed, dispatch_uid="softmark failed login")
    for through in (User.groups.through, User.user_permissions.through):
        m2m_changed.connect(_role_changed, sender=through, dispatch_uid=f"softmark {through}")


def _failed(credentials: Any, request: Any = None, **_: Any) -> None:
    address = str(credentials.get("email") or credentials.get("username") or "").replace("\0", "")
    log_event("failed login", user=User.objects.filter(email=address).first(), request=request)


def _role_changed(action: str, instance: Any, model: Any, pk_set: Any, **_: Any) -> None:
    if not action.startswith("post_"):
        return
    what = {Group: "groups", Permission: "permissions"}.get(model)
    if what and isinstance(instance, User):
        about = f"{what} {action.removeprefix('post_')} {sorted(pk_set or ())}"
        log_event("role changed", user=instance, about=about)
    else:  # sent from the group's side: these are its users
        logger.info("role changed: %s of group %s", sorted(pk_set or ()), instance.pk)
