"""Forms and filters for regrades. A filter with an unknown value narrows nothing."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from foundation.filters import FilterForm
from foundation.keys import parse_key
from quizzes.models import MAX_REASON_LENGTH, Ruling, RulingLine
from quizzes.regrades.rules import ALSO, EVERYBODY, INSTEAD, SCOPES

Kind, Scope = Ruling.Kind, Ruling.Scope
NEVER_LOWER, AS_IT_IS = "never", "all"
_OF = re.compile(r"(slot|question|variant|item)-([0-9]{1,18})|(family)-([a-z0-9_]{1,60})|(all)")


def key_from(sent: Mapping[str, str], name: str) -> int | None:
    """Return the primary key that is sent under this name, or None."""
    return parse_key(sent.get(name, ""))


def parse_scope(text: str) -> tuple[str, Any] | None:
    """Parse a scope from an address: its kind, and the key of what it is narrowed to.

    >>> [parse_scope(text) for text in ("question-12", "family-cosine", "all", "x-1")]
    [('question', 12), ('family', 'cosine'), ('all', None), None]
    """
    match = _OF.fullmatch(text)
    if match is None:
        return None
    if match[1]:
        return match[1], int(match[2])
    return (match[3], match[4]) if match[3] else (match[5], None)


def kinds_for(regrade: Ruling) -> list[str]:
    """Return the kinds of regrade that make sense for the scope of this one."""
    of_topic = regrade.slot is not None and not regrade.slot.family
    unfit = {Kind.ACCEPT, Kind.TOLERANCE} if of_topic else set()
    return [
        kind for kind, scopes in SCOPES.items() if regrade.scope in scopes and kind not in unfit
    ]


def _reason(help_text: Any) -> forms.CharField:
    return forms.CharField(
        label=_("Reason"),
        max_length=MAX_REASON_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=help_text,
        error_messages={"required": _("Enter a reason. Students see it beside their marks.")},
    )


class RegradeForm(forms.Form):
    """The values of a regrade of one kind, and its policy. Unbound it shows the defaults."""

    mode = forms.ChoiceField(
        label=_("Answer key"),
        choices=[
            (ALSO, _("also accept these choices")),
            (INSTEAD, _("accept only these choices")),
            (EVERYBODY, _("accept every choice")),
        ],
        initial=ALSO,
        widget=forms.RadioSelect,
    )
    accept = forms.MultipleChoiceField(
        label=_("Right choices"), required=False, widget=forms.CheckboxSelectMultiple
    )
    points = forms.CharField(label=_("Points"), max_length=20)
    tolerance = forms.CharField(
        label=_("Tolerance"),
        max_length=20,
        help_text=_(
            "How far an answer may be from the exact value. Replaces the family’s own tolerance."
        ),
    )
    version = forms.TypedChoiceField(
        label=_("Version of the problem"),
        required=False,
        coerce=int,
        empty_value=None,
        help_text=_(
            "Answers already given are marked by the formulas and solution of the version you"
            " choose."
        ),
    )
    policy = forms.ChoiceField(
        label=_("If a mark would go down"),
        choices=[
            (NEVER_LOWER, _("keep the old mark: nobody’s mark goes down")),
            (AS_IT_IS, _("use the new mark, even if it’s lower")),
        ],
        initial=NEVER_LOWER,
        widget=forms.RadioSelect,
    )
    over_hand = forms.BooleanField(
        label=_("Include manual adjustments"),
        required=False,
        help_text=_("Otherwise manual adjustments stay as they are."),
    )
    tells = forms.BooleanField(
        label=_("Email students whose marks change"),
        required=False,
        help_text=_(
            "Sent once they can see their marks. They’ll also see the change beside their marks."
        ),
    )
    reason = _reason(_("Students see this beside both marks."))

    FIELDS_BY_KIND: Mapping[str, tuple[str, ...]] = {
        Kind.KEY: ("mode", "accept"),
        Kind.ACCEPT: ("accept",),
        Kind.REGRADE: ("version",),
        Kind.POINTS: ("points",),
        Kind.TOLERANCE: ("tolerance",),
        Kind.ADJUST: ("points",),
    }

    def __init__(
        self, data: Any, kind: str, *, choices: Iterable[tuple[str, str]] = (), **more: Any
    ) -> None:
        super().__init__(data, label_suffix="", **more)
        self.kind = kind
        offered = list(choices)
        self.fields["version" if kind == Kind.REGRADE else "accept"].choices = offered
        wanted = {*self.FIELDS_BY_KIND.get(kind, ())}
        unwanted = {"mode", "accept", "points", "tolerance", "version"} - wanted
        if not offered:  # of no written problem, or of one in its newest version
            unwanted.add("version")
        if kind == Kind.ADJUST:  # a manual adjustment is always deliberate
            unwanted |= {"policy", "over_hand"}
        if kind == Kind.ACCEPT:  # it lowers no mark
            unwanted.add("policy")
            self.fields["accept"].label = _("Answers to accept")
        for name in unwanted:
            del self.fields[name]

    @property
    def is_valid_without_reason(self) -> bool:
        """Return whether the form is valid but for the reason, so that a dry run can use it."""
        return self.is_bound and not set(self.errors) - {"reason"}

    def apply_to(self, regrade: Ruling) -> Ruling:
        """Set the sent values on the regrade and return it."""
        data = self.cleaned_data
        regrade.values = {
            name: _plain(data[name])
            for name in self.FIELDS_BY_KIND.get(self.kind, ())
            if data.get(name) is not None
        }
        never_lower = NEVER_LOWER if self.kind == Kind.ACCEPT else AS_IT_IS
        regrade.never_lower = data.get("policy", never_lower) == NEVER_LOWER
        regrade.over_hand = data.get("over_hand", True)
        regrade.tells = data.get("tells", False)
        regrade.reason = data.get("reason", "")
        return regrade


def with_defaults(sent: QueryDict) -> QueryDict:
    """Return a link's values with the defaults of those that it leaves out."""
    whole = sent.copy()
    whole.setdefault("mode", ALSO)
    whole.setdefault("policy", NEVER_LOWER)
    return whole


