"""Forms for the members of a class: filters, changes, lists and codes."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from classes.access.forms import MAX_PASTED_LENGTH, UNCHANGED, ReasonForm, validate_labels
from classes.access.queries import CourseAccess, labels_of, sections_of
from classes.limits import MAX_SECTION_LENGTH
from classes.models import Membership
from classes.people.queries.people import EVERY_STATE, WITHOUT_SECTION, PeopleChoice
from classes.people.services.people import Change
from foundation.filters import FilterForm
from foundation.names import NameField

MAX_FILE_SIZE = 8 * 1024 * 1024
_DOMAIN = re.compile(r"@?([a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+)")


class MembersFilter(FilterForm):
    """Base of filters for members; subclasses add the states and orders."""

    states: Sequence[tuple[str, Any]]

    search = forms.CharField(label=gettext_lazy("Search"), required=False, max_length=100)
    section = forms.ChoiceField(label=gettext_lazy("Section"), required=False)
    label = forms.ChoiceField(label=gettext_lazy("Label"), required=False)
    state = forms.ChoiceField(label=gettext_lazy("State"), required=False)

    def __init__(self, data: QueryDict, access: CourseAccess) -> None:
        sections = sections_of(access.course) if access.sees_all else []
        labels = labels_of(access.course)
        listed = [(WITHOUT_SECTION, _("none")), *((name, name) for name in sections)]
        super().__init__(data, section=listed, label=[(text, text) for text in labels])
        self.fields["search"].widget.input_type = "search"
        self.fields["state"].choices = self.states
        if not sections:
            del self.fields["section"]
        if not labels:
            del self.fields["label"]


class PeopleFilter(MembersFilter):
    """Filter and order of the list of people."""

    chooses = PeopleChoice
    states = [
        ("", gettext_lazy("current or invited")),
        *Membership.State.choices,
        (EVERY_STATE, gettext_lazy("all")),
    ]
    role = forms.ChoiceField(
        label=gettext_lazy("Role"),
        required=False,
        choices=[("", gettext_lazy("all")), *Membership.Role.choices],
    )
    order = forms.ChoiceField(
        label=gettext_lazy("Order"),
        required=False,
        choices=[
            ("", gettext_lazy("by first name")),
            ("last", gettext_lazy("by last name")),
            ("address", gettext_lazy("by email address")),
            ("role", gettext_lazy("by role")),
            ("section", gettext_lazy("by section")),
            ("state", gettext_lazy("by state")),
            ("latest", gettext_lazy("latest first")),
        ],
    )
    field_order = ("search", "role")


class ChangeForm(ReasonForm):
    """Changes to the chosen members."""

    role = forms.ChoiceField(label=gettext_lazy("Role"), required=False)
    section = forms.ChoiceField(label=gettext_lazy("Section"), required=False)
    new_section = NameField(
        label=gettext_lazy("Or a new section"), required=False, max_length=MAX_SECTION_LENGTH
    )
    add_labels = forms.CharField(
        label=gettext_lazy("Labels to add"), required=False, max_length=400
    )
    take_labels = forms.CharField(
        label=gettext_lazy("Labels to remove"), required=False, max_length=400
    )
    field_order = ("role", "section", "new_section", "add_labels", "take_labels", "reason")

    def __init__(
        self,
        *args: Any,
        access: CourseAccess,
        sections: Iterable[str],
        labels: Sequence[str],
        **more: Any,
    ) -> None:
        super().__init__(*args, **more)
        as_it_is = (UNCHANGED, _("no change"))
        self.fields["role"].choices = [as_it_is, *Membership.Role.choices]
        self.fields["role"].help_text = _(
            "An assistant with a section sees only the people in this section."
        )
        named = [(name, name) for name in sections]
        self.fields["section"].choices = [as_it_is, (WITHOUT_SECTION, _("none")), *named]
        known = (
            _("Used in this class: %(labels)s.") % {"labels": ", ".join(labels)} if labels else ""
        )
        self.fields["add_labels"].help_text = " ".join((_("Separated by commas."), known))
        if not access.runs:
            del self.fields["role"]
        if not access.sees_all:
            del self.fields["section"], self.fields["new_section"]
        if not labels:
            del self.fields["take_labels"]

    def clean_add_labels(self) -> str:
        return validate_labels(self.cleaned_data["add_labels"])

    @property
    def change(self) -> Change:
        cleaned = self.cleaned_data
        section = cleaned.get("section") or None
        section = "" if section == WITHOUT_SECTION else section
        return Change(
            role=cleaned.get("role") or None,
            section=cleaned.get("new_section") or section,
            add_labels=cleaned["add_labels"],
            take_labels=cleaned.get("take_labels", ""),
        )


class PasteForm(forms.Form):
    """Pasted addresses of people to add, with role, section and labels."""

    addresses = forms.CharField(
        label=gettext_lazy("Email addresses"),
        max_length=MAX_PASTED_LENGTH,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
        help_text=gettext_lazy("One per line, or separated by commas. You may include names."),
    )
    role = forms.ChoiceField(
        label=gettext_lazy("Role"),
        choices=Membership.Role,
        initial=Membership.Role.STUDENT,
        help_text=gettext_lazy("An assistant with a section sees only the people in this section."),
    )
    section = NameField(
        label=gettext_lazy("Section"), required=False, max_length=MAX_SECTION_LENGTH
    )
    labels = forms.CharField(
        label=gettext_lazy("Labels"),
        required=False,
        max_length=400,
        help_text=gettext_lazy("Separated by commas."),
    )

    def clean_labels(self) -> str:
        return validate_labels(self.cleaned_data["labels"])


class UploadForm(forms.Form):
    """A file with people, exported by a learning platform or a spreadsheet."""

    file = forms.FileField(
        label=gettext_lazy("File (CSV or XLSX)"),
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,.xlsx,text/csv,text/plain"}),
        help_text=gettext_lazy(
            "The file needs a column of email addresses. Names, sections or groups, and labels"
            " are imported too. Canvas and Moodle exports work as they are."
        ),
    )
    domain = forms.CharField(
        label=gettext_lazy("Email domain, if the list has only login names"),
        required=False,
        max_length=200,
        help_text=gettext_lazy("For example, university.example."),
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > MAX_FILE_SIZE:
            words = _("A list can be at most %(most)s MB.")
            raise forms.ValidationError(words % {"most": MAX_FILE_SIZE // 1024**2})
        return file

    def clean_domain(self) -> str:
        domain = self.cleaned_data["domain"].lower()
        match = _DOMAIN.fullmatch(domain)
        if domain and not match:
            raise forms.ValidationError(_("This isn’t a valid email domain."))
        return match[1] if match else ""


class CodeForm(forms.Form):
    """The joining code of a class."""

    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=100,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text=gettext_lazy("Eight letters and digits. Capitals and spaces don’t matter."),
    )
