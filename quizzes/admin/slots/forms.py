"""The form of one slot: a family at its sizes, or a topic."""

import re

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminIntegerFieldWidget, UnfoldAdminSelectWidget

from quizzes import problems
from quizzes.admin.slots.lists import MAX_SIZE_LENGTH, ListedSelect, truncate
from quizzes.models import Slot
from quizzes.written.queries import is_written

MAX_SIZES = 20
_WHOLE = re.compile("-?[0-9]{1,9}")


class SlotForm(forms.ModelForm):
    """A slot: a family at its sizes or a topic, its points, and its position."""

    position = forms.IntegerField(
        label=gettext_lazy("Position"),
        min_value=1,
        max_value=1000,
        widget=UnfoldAdminIntegerFieldWidget(attrs={"data-position": "", "class": "qs-small"}),
    )
    family = forms.CharField(
        label=gettext_lazy("Problem family"), required=False, widget=ListedSelect
    )
    topic = forms.CharField(
        label=gettext_lazy("Or a topic of concept questions"), required=False, widget=ListedSelect
    )
    # The family whose sizes were on the page.
    sized = forms.CharField(required=False, widget=forms.HiddenInput)

    class Meta:
        model = Slot
        fields = ("points", "family", "topic")

    def __init__(self, *args, lists, place, **kwargs):
        super().__init__(*args, **kwargs)
        self.lists = lists
        self.initial.setdefault("position", self.instance.position or place)
        self.fields["family"].widget.options = lambda: lists.listed_families
        self.fields["topic"].widget.options = lambda: lists.listed_topics
        self.fields["points"].widget = UnfoldAdminIntegerFieldWidget(attrs={"min": 1})
        chosen = str(self["family"].value() or "")
        is_open = chosen == self.instance.family or lists.may_ask(chosen)
        # Nothing is shown of another's problem.
        self.chosen_family = "" if is_written(chosen) and not is_open else chosen
        self.version = self._version(chosen)
        offered = problems.sizes_of(self.chosen_family, self.version)
        self.initial["sized"] = self.chosen_family
        self.typed_sizes = typed = self._typed_sizes(offered)
        for name in (*offered, *(name for name in typed if name not in offered)):
            self.fields[f"size-{name}"] = _size_field(name, offered.get(name, ()), typed.get(name))
            self.initial[f"size-{name}"] = typed.get(name, "")

    def _typed_sizes(self, offered):
        """Return the chosen sizes, as far as the chosen family offers them if it has changed."""
        if not self.is_bound:
            return {name: str(size) for name, size in self.instance.options.items()}
        start = self.add_prefix("size-")
        found = {
            key.removeprefix(start): value.strip()
            for key, value in self.data.items()
            if key.startswith(start)
        }
        found = dict(list(found.items())[:MAX_SIZES])
        if offered and self.data.get(self.add_prefix("sized"), "") != self.chosen_family:
            sizes = {name: set(map(str, values)) for name, values in offered.items()}
            return {name: size for name, size in found.items() if size in sizes.get(name, ())}
        return found

    @property
    def size_fields(self):
        return [self[name] for name in self.fields if name.startswith("size-")]

    @cached_property
    def changed_data(self):
        """Leave out a new slot's position, so that an empty form at any position is no slot."""
        found = [name for name in super().changed_data if name != "sized"]
        return found if self.instance.pk else [name for name in found if name != "position"]

    def clean_family(self):
        key = self.cleaned_data["family"]
        is_kept = key == self.instance.family and problems.is_family(key, self.version)
        if key and not (is_kept or self.lists.may_ask(key)):
            words = _("There’s no longer a family “%(key)s”. Choose one from the list.")
            raise ValidationError(words % {"key": truncate(key)})
        return key

    def _version(self, family):
        """Return the version of a problem in rows that the slot asks: its own, else the newest."""
        if family == self.instance.family:
            return self.instance.family_version
        row = self.lists.written.get(family) if is_written(family) else None
        return row.version if row else None

    def clean_topic(self):
        key = self.cleaned_data["topic"]
        if key and key not in self.lists.topics and key != self.initial.get("topic"):
            words = _("There’s no topic “%(key)s”. Choose one from the list.")
            raise ValidationError(words % {"key": truncate(key)})
        return key

    def clean(self):
        cleaned = super().clean()
        family, topic = cleaned.get("family"), cleaned.get("topic")
        if None not in (family, topic) and bool(family) == bool(topic):
            self.add_error(None, _("A slot needs either a family or a topic. Choose one."))
        if not family:
            if "family" in cleaned:
                self.instance.options, self.instance.family_version = {}, None
            return cleaned
        options = parse_options(
            {name: cleaned.get(f"size-{name}", "") for name in self.typed_sizes}
        )
        try:
            kind = problems.kind_of(family, options, self.version)
        except problems.UnknownKind as unknown:
            if not self.errors:
                self.add_error(None, str(unknown))
        else:
            # Different options of the same kind leave the slot unchanged.
            if kind != _kind_of(self.instance):
                self.instance.options = options
            self.instance.family_version = self.version
        return cleaned

    def validate_constraints(self):
        """Skip the database: `clean` has checked all constraints of one slot."""


def _kind_of(slot):
    try:
        return slot.kind
    except problems.UnknownKind:
        return None


def parse_options(sizes):
    """Return a slot's options from the chosen sizes, without empty ones."""
    return {
        name: int(size) if _WHOLE.fullmatch(size) else size for name, size in sizes.items() if size
    }


def _size_field(name, offered, chosen):
    default = _("%(size)s (default)")
    choices = [
        (str(size), default % {"size": size} if place == 0 else str(size))
        for place, size in enumerate(offered)
    ]
    if not offered:
        choices.append(("", _("none")))
    if chosen and chosen not in dict(choices):
        choices.append((chosen, _("%(value)s (missing)") % {"value": truncate(chosen)}))
    return forms.CharField(
        label=name.replace("_", " "),
        required=False,
        max_length=MAX_SIZE_LENGTH,
        widget=UnfoldAdminSelectWidget(choices=choices, attrs={"class": "qs-small"}),
    )
