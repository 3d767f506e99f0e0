"""Signal handlers that accept invitations when an address is confirmed or a user logs in."""

from typing import Any

from allauth.account.signals import email_confirmed
from django.contrib import messages
from django.contrib.auth.signals import user_logged_in
from django.utils.translation import gettext

from classes.people.services.joining import claim_invitations


def connect_signals() -> None:
    """Connect the signal handlers."""
    email_confirmed.connect(_confirmed, dispatch_uid="classes.invitations")
    user_logged_in.connect(_logged_in, dispatch_uid="classes.invitations")


def _confirmed(sender: Any, request: Any, email_address: Any, **_: Any) -> None:
    _claim(request, email_address.user)


def _logged_in(sender: Any, request: Any, user: Any, **_: Any) -> None:
    # Covers addresses confirmed by an administrator, or confirmed before they were invited.
    _claim(request, user)


def _claim(request: Any, user: Any) -> None:
    """Accept the user's invitations, and tell them where they are now, and as what."""
    for place in claim_invitations(user=user):
        if request:  # programs log in without one
            words = gettext("You’re in the class %(title)s now. Your role there: %(role)s.")
            role = place.get_role_display()
            messages.success(
                request, words % {"title": place.course, "role": role}, fail_silently=True
            )
