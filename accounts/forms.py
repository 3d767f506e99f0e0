"""Signing up: a name, an e-mail address and a password, nothing else."""

from allauth.account import forms as allauth_forms
from django import forms

from accounts.models import User


class SignupForm(allauth_forms.SignupForm):
    field_order = ["name", "email", "password1"]

    name = forms.CharField(
        label="Name",
        max_length=User._meta.get_field("name").max_length,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
        help_text="As your instructor knows you.",
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["email"].label = "E-mail address"
        self.fields["password1"].help_text = "At least eight characters, and not a common word."

    def signup(self, request, user):
        """Add to the new account what allauth does not know of."""
        user.name = self.cleaned_data["name"]
        user.save(update_fields=["name"])


class LoginForm(allauth_forms.LoginForm):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["login"].label = "E-mail address"
        # The link to a new password stands beside the button.
        self.fields["password"].help_text = ""
