"""The slots of a quiz as cards: forms that keep whatever was typed, in whatever order."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from django import forms
from django.core.exceptions import ValidationError
from django.forms.models import inlineformset_factory
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import StackedInline
from unfold.widgets import UnfoldAdminIntegerFieldWidget, UnfoldAdminSelectWidget

from quizzes import problems
from quizzes.admin.exchanging import WrittenTogether
from quizzes.authoring.presenters.slots import Facts, Placed, named, shown_slots, topic_in_words
from quizzes.authoring.services import publishing
from quizzes.authoring.services.slots import write_slots
from quizzes.items.queries import topics_by_lesson
from quizzes.models import SLOTS, Quiz, Sitting, Slot

PREFIX = "slots"
# A draft may hold some to choose from; of more than could be meant no more are shown.
MOST, MOST_SHOWN = 2 * SLOTS, 200
LONGEST_SIZE = 20
MOST_SIZES = 20
_WHOLE = re.compile("-?[0-9]{1,9}")
_NAME = re.compile(rf"{PREFIX}-([0-9]{{1,3}})-(.+)")


class ListedSelect(UnfoldAdminSelectWidget):
    """A select of which the many options are written once, for all forms.

    What was chosen stays, though it is not among them.
    """

    template_name = "quizzes/admin/listed_select.html"
    options: Callable[[], SafeString]

    def get_context(self, name, value, attrs):
        value = "" if value is None else str(value)
        mark = format_html('value="{}"', value)
        listed = self.options()
        if mark in listed:
            listed = mark_safe(listed.replace(mark, f"{mark} selected", 1))
        else:
            listed = format_html("{}{}", listed, _missing(value))
        return super().get_context(name, value, attrs) | {"listed": listed}


def _missing(value):
    return format_html(
        '<option value="{}" selected>{}</option>',
        value,
        _("%(value)s (missing)") % {"value": _cut(value)},
    )


def _cut(text):
    return text if len(text) <= LONGEST_SIZE else f"{text[:LONGEST_SIZE]}…"


def _options(pairs):
    return format_html_join("", '<option value="{}">{}</option>', pairs)


class Lists:
    """What slots can ask for, read once for all of their forms."""

    @cached_property
    def _by_lesson(self):
        return topics_by_lesson()

    @cached_property
    def topics(self):
        """Their titles by their keys."""
        return {key: title for topics in self._by_lesson.values() for key, title in topics}

    @cached_property
    def fit(self):
        return publishing.fit_questions()

    @cached_property
    def listed_families(self):
        return _options([("", _("— no family —")), *problems.family_choices()])

    @cached_property
    def listed_topics(self):
        groups = [
            format_html(
                '<optgroup label="{}">{}</optgroup>',
                lesson or _("no lesson"),
                _options((key, self._told(key, title)) for key, title in topics),
            )
            for lesson, topics in self._by_lesson.items()
        ]
        return mark_safe("".join((_options([("", _("— no topic —"))]), *groups)))

    def _told(self, key, title):
        return topic_in_words(title, *self.fit.get(key, (0, 0)))


class SlotForm(forms.ModelForm):
    """A slot: a family at its sizes or a topic, its points, and where it stands."""

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
        label=gettext_lazy("Or concept question topic"), required=False, widget=ListedSelect
    )
    # The family of which the sizes were on the page.
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
        self.chosen_family = str(self["family"].value() or "")
        offered = problems.sizes_of(self.chosen_family)
        self.initial["sized"] = self.chosen_family
        self.typed_sizes = typed = self._typed_sizes(offered)
        for name in (*offered, *(name for name in typed if name not in offered)):
            self.fields[f"size-{name}"] = _size_field(name, offered.get(name, ()), typed.get(name))
            self.initial[f"size-{name}"] = typed.get(name, "")

    def _typed_sizes(self, offered):
        """What is chosen; where that was for another family, as much as this one offers too."""
        if not self.is_bound:
            return {name: str(size) for name, size in self.instance.options.items()}
        start = self.add_prefix("size-")
        found = {
            key.removeprefix(start): value.strip()
            for key, value in self.data.items()
            if key.startswith(start)
        }
        found = dict(list(found.items())[:MOST_SIZES])
        if offered and self.data.get(self.add_prefix("sized"), "") != self.chosen_family:
            sizes = {name: set(map(str, values)) for name, values in offered.items()}
            return {name: size for name, size in found.items() if size in sizes.get(name, ())}
        return found

    @property
    def size_fields(self):
        return [self[name] for name in self.fields if name.startswith("size-")]

    @cached_property
    def changed_data(self):
        """A place where nothing was chosen is no slot, wherever it stands."""
        found = [name for name in super().changed_data if name != "sized"]
        return found if self.instance.pk else [name for name in found if name != "position"]

    def clean_family(self):
        key = self.cleaned_data["family"]
        if key and not problems.is_family(key):
            words = _("There is no longer a family “%(key)s”. Choose one from the list.")
            raise ValidationError(words % {"key": _cut(key)})
        return key

    def clean_topic(self):
        key = self.cleaned_data["topic"]
        if key and key not in self.lists.topics and key != self.initial.get("topic"):
            words = _("There is no topic “%(key)s”. Choose one from the list.")
            raise ValidationError(words % {"key": _cut(key)})
        return key

    def clean(self):
        cleaned = super().clean()
        family, topic = cleaned.get("family"), cleaned.get("topic")
        if None not in (family, topic) and bool(family) == bool(topic):
            self.add_error(None, _("A slot needs either a family or a topic. Choose one."))
        if not family:
            self.instance.options = {} if "family" in cleaned else self.instance.options
            return cleaned
        options = options_from({name: cleaned.get(f"size-{name}", "") for name in self.typed_sizes})
        try:
            kind = problems.kind_of(family, options)
        except problems.UnknownKind as unknown:
            if not self.errors:
                self.add_error(None, str(unknown))
        else:
            # Said otherwise, they are what they were: a slot that is not changed stays as it is.
            if kind != _kind_of(self.instance):
                self.instance.options = options
        return cleaned

    def validate_constraints(self):
        """All that they say of one slot was said already, without asking the database."""


def _kind_of(slot):
    try:
        return problems.kind_of(slot.family, slot.options)
    except problems.UnknownKind:
        return None


def options_from(sizes):
    """A slot's options out of what was chosen; what was left empty is left out."""
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
        choices.append((chosen, _("%(value)s (missing)") % {"value": _cut(chosen)}))
    return forms.CharField(
        label=name.replace("_", " "),
        required=False,
        max_length=LONGEST_SIZE,
        widget=UnfoldAdminSelectWidget(choices=choices, attrs={"class": "qs-small"}),
    )


