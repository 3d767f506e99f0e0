"""The account page's section on API tokens, and their revocation when the password changes."""

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from accounts.extensions import Section
from api import queries, services


def account_section(request: HttpRequest) -> Section | None:
    """Return the section that counts the tokens, or None for people who can have none."""
    tokens = list(queries.tokens_owned_by(request.user))
    if not tokens and not queries.classes_available_for_token(request.user).exists():
        return None
    working = sum(not token.has_expired for token in tokens)
    about = {"working": working, "expired": len(tokens) - working}
    return Section("api/_account.html", about)


class RevokeTokensValidator:
    """A password validator that accepts every password and revokes its owner's tokens.

    Django calls it wherever a password changes: on pages, by mail, in the admin, by command.
    """

    def validate(self, password: str, user: Any = None) -> None:
        pass

    def get_help_text(self) -> str:
        return _("API tokens no longer work once the password has changed.")

    def password_changed(self, password: str, user: Any = None) -> None:
        services.revoke_all_tokens(owner=user)
