"""What allauth says, in the site's own words."""

from allauth.account.adapter import DefaultAccountAdapter
from django.utils.translation import gettext_lazy as _


class AccountAdapter(DefaultAccountAdapter):
    error_messages = DefaultAccountAdapter.error_messages | {
        "account_inactive": _("This account is switched off."),
        "duplicate_email": _("You have added this e-mail address already."),
        "email_password_mismatch": _("There is no account with this e-mail address and password."),
        "email_taken": _("There is already an account with this e-mail address."),
        "enter_current_password": _("This is not your current password."),
        "max_email_addresses": _("You cannot have more than %d e-mail addresses."),
        "rate_limited": _(
            "These are many requests in a short time. Wait a minute, then try again."
        ),
        "too_many_login_attempts": _("Too many tries. Wait a few minutes, then try again."),
        "unverified_primary_email": _("Confirm this address before you make it primary."),
    }
