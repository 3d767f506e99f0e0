"""Forms of accounts: allauth's, with our labels and help texts, and our own."""

import json
from typing import Any

from allauth.account import forms as account_forms
from allauth.mfa.base import forms as mfa_forms
from allauth.mfa.totp import forms as totp_forms
from allauth.mfa.webauthn import forms as webauthn_forms
from cryptography.exceptions import InvalidSignature
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.hashers import make_password
from django.db import IntegrityError
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from fido2.webauthn import AuthenticationResponse, RegistrationResponse

from accounts import security_log
from accounts.models import User
from foundation import time_zones
from foundation.folded_names import LONGEST_SORTS_AS
from foundation.names import NameField

ADDRESS = gettext_lazy("Email address")
GOOD_PASSWORD = gettext_lazy("At least eight characters. Avoid common words.")
NEW_PASSWORDS = {
    "password1": {"label": gettext_lazy("New password"), "help_text": GOOD_PASSWORD},
    "password2": {"label": gettext_lazy("Repeat the new password")},
}
# The link to set a new password is next to the button.
NO_HELP = {"help_text": ""}


class _WordedFormMixin:
    """Mixin for allauth's forms that sets attributes of fields, by the fields' names."""

    words: dict[str, dict[str, Any]]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        for name, attributes in self.words.items():
            vars(self.fields[name]).update(attributes)


class SignupForm(_WordedFormMixin, account_forms.SignupForm):
    field_order = ["name", "email", "password1"]
    words = {"email": {"label": ADDRESS}, "password1": {"help_text": GOOD_PASSWORD}}

    name = NameField(
        label=gettext_lazy("Name"),
        max_length=User._meta.get_field("name").max_length,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
        help_text=gettext_lazy("If you have an instructor, this is the name they see."),
    )

    def try_save(self, request):
        if self.account_already_exists:
            # Takes as long as creating an account, so that timing does not reveal it.
            make_password(self.cleaned_data["password1"])
        try:
            return super().try_save(request)
        except IntegrityError:
            # The form was sent twice, and the other request was faster.
            messages.info(
                request, _("You now have an account with this email address. Please log in.")
            )
            return None, redirect("account_login")

    def signup(self, request, user):
        """Save the name, which allauth does not know."""
        user.name = self.cleaned_data["name"]
        user.save(update_fields=["name"])


class LoginForm(_WordedFormMixin, account_forms.LoginForm):
    words = {"login": {"label": ADDRESS}, "password": NO_HELP}


class AddEmailForm(_WordedFormMixin, account_forms.AddEmailForm):
    words = {"email": {"label": ADDRESS}}


class ResetPasswordForm(_WordedFormMixin, account_forms.ResetPasswordForm):
    words = {"email": {"label": ADDRESS}}

    def clean_email(self):
        """Leave out accounts with a confirmed address whose owner has not confirmed this one.

        It may have been mistyped: whoever owns it must not get into their account.
        """
        email = super().clean_email()
        self.users = [user for user in self.users if user.may_reset_by(email)]
        return email


class ResetPasswordKeyForm(_WordedFormMixin, account_forms.ResetPasswordKeyForm):
    words = NEW_PASSWORDS


class ChangePasswordForm(_WordedFormMixin, account_forms.ChangePasswordForm):
    words = {"oldpassword": {"label": gettext_lazy("Current password")} | NO_HELP, **NEW_PASSWORDS}


class ReauthenticateForm(_WordedFormMixin, account_forms.ReauthenticateForm):
    words = {"password": NO_HELP}


