"""What allauth says, in the site's own words."""

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import ratelimit
from allauth.core.internal.ratelimit import get_ip
from django.utils.translation import gettext_lazy as _


class AccountAdapter(DefaultAccountAdapter):
    error_messages = DefaultAccountAdapter.error_messages | {
        "account_inactive": _("This account is switched off."),
        "duplicate_email": _("You have added this e-mail address already."),
        "email_password_mismatch": _("There is no account with this e-mail address and password."),
        "email_taken": _("There is already an account with this e-mail address."),
        "enter_current_password": _("This is not your current password."),
        "incorrect_password": _("This is not your password."),
        "max_email_addresses": _("You cannot have more than %d e-mail addresses."),
        "rate_limited": _(
            "These are many requests in a short time. Wait a minute, then try again."
        ),
        "too_many_login_attempts": _("Too many tries. Wait a few minutes, then try again."),
        "unverified_primary_email": _("Confirm this address before you make it primary."),
    }

    def get_client_ip(self, request):
        # What logs somebody in without a request, as commands and tests do, is nowhere.
        return super().get_client_ip(request) if "REMOTE_ADDR" in request.META else "::"

    # Wrong passwords count for an account and an address together, so that nobody else can lock an
    # owner out; and, far more of them, for the account alone, so that many addresses cannot guess
    # without end. A new password by mail lets its owner in at any time.

    def pre_authenticate(self, request, **credentials):
        account = super()._get_login_attempts_cache_key(request, **credentials)
        if not self._count(request, account, dry_run=True):
            raise self.validation_error("too_many_login_attempts")
        super().pre_authenticate(request, **credentials)

    def authentication_failed(self, request, **credentials):
        self._count(request, super()._get_login_attempts_cache_key(request, **credentials))

    def _get_login_attempts_cache_key(self, request, **credentials):
        account = super()._get_login_attempts_cache_key(request, **credentials)
        return f"{account}:{get_ip(request)}"

    @staticmethod
    def _count(request, account, **options):
        action = "login_failed_for_account"
        return ratelimit.consume(request, action=action, key=account, **options)
