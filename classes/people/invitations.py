"""Signal handlers that accept invitations when an address is confirmed or a user logs in."""

from typing import Any

from allauth.account.signals import email_confirmed
from django.contrib.auth.signals import user_logged_in

from classes.people.services.joining import claim_invitations


def connect_signals() -> None:
    """Connect the signal handlers."""
    email_confirmed.connect(_confirmed, dispatch_uid="classes.invitations")
    user_logged_in.connect(_logged_in, dispatch_uid="classes.invitations")


def _confirmed(sender: Any, email_address: Any, **_: Any) -> None:
    claim_invitations(user=email_address.user)


def _logged_in(sender: Any, user: Any, **_: Any) -> None:
    # Covers addresses confirmed by an administrator, or confirmed before they were invited.
    claim_invitations(user=user)
