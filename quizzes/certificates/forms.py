"""The form for making a certificate."""

from django import forms
from django.utils.translation import gettext_lazy as _

from foundation.names import NameField
from quizzes.models import MAX_NAME_LENGTH


class CertificateForm(forms.Form):
    """The name on a certificate."""

    name = NameField(
        label=_("Name on the certificate"),
        max_length=MAX_NAME_LENGTH,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