class PasswordForm(forms.Form):
    """The account's password, asked before it is deleted or an address is confirmed."""

    password = forms.CharField(
        label=gettext_lazy("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, user, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_password(self):
        password = self.cleaned_data["password"]
        if not self.user.check_password(password):
            raise forms.ValidationError(_("This isn’t your password."))
        return password


class NameForm(forms.Form):
    """A person's name, and how it is sorted."""

    name = SignupForm.base_fields["name"]
    sorts_as = forms.CharField(
        label=gettext_lazy("Name in lists sorted by last name"),
        required=False,
        max_length=LONGEST_SORTS_AS,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text=gettext_lazy(
            "For example, “García Márquez, Gabriel”. Leave empty to go by the last word of your"
            " name."
        ),
    )


class ZoneForm(forms.Form):
    """The time zone in which a person sees all times."""

    time_zone = forms.CharField(
        label=gettext_lazy("Time zone"),
        required=False,
        widget=forms.TextInput(attrs={"list": "zones", "autocomplete": "off"}),
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        words = _(
            "Type a city and choose from the list. If you leave this empty, "
            "pages show times in your device’s time zone, and emails show them "
            "in %(zone)s."
        )
        self.fields["time_zone"].help_text = words % {"zone": settings.TIME_ZONE}

    def clean_time_zone(self):
        typed = self.cleaned_data["time_zone"]
        found = time_zones.find_zone(typed)
        if typed and not found:
            raise forms.ValidationError(
                _(
                    "There’s no time zone with this name. Type the nearest large city and choose"
                    " from the list, for example Europe/Zurich."
                )
            )
        return found


# The second factor

CODE = gettext_lazy("Code")
CODE_OR_RECOVERY_CODE = gettext_lazy(
    "The six digits your app shows now, or one of your recovery codes."
)
PASSKEY_NAME = gettext_lazy("Passkey name")
NAME_HELP = gettext_lazy("To help you recognise it later, for example “my phone”.")
MAX_NAME_LENGTH = 60
# Real keys stay well below; stored data must not grow at a client's will.
MAX_CREDENTIAL_LENGTH = 20_000


class _CodeFormMixin:
    """Mixin for forms that ask for a code of a second factor."""

    code_help = CODE_OR_RECOVERY_CODE

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        field = self.fields["code"]
        field.label, field.help_text, field.max_length = CODE, self.code_help, 50
        field.widget.attrs = {"autocomplete": "one-time-code", "inputmode": "numeric"}


class ActivateTOTPForm(_CodeFormMixin, totp_forms.ActivateTOTPForm):
    code_help = gettext_lazy("The six digits your app shows now.")


class AuthenticateForm(_CodeFormMixin, mfa_forms.AuthenticateForm):
    pass


class ReauthenticateByCodeForm(_CodeFormMixin, mfa_forms.ReauthenticateForm):
    pass


class CredentialField(forms.JSONField):
    """A passkey's credential as the browser sends it; the data is not trusted."""

    widget = forms.HiddenInput
    default_error_messages = dict.fromkeys(
        ("required", "invalid"), gettext_lazy("The passkey couldn’t be read. Try again.")
    )

    def to_python(self, value):
        try:
            # No key needs an escape, and PostgreSQL cannot store everything that JSON can escape.
            if value and (len(value) > MAX_CREDENTIAL_LENGTH or "\\" in value):
                raise ValueError("This is no credential.")
            credential = super().to_python(value)
            if credential is not None:
                json.dumps(credential, allow_nan=False)
                self.read(credential)
        except Exception as unreadable:  # fido2's parsers raise errors of many kinds
            raise forms.ValidationError(self.error_messages["invalid"], "invalid") from unreadable
        return credential

    def read(self, credential):
        AuthenticationResponse.from_dict(credential)


class NewCredentialField(CredentialField):
    def read(self, credential):
        response = RegistrationResponse.from_dict(credential).response
        key = response.attestation_object.auth_data.credential_data.public_key
        try:
            key.verify(b"", b"")
        except InvalidSignature:
            return  # the key can tell a right signature from a wrong one


class AddPasskeyForm(webauthn_forms.AddWebAuthnForm):
    credential = NewCredentialField()

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        name, alone = self.fields["name"], self.fields["passwordless"]
        name.label, name.help_text = PASSKEY_NAME, NAME_HELP
        name.widget.attrs["maxlength"] = MAX_NAME_LENGTH
        alone.initial = True
        alone.label = gettext_lazy(
            "Log in with just this passkey, without an email address or password"
        )
        alone.help_text = gettext_lazy(
            "It’ll ask for your fingerprint, face or PIN. Older security keys can’t do this."
        )

    def clean_name(self):
        return super().clean_name()[:MAX_NAME_LENGTH]


class EditPasskeyForm(webauthn_forms.EditWebAuthnForm):
    name = forms.CharField(label=PASSKEY_NAME, help_text=NAME_HELP, max_length=MAX_NAME_LENGTH)


class _PasskeyFormMixin:
    """Mixin for passkey forms that notes a failed credential in the security log."""

    def clean_credential(self):
        try:
            return super().clean_credential()
        except forms.ValidationError:
            security_log.log_event("second factor failed", user=self.user, about="webauthn")
            raise


class AuthenticateByPasskeyForm(_PasskeyFormMixin, webauthn_forms.AuthenticateWebAuthnForm):
    credential = CredentialField()


class ReauthenticateByPasskeyForm(_PasskeyFormMixin, webauthn_forms.ReauthenticateWebAuthnForm):
    credential = CredentialField()


class LoginByPasskeyForm(_PasskeyFormMixin, webauthn_forms.LoginWebAuthnForm):
    credential = CredentialField()