@dataclass(frozen=True)
class Card:
    """The form of one slot, with what its place on the page needs."""

    form: SlotForm
    anchor: str
    index: int
    number: SafeString
    title: str
    about: str
    facts: Facts | None
    example: str
    removed: bool
    arrived: bool
    links: list[tuple[str, str]]


class SlotFormSet(WrittenTogether):
    """The slots of one quiz, in the order of their positions.

    How many there are is counted in what was sent. Posted with `arrange`, nothing is saved: the
    page comes again, with one more or in another order.
    """

    checking = False
    replaced = 0
    links: tuple[tuple[str, str], ...] = ()
    default_error_messages = {
        "too_many_forms": gettext_lazy("A draft can have at most %(num)d slots. Remove some.")
    }

    def __init__(self, data=None, *args, **kwargs):
        self.arranged, self.sent = False, 0
        if data is not None:
            data, self.arranged, self.sent = arranged(data)
        super().__init__(data, *args, **kwargs)

    @cached_property
    def _lists(self):
        return Lists()

    def get_form_kwargs(self, index):
        return {"lists": self._lists, "place": 1 if index is None else index + 1}

    def add_fields(self, form, index):
        super().add_fields(form, index)
        form.fields["id"].error_messages["invalid_choice"] = _(
            "Someone changed or removed this slot after you opened the page. To keep your"
            " version, duplicate it and remove this one."
        )
        form.fields["DELETE"].label = _("Remove")
        form.fields["DELETE"].widget.attrs["data-remove"] = ""

    def is_valid(self):
        return super().is_valid() and not self.arranged

    @property
    def kept(self):
        """The forms of the slots that there are to be, in their order."""
        return [
            form
            for form in self.in_order
            if (form.has_changed() or form.instance.pk) and not self._is_removed(form)
        ]

    @property
    def in_order(self):
        return sorted(self.forms, key=_place)

    def _is_removed(self, form):
        return form.is_bound and self._should_delete_form(form)

    def clean(self):
        super().clean()
        taken = Counter(form.cleaned_data.get("position") for form in self.kept)
        slots = Counter(form.instance.pk for form in self.kept if form.instance.pk)
        for form in self.kept:
            if slots[form.instance.pk] > 1:
                form.add_error(None, _("This slot appears twice. Remove one of them."))
            position = form.cleaned_data.get("position")
            if position and taken[position] > 1:
                words = _("Another slot also has position %(position)s. Each needs its own.")
                form.add_error("position", words % {"position": position})
        if any(self.errors) or not self.data.get("published") or self.checking or self.arranged:
            return
        if self._shown(at_once=True).troubles:
            raise ValidationError(_("It cannot be published yet. Nothing was saved."))

    def wanted(self):
        return [form.instance for form in self.kept]

    def write(self):
        self.replaced = write_slots(quiz=self.instance, wanted=self.wanted())

    def _shown(self, *, at_once):
        quiz = self.instance
        saved = quiz.own_sitting if quiz.pk else Sitting()
        sitting = getattr(quiz, "sitting_as_typed", saved)
        anew = not getattr(quiz, "was_published", quiz.published)
        placed = [
            Placed(form.prefix, form.instance, form.is_bound and bool(form.errors))
            for form in self.kept
        ]
        return shown_slots(quiz, sitting, placed, anew=anew, at_once=at_once)

    @cached_property
    def shown(self):
        """What is said of the slots as they stand on the page."""
        return self._shown(at_once=not self.checking)

    @cached_property
    def cards(self):
        number, cards = 0, []
        for form in self.in_order:
            removed = self._is_removed(form)
            number += not removed
            index = int(form.prefix.rpartition("-")[2])
            chosen = form.chosen_family, str(form["topic"].value() or "")
            title, about = named(*chosen, self._lists.topics, self._lists.fit)
            cards.append(
                Card(
                    form=form,
                    anchor=form.prefix,
                    index=index,
                    number=format_html("<span data-number>{}</span>", "–" if removed else number),
                    title=title,
                    about=about,
                    facts=self.shown.facts.get(form.prefix),
                    example=_example(form),
                    removed=removed,
                    arrived=self.is_bound and index >= self.sent,
                    links=self._links(form.instance),
                )
            )
        return cards

    def _links(self, slot):
        if not slot.pk:
            return []
        return [(label, reverse(address, args=[slot.pk])) for label, address in self.links]


