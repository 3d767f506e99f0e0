"""allauth's adapters, with the site's own messages, mail and rate limits."""

import logging

import allauth.core.context
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.utils import filter_users_by_email
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.adapter import DefaultMFAAdapter
from django.contrib import messages
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import security_log
from accounts.extensions import is_staff
from accounts.sealing import UnreadableSecret, seal, unseal
from accounts.services import LETTER
from foundation import rate_limits
from foundation.mail_addresses import read_mail_address
from outbox.services import post

logger = logging.getLogger(__name__)

# A link to set a new password gives access to the account, so it is kept in no database.
NEVER_STORED = {"account/email/password_reset_key"}
# Letters that somebody waits for, on a page that tells them to.
AWAITED_LETTERS = {
    "account/email/account_already_exists",
    "account/email/email_confirmation",
    "account/email/email_confirmation_signup",
}


class AccountAdapter(DefaultAccountAdapter):
    error_messages = DefaultAccountAdapter.error_messages | {
        "account_inactive": _("This account is disabled. Ask an administrator to enable it."),
        "duplicate_email": _("You’ve already added this email address."),
        "email_password_mismatch": _("The email address or password is wrong."),
        "email_taken": _("This email address already has an account. Log in, or use another."),
        "enter_current_password": _("This isn’t your current password."),
        "incorrect_password": _("This isn’t your password."),
        "max_email_addresses": _(
            "You can’t have more than %d email addresses. Remove one before you add another."
        ),
        "rate_limited": _("Too many requests. Wait a minute, then try again."),
        "too_many_login_attempts": _("Too many attempts. Wait a few minutes, then try again."),
        "unverified_primary_email": _("Confirm this address before making it primary."),
    }

    def get_client_ip(self, request):
        # A login without a request, in commands and tests, has no address.
        return super().get_client_ip(request) if "REMOTE_ADDR" in request.META else "::"

    def clean_email(self, email):
        return read_mail_address(email)

    def get_login_redirect_url(self, request):
        """Return where staff work; for everybody else, their own work."""
        if is_staff(request.user):
            return reverse("classes:teach")
        return super().get_login_redirect_url(request)

    def get_signup_redirect_url(self, request):
        """Return the same: signing up may have made somebody staff of a class."""
        return self.get_login_redirect_url(request)

    def get_reauthentication_methods(self, user):
        """Return the ways to reauthenticate: only with a second factor, if the user has one.

        A password stolen along with a session must not suffice to remove the second factor.
        """
        descriptions = {
            "mfa_reauthenticate:webauthn": _("Use a passkey"),
            "mfa_reauthenticate": _("Use a code"),
            "reauthenticate": _("Use your password"),
        }
        found = {method["id"]: method for method in super().get_reauthentication_methods(user)}
        if len(found) > 1:
            found.pop("reauthenticate", None)
        return [
            found[key] | {"description": words}
            for key, words in descriptions.items()
            if key in found
        ]

    # A request takes effect before its letter is sent, so it must not fail when the mail server is
    # away. This reveals nobody's account: letters to addresses without one fail in the same way.

    def send_mail(self, template_prefix, email, context):
        """Send a letter now, or post it to the outbox if the mail server does not accept it."""
        request = allauth.core.context.request
        context = {"request": request, "email": email, "user": None, **context}
        letter = self.render_mail(template_prefix, email, context)
        try:
            letter.send()
        except OSError as trouble:
            logger.warning("the mail server does not take %s: %r", template_prefix, trouble)
            to = context["user"] or next(iter(filter_users_by_email(email)), None)
            if to is None or template_prefix in NEVER_STORED:
                answer = render(request, "account/no_mail.html", status=503)
                raise ImmediateHttpResponse(answer) from None
            payload = {"address": email, "subject": letter.subject, "text": letter.body}
            post(kind=LETTER, to=to, payload=payload)
            if template_prefix in AWAITED_LETTERS:
                messages.warning(
                    request,
                    _(
                        "Our mail server isn’t taking emails at the moment. "
                        "We’ll send yours as soon as it works again. You don’t "
                        "need to do anything until then."
                    ),
                )

    def send_notification_mail(self, template_prefix, user, context=None, email=None, **more):
        context = {"user": user} | (context or {})
        super().send_notification_mail(template_prefix, user, context, email, **more)

    # Wrong passwords are counted by account and IP address together, so nobody else can lock an
    # owner out; and, with a far higher limit, by account alone, so that many addresses cannot guess
    # without end. Setting a new password by mail lets the owner in at any time.

    def pre_authenticate(self, request, **credentials):
        account = super()._get_login_attempts_cache_key(request, **credentials)
        if not self._is_within(request, account, count=False):
            raise self.validation_error("too_many_login_attempts")
        super().pre_authenticate(request, **credentials)

    def authentication_failed(self, request, **credentials):
        self._is_within(request, super()._get_login_attempts_cache_key(request, **credentials))

    def _get_login_attempts_cache_key(self, request, **credentials):
        account = super()._get_login_attempts_cache_key(request, **credentials)
        return f"{account}:{rate_limits.client_address(request)}"

    @staticmethod
    def _is_within(request, account, **options):
        return rate_limits.is_within(request, "login_failed_for_account", key=account, **options)


class MFAAdapter(DefaultMFAAdapter):
    """The adapter of the second factor: its messages, and its secrets, sealed in the database."""

    error_messages = DefaultMFAAdapter.error_messages | {
        "add_email_blocked": _(
            "You can’t add an email address while two-step login is on. Turn it off, add and"
            " confirm the address, then set it up again."
        ),
        "cannot_generate_recovery_codes": _(
            "Recovery codes are a backup for an app or a passkey, so set up one of those first."
        ),
        "incorrect_code": _(
            "That code isn’t right. Codes from an app change every 30 seconds, and each works"
            " only once."
        ),
        "unverified_email": _(
            "Confirm your email address first. Until it’s confirmed, nobody can "
            "help you get back in."
        ),
    }

    def generate_authenticator_name(self, user, kind):
        return gettext("My passkey")

    def encrypt(self, text):
        return seal(text)

    def decrypt(self, encrypted_text):
        try:
            return unseal(encrypted_text)
        except UnreadableSecret:
            # No code can be right any more, so do not call this one wrong.
            security_log.log_event("second factor unreadable: SECRET_KEY has changed")
            answer = render(allauth.core.context.request, "mfa/unreadable.html", status=503)
            raise ImmediateHttpResponse(answer) from None
