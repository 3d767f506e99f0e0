"""What allauth says, in the site's own words."""

import logging

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.utils import filter_users_by_email
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.adapter import DefaultMFAAdapter
from django.contrib import messages
from django.shortcuts import render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import security_log
from accounts.sealing import Unreadable, seal, unseal
from accounts.services import LETTER
from foundation import rate_limits
from foundation.mail_addresses import read_mail_address
from outbox.services import post

logger = logging.getLogger(__name__)

# A link to a new password opens the account: it stands in no database.
NEVER_KEPT = {"account/email/password_reset_key"}
# Letters that somebody waits for, at a page that says they have to.
WAITED_FOR = {
    "account/email/account_already_exists",
    "account/email/email_confirmation",
    "account/email/email_confirmation_signup",
}


class AccountAdapter(DefaultAccountAdapter):
    error_messages = DefaultAccountAdapter.error_messages | {
        "account_inactive": _("This account is disabled."),
        "duplicate_email": _("You have already added this email address."),
        "email_password_mismatch": _("The email address or password is wrong."),
        "email_taken": _("This email address already has an account. Log in, or use another."),
        "enter_current_password": _("This is not your current password."),
        "incorrect_password": _("This is not your password."),
        "max_email_addresses": _("You cannot have more than %d email addresses."),
        "rate_limited": _("Too many requests. Wait a minute, then try again."),
        "too_many_login_attempts": _("Too many attempts. Wait a few minutes, then try again."),
        "unverified_primary_email": _("Confirm this address before making it primary."),
    }

    def get_client_ip(self, request):
        # What logs somebody in without a request, as commands and tests do, is nowhere.
        return super().get_client_ip(request) if "REMOTE_ADDR" in request.META else "::"

    def clean_email(self, email):
        return read_mail_address(email)

    def get_reauthentication_methods(self, user):
        """How somebody proves to be there still: with a second factor, where there is one.

        A password that was stolen along with a session must not take the second factor away.
        """
        told = {
            "mfa_reauthenticate:webauthn": _("Use a passkey"),
            "mfa_reauthenticate": _("Use a code"),
            "reauthenticate": _("Use your password"),
        }
        found = {method["id"]: method for method in super().get_reauthentication_methods(user)}
        if len(found) > 1:
            found.pop("reauthenticate", None)
        return [found[key] | {"description": words} for key, words in told.items() if key in found]

    # What was asked for is done before its letter is sent, so a mail server that is away must not
    # answer for it. Pages tell nobody by this who has an account: letters to whoever has none fail
    # in the same way.

    def send_mail(self, template_prefix, email, told):
        """Send a letter now, or have the outbox send it where the mail server does not take it."""
        request = context.request
        told = {"request": request, "email": email, "user": None, **told}
        letter = self.render_mail(template_prefix, email, told)
        try:
            letter.send()
        except OSError as trouble:
            logger.warning("the mail server does not take %s: %r", template_prefix, trouble)
            to = told["user"] or next(iter(filter_users_by_email(email)), None)
            if to is None or template_prefix in NEVER_KEPT:
                answer = render(request, "account/no_mail.html", status=503)
                raise ImmediateHttpResponse(answer) from None
            payload = {"address": email, "subject": letter.subject, "text": letter.body}
            post(kind=LETTER, to=to, payload=payload)
            if template_prefix in WAITED_FOR:
                messages.warning(
                    request,
                    _(
                        "Our mail server is not taking emails at the moment. Yours will be sent as"
                        " soon as it does. You do not need to do anything until then."
                    ),
                )

    def send_notification_mail(self, template_prefix, user, told=None, email=None, **more):
        told = {"user": user} | (told or more.pop("context", None) or {})
        super().send_notification_mail(template_prefix, user, told, email, **more)

    # Wrong passwords count for an account and an address together, so that nobody else can lock an
    # owner out; and, far more of them, for the account alone, so that many addresses cannot guess
    # without end. A new password by mail lets its owner in at any time.

    def pre_authenticate(self, request, **credentials):
        account = super()._get_login_attempts_cache_key(request, **credentials)
        if not self._is_within(request, account, count=False):
            raise self.validation_error("too_many_login_attempts")
        super().pre_authenticate(request, **credentials)

    def authentication_failed(self, request, **credentials):
        self._is_within(request, super()._get_login_attempts_cache_key(request, **credentials))

    def _get_login_attempts_cache_key(self, request, **credentials):
        account = super()._get_login_attempts_cache_key(request, **credentials)
        return f"{account}:{rate_limits.address_of(request)}"

    @staticmethod
    def _is_within(request, account, **options):
        return rate_limits.is_within(request, "login_failed_for_account", key=account, **options)


class MFAAdapter(DefaultMFAAdapter):
    """The second factor: its words, and its secrets, which the database holds sealed."""

    error_messages = DefaultMFAAdapter.error_messages | {
        "add_email_blocked": _(
            "You cannot add an email address while two-step login is on. Turn it off, add and"
            " confirm the address, then set it up again."
        ),
        "cannot_generate_recovery_codes": _(
            "Recovery codes are a backup for an app or a passkey, so set up one of those first."
        ),
        "incorrect_code": _(
            "That code is not right. Codes from an app change every 30 seconds, and each works"
            " only once."
        ),
        "unverified_email": _(
            "Confirm your email address first. Without it, nobody could help you get back in."
        ),
    }

    def generate_authenticator_name(self, user, kind):
        return gettext("My passkey")

    def encrypt(self, text):
        return seal(text)

    def decrypt(self, encrypted_text):
        try:
            return unseal(encrypted_text)
        except Unreadable:
            # There is no right code any more, and saying that a code is wrong would be a lie.
            security_log.note("second factor unreadable: SECRET_KEY has changed")
            answer = render(context.request, "mfa/unreadable.html", status=503)
            raise ImmediateHttpResponse(answer) from None