def _place(form):
    typed = str(form["position"].value() or "")
    return int(typed) if re.fullmatch("[0-9]{1,4}", typed) else MOST_SHOWN


def _example(form):
    if not problems.is_family(form.chosen_family):
        return ""
    sizes = {
        field.name.removeprefix("size-"): size
        for field in form.size_fields
        if (size := field.value())
    }
    return urlencode({"family": form.chosen_family, **sizes})


# What a plain form can do without saving


def arranged(data):
    """What was sent with its forms counted, and rearranged if that was asked for.

    Also whether it was, and how many forms were sent.
    """
    data = data.copy()
    found = [match for key in data if (match := _NAME.fullmatch(key))]
    count = min(max((int(match[1]) for match in found), default=-1) + 1, MOST_SHOWN)
    existing = 0
    while existing < count and data.get(f"{PREFIX}-{existing}-id"):
        existing += 1
    deed, _dash, number = data.get("arrange", "").partition("-")
    order = sorted(range(count), key=lambda index: (_sent_place(data, index), index))
    total = count
    if deed == "add" and count < MOST_SHOWN:
        data.setdefault(f"{PREFIX}-{count}-points", "1")
        order.append(count)
        total += 1
    elif number.isascii() and number.isdecimal() and len(number) < 4 and int(number) in order:
        at = order.index(int(number))
        if deed == "duplicate" and count < MOST_SHOWN:
            _copy(data, found, order[at], count)
            order.insert(at + 1, count)
            total += 1
        elif deed in ("up", "down"):
            to = max(0, min(at + (1 if deed == "down" else -1), count - 1))
            order.insert(to, order.pop(at))
    if deed and deed != "sizes":
        for position, index in enumerate(order, start=1):
            data[f"{PREFIX}-{index}-position"] = str(position)
    data[f"{PREFIX}-TOTAL_FORMS"], data[f"{PREFIX}-INITIAL_FORMS"] = str(total), str(existing)
    return data, bool(deed), count


def _sent_place(data, index):
    typed = data.get(f"{PREFIX}-{index}-position", "")
    return int(typed) if re.fullmatch("[0-9]{1,4}", typed) else MOST_SHOWN


def _copy(data, found, source, target):
    """A form like another, of a slot that is not saved yet."""
    for match in found:
        if int(match[1]) == source and match[2] not in ("id", "DELETE"):
            data[f"{PREFIX}-{target}-{match[2]}"] = data[match[0]]


class SlotInline(StackedInline):
    """Slots are part of their quiz: who may change one may change the other."""

    model = Slot
    form = SlotForm
    template = "quizzes/admin/slots.html"

    def get_queryset(self, request):
        return super().get_queryset(request).order_by("position")

    def get_formset(self, request, obj=None, **kwargs):
        there = obj.slots.count() if obj else 0
        may_change = self.has_change_permission(request, obj)
        made = inlineformset_factory(
            Quiz,
            Slot,
            form=SlotForm,
            formset=SlotFormSet,
            extra=max(0, SLOTS - there) if may_change else 0,
            max_num=MOST,
            absolute_max=MOST_SHOWN,
            validate_max=True,
        )
        made.links = self.admin_site.get_model_admin(Quiz).slot_links
        return made

    def get_fields(self, request, obj=None):
        return SlotForm._meta.fields

    def has_view_permission(self, request, obj=None):
        return request.user.has_perm("quizzes.view_quiz") or self.has_change_permission(request)

    def has_add_permission(self, request, obj=None):
        return self.has_change_permission(request, obj)

    def has_change_permission(self, request, obj=None):
        return request.user.has_perm(f"quizzes.{'change' if obj else 'add'}_quiz")

    def has_delete_permission(self, request, obj=None):
        return self.has_change_permission(request, obj)
