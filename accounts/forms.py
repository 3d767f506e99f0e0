"""Signing up: a name, an e-mail address and a password; and allauth's forms in our words."""

from allauth.account import forms as allauth_forms
from django import forms
from django.contrib import messages
from django.contrib.auth.hashers import make_password
from django.db import IntegrityError
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User

ADDRESS = gettext_lazy("E-mail address")
NEW_PASSWORD = gettext_lazy("New password")
AGAIN = gettext_lazy("New password, again")
GOOD_PASSWORD = gettext_lazy("At least eight characters, and not a common word.")


class SignupForm(allauth_forms.SignupForm):
    field_order = ["name", "email", "password1"]

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=User._meta.get_field("name").max_length,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
        help_text=gettext_lazy("As your instructor knows you."),
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["email"].label = ADDRESS
        self.fields["password1"].help_text = GOOD_PASSWORD

    def try_save(self, request):
        if self.account_already_exists:
            # As long as it takes to make an account, so that the time does not tell.
            make_password(self.cleaned_data["password1"])
        try:
            return super().try_save(request)
        except IntegrityError:
            # The form was sent twice, and the other one was faster.
            messages.info(request, _("There is an account with this e-mail address now: log in."))
            return None, redirect("account_login")

    def signup(self, request, user):
        """Add to the new account what allauth does not know of."""
        user.name = self.cleaned_data["name"]
        user.save(update_fields=["name"])


class LoginForm(allauth_forms.LoginForm):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["login"].label = ADDRESS
        # The link to a new password stands beside the button.
        self.fields["password"].help_text = ""


class AddEmailForm(allauth_forms.AddEmailForm):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["email"].label = ADDRESS


class ResetPasswordForm(allauth_forms.ResetPasswordForm):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["email"].label = ADDRESS


class ResetPasswordKeyForm(allauth_forms.ResetPasswordKeyForm):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["password1"].label = NEW_PASSWORD
        self.fields["password1"].help_text = GOOD_PASSWORD
        self.fields["password2"].label = AGAIN


class ChangePasswordForm(allauth_forms.ChangePasswordForm):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["oldpassword"].label = _("Current password")
        # The link to a new password stands beside the button.
        self.fields["oldpassword"].help_text = ""
        self.fields["password1"].label = NEW_PASSWORD
        self.fields["password1"].help_text = GOOD_PASSWORD
        self.fields["password2"].label = AGAIN


class DeleteForm(forms.Form):
    """The password of who wants to be forgotten."""

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
            raise forms.ValidationError(_("This is not your password."))
        return password


class ReauthenticateForm(allauth_forms.ReauthenticateForm):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        # The link to a new password stands beside the button.
        self.fields["password"].help_text = ""
