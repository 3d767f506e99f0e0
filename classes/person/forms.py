"""Forms: a note about a person."""

from django import forms

from classes.models import MemberNote


class NoteForm(forms.ModelForm):
    """A note by staff, which only they read."""

    class Meta:
        model = MemberNote
        fields = ["text"]
        widgets = {"text": forms.Textarea(attrs={"rows": 2})}
