"""What instructors and students send, read strictly; what filters do not know narrows nothing."""

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.timezone import get_current_timezone, make_aware
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from classes.limits import LONGEST_LABEL, LONGEST_REASON, LONGEST_SECTION, MOST_LABELS
from classes.models import Course, Membership
from classes.queries import EVERY_STATE, WITHOUT_SECTION, PeopleChoice, Seat
from classes.rosters import split_labels, tidy
from classes.services.people import Change
from foundation.zones import choices as zone_choices

AS_IT_IS = ""
LARGEST_FILE = 8 * 1024 * 1024
LONGEST_PASTED = 400_000
_KEY = re.compile(r"[0-9]{1,18}")
_DOMAIN = re.compile(r"@?([a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+)")
EARLIEST, LATEST = date(2000, 1, 1), date(2100, 1, 1)
# Of a filter: how the lines are shown, and not which.
NOT_NARROWING = ("order", "at")


def chosen_keys(sent: QueryDict, name: str = "member") -> list[int]:
    """The members whose boxes are ticked; what is no number is nobody's."""
    return [int(key) for key in sent.getlist(name)[:1000] if _KEY.fullmatch(key)]


class CourseForm(forms.ModelForm):
    time_zone = forms.ChoiceField(
        label=gettext_lazy("Time zone"),
        help_text=gettext_lazy("Where the class takes place."),
    )
    first_day = forms.DateField(
        label=gettext_lazy("First day of term"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )

    class Meta:
        model = Course
        fields = ("title", "time_zone", "first_day")
        labels = {"title": gettext_lazy("Title")}
        help_texts = {"title": gettext_lazy("The name students know, including the term.")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["time_zone"].choices = zone_choices()

    def clean_title(self) -> str:
        title = tidy(self.cleaned_data["title"])
        if not title:
            raise forms.ValidationError(_("Enter a title with at least one visible character."))
        return title

    def clean_first_day(self) -> date | None:
        day = self.cleaned_data["first_day"]
        if day and not EARLIEST <= day <= LATEST:
            raise forms.ValidationError(_("Is this the year you mean?"))
        return day


class MembersFilter(forms.Form):
    """Whose lines are listed: whoever lists them adds the states there are, and the orders."""

    search = forms.CharField(label=gettext_lazy("Search"), required=False, max_length=100)
    section = forms.ChoiceField(label=gettext_lazy("Section"), required=False)
    label = forms.ChoiceField(label=gettext_lazy("Label"), required=False)
    state = forms.ChoiceField(label=gettext_lazy("State"), required=False)

    def __init__(self, data: QueryDict, sections: Sequence[str], labels: Sequence[str]) -> None:
        super().__init__(data, label_suffix="")
        every = ("", _("all"))
        self.fields["search"].widget.input_type = "search"
        named = [(name, name) for name in sections]
        self.fields["section"].choices = [every, (WITHOUT_SECTION, _("none")), *named]
        self.fields["label"].choices = [every, *((text, text) for text in labels)]
        self.fields["state"].choices = self.states()
        if not sections:
            del self.fields["section"]
        if not labels:
            del self.fields["label"]

    def states(self) -> list[tuple[str, str]]:
        raise NotImplementedError

    @property
    def is_narrow(self) -> bool:
        """Are some left out who might be looked for?"""
        self.is_valid()
        return any(said for name, said in self.cleaned_data.items() if name not in NOT_NARROWING)


class PeopleFilter(MembersFilter):
    """Which people are listed, and in which order."""

    role = forms.ChoiceField(
        label=gettext_lazy("Role"),
        required=False,
        choices=[("", gettext_lazy("all")), *Membership.Role.choices],
    )
    order = forms.ChoiceField(
        label=gettext_lazy("Order"),
        required=False,
        choices=[
            ("", gettext_lazy("by name")),
            ("address", gettext_lazy("by email address")),
            ("role", gettext_lazy("by role")),
            ("section", gettext_lazy("by section")),
            ("state", gettext_lazy("by state")),
            ("latest", gettext_lazy("latest first")),
        ],
    )
    field_order = ("search", "role")

    def states(self) -> list[tuple[str, str]]:
        everybody = (EVERY_STATE, _("all"))
        return [("", _("current or invited")), *Membership.State.choices, everybody]

    @property
    def choice(self) -> PeopleChoice:
        """What was asked for, as far as it can be."""
        self.is_valid()
        return PeopleChoice(**self.cleaned_data)


class ReasonForm(forms.Form):
    """Why something is done."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        required=False,
        max_length=LONGEST_REASON,
        help_text=gettext_lazy("Recorded in the class history."),
    )


class ChangeForm(ReasonForm):
    """What becomes of the members that were chosen."""

    role = forms.ChoiceField(label=gettext_lazy("Role"), required=False)
    section = forms.ChoiceField(label=gettext_lazy("Section"), required=False)
    new_section = forms.CharField(
        label=gettext_lazy("Or a new section"), required=False, max_length=LONGEST_SECTION
    )
    add_labels = forms.CharField(
        label=gettext_lazy("Labels to add"), required=False, max_length=400
    )
    take_labels = forms.CharField(
        label=gettext_lazy("Labels to remove"), required=False, max_length=400
    )
    field_order = ("role", "section", "new_section", "add_labels", "take_labels", "reason")

    def __init__(
        self, *args: Any, seat: Seat, sections: Iterable[str], labels: Sequence[str], **more: Any
    ) -> None:
        super().__init__(*args, **more)
        as_it_is = (AS_IT_IS, _("no change"))
        self.fields["role"].choices = [as_it_is, *Membership.Role.choices]
        self.fields["role"].help_text = _(
            "An assistant with a section sees only the people in that section."
        )
        named = [(name, name) for name in sections]
        self.fields["section"].choices = [as_it_is, (WITHOUT_SECTION, _("none")), *named]
        known = (
            _("Used in this class: %(labels)s.") % {"labels": ", ".join(labels)} if labels else ""
        )
        self.fields["add_labels"].help_text = " ".join((_("Separated by commas."), known))
        if not seat.runs:
            del self.fields["role"]
        if not seat.sees_all:
            del self.fields["section"], self.fields["new_section"]
        if not labels:
            del self.fields["take_labels"]

    def clean_add_labels(self) -> str:
        return checked_labels(self.cleaned_data["add_labels"])

    @property
    def change(self) -> Change:
        said = self.cleaned_data
        section = said.get("section") or None
        section = "" if section == WITHOUT_SECTION else section
        return Change(
            role=said.get("role") or None,
            section=tidy(said.get("new_section", "")) or section,
            add_labels=said["add_labels"],
            take_labels=said.get("take_labels", ""),
        )


def checked_labels(text: str) -> str:
    labels = split_labels(text)
    if len(labels) > MOST_LABELS or any(len(label) > LONGEST_LABEL for label in labels):
        words = _("At most %(count)s labels, of %(most)s characters each.")
        raise forms.ValidationError(words % {"count": MOST_LABELS, "most": LONGEST_LABEL})
    return text


class PasteForm(forms.Form):
    """Addresses of people who are to be in the class."""

    addresses = forms.CharField(
        label=gettext_lazy("Email addresses"),
        max_length=LONGEST_PASTED,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
        help_text=gettext_lazy("One per line, or separated by commas. You may include names."),
    )
    role = forms.ChoiceField(
        label=gettext_lazy("Role"),
        choices=Membership.Role,
        initial=Membership.Role.STUDENT,
        help_text=gettext_lazy("An assistant with a section sees only the people in that section."),
    )
    section = forms.CharField(
        label=gettext_lazy("Section"), required=False, max_length=LONGEST_SECTION
    )
    labels = forms.CharField(
        label=gettext_lazy("Labels"),
        required=False,
        max_length=400,
        help_text=gettext_lazy("Separated by commas."),
    )

    def clean_labels(self) -> str:
        return checked_labels(self.cleaned_data["labels"])

    def clean_section(self) -> str:
        return tidy(self.cleaned_data["section"])


class UploadForm(forms.Form):
    """A file with people, as a learning platform or a spreadsheet wrote it."""

    file = forms.FileField(
        label=gettext_lazy("CSV file"),
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,text/csv,text/plain"}),
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
        if file.size > LARGEST_FILE:
            words = _("A list can be at most %(most)s MB.")
            raise forms.ValidationError(words % {"most": LARGEST_FILE // 1024**2})
        return file

    def clean_domain(self) -> str:
        domain = self.cleaned_data["domain"].lower()
        match = _DOMAIN.fullmatch(domain)
        if domain and not match:
            raise forms.ValidationError(_("This is not a valid email domain."))
        return match[1] if match else ""


class CodeForm(forms.Form):
    """The code that an instructor has shown or sent."""

    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=100,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text=gettext_lazy("Eight letters and digits. Capitals and spaces do not matter."),
    )


class HistoryFilter(forms.Form):
    """Which of a class's events are listed."""

    verb = forms.ChoiceField(label=gettext_lazy("What"), required=False)
    actor = forms.ChoiceField(label=gettext_lazy("By"), required=False)
    since = forms.DateField(
        label=gettext_lazy("From"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.DateField(
        label=gettext_lazy("To"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )

    def __init__(self, data: QueryDict, actors: Iterable[Any], deeds: dict[str, str]) -> None:
        super().__init__(data, label_suffix="")
        every = ("", _("all"))
        self.fields["verb"].choices = [every, *deeds.items()]
        self.people = {str(user.pk): user for user in actors}
        self.fields["actor"].choices = [
            every,
            *((key, str(user)) for key, user in self.people.items()),
        ]

    @property
    def wanted(self) -> dict[str, Any]:
        """What was asked for, as far as it can be, as the audit is asked."""
        self.is_valid()
        said = self.cleaned_data
        return {
            "verb": said.get("verb") or None,
            "actor": self.people.get(said.get("actor", "")),
            "since": midnight(said.get("since")),
            "until": midnight(said.get("until"), timedelta(days=1)),
        }


def midnight(day: date | None, later: timedelta = timedelta()) -> datetime | None:
    """The first moment of a day, where the reader is."""
    if day is None or not EARLIEST <= day <= LATEST:
        return None
    return make_aware(datetime.combine(day + later, time()), get_current_timezone())