def _plain(value: Any) -> Any:
    return value.strip().replace(",", ".") if isinstance(value, str) else value


def form_data(regrade: Ruling) -> dict[str, Any]:
    """Return the form data that would produce this regrade."""
    return {
        **regrade.values,
        "policy": NEVER_LOWER if regrade.never_lower else AS_IT_IS,
        "over_hand": regrade.over_hand,
        "tells": regrade.tells,
        "reason": regrade.reason,
    }


class ReasonForm(forms.Form):
    """The reason for undoing a regrade."""

    reason = _reason(_("Students see this beside their marks."))


class ScopeFilter(FilterForm):
    """Search for what a regrade applies to, in one sitting or in all of a desk."""

    sitting = forms.CharField(required=False, max_length=20, widget=forms.HiddenInput)
    every = forms.CharField(required=False, max_length=1, widget=forms.HiddenInput)
    search = forms.CharField(
        label=_("Text, number or type of problem"), required=False, max_length=100
    )

    not_narrowing = ("sitting", "every")

    @property
    def words(self) -> list[str]:
        return self.asked.get("search", "").split()


class RegradeFilter(FilterForm):
    """Filters and order of the list of regrades."""

    state = forms.ChoiceField(
        label=_("State"), required=False, choices=[("", _("all")), *Ruling.State.choices]
    )
    kind = forms.ChoiceField(
        label=_("Kind"), required=False, choices=[("", _("all")), *Kind.choices]
    )
    order = forms.ChoiceField(
        label=_("Order"),
        required=False,
        choices=[
            ("", _("latest first")),
            ("oldest", _("oldest first")),
            ("most", _("most changes first")),
        ],
    )


class LineFilter(FilterForm):
    """Filters and order of a regrade's lines."""

    outcome = forms.ChoiceField(
        label=_("Becomes"),
        required=False,
        choices=[
            ("", _("all")),
            *RulingLine.Outcome.choices,
            ("gained", _("now passes")),
            ("lost", _("no longer passes")),
        ],
    )
    order = forms.ChoiceField(
        label=_("Order"),
        required=False,
        choices=[
            ("", _("by name")),
            ("gain", _("largest gain first")),
            ("loss", _("largest loss first")),
        ],
    )
