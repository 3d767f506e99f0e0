"""Who confirms an address, or logs in with confirmed ones, takes up what was sent to these."""

from typing import Any

from allauth.account.signals import email_confirmed
from django.contrib.auth.signals import user_logged_in

from classes.people.services.joining import claim_invitations


def watch() -> None:
    """Begin to listen."""
    email_confirmed.connect(_confirmed, dispatch_uid="classes.invitations")
    user_logged_in.connect(_logged_in, dispatch_uid="classes.invitations")


def _confirmed(sender: Any, email_address: Any, **_: Any) -> None:
    claim_invitations(user=email_address.user)


def _logged_in(sender: Any, user: Any, **_: Any) -> None:
    # Also addresses that an administrator has confirmed, or confirmed before anybody invited them.
    claim_invitations(user=user)
