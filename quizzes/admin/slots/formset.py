"""The formset of a quiz's slots, shown as cards that keep all input in any order."""

import re
from collections import Counter
from typing import Any

from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from quizzes import problems
from quizzes.admin.exchanging import ServiceFormSet
from quizzes.admin.slots.lists import SlotChoices
from quizzes.authoring.presenters.slots import SlotPlace, describe_slot, slots_context
from quizzes.authoring.services.slots import write_slots
from quizzes.models import Sitting

PREFIX = "slots"
# The most slots on a page: more than any quiz needs.
MAX_SHOWN = 200
_NAME = re.compile(rf"{PREFIX}-([0-9]{{1,3}})-(.+)")


class SlotFormSet(ServiceFormSet):
    """The slots of one quiz, in the order of their positions.

    The forms are counted in the sent data. Posted with `arrange`, nothing is saved: the page comes
    again, with one more slot or in another order.
    """

    checking = False
    replaced = 0
    links: tuple[tuple[str, str], ...] = ()
    user: Any = None
    default_error_messages = {
        "too_many_forms": gettext_lazy("A draft can have at most %(num)d slots. Remove some.")
    }

    def __init__(self, data=None, *args, **kwargs):
        self.arranged, self.sent = False, 0
        if data is not None:
            data, self.arranged, self.sent = rearrange(data)
        super().__init__(data, *args, **kwargs)

    @cached_property
    def _lists(self):
        return SlotChoices(self.instance, self.user, self.get_queryset())

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
        """The forms of the slots to be saved, in their order."""
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
        if self._shown(at_once=True)["troubles"]:
            raise ValidationError(
                _(
                    "This quiz can’t be published yet, so nothing was saved. Fix what "
                    "the publishing check lists, or save it as a draft."
                )
            )

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
            SlotPlace(form.prefix, form.instance, form.is_bound and bool(form.errors))
            for form in self.kept
        ]
        return slots_context(quiz, sitting, placed, anew=anew, at_once=at_once)

    @cached_property
    def shown(self):
        """The facts and problems of the slots as the page has them."""
        return self._shown(at_once=not self.checking)

    @cached_property
    def cards(self):
        """The forms, each with the context of its card."""
        number, cards = 0, []
        for form in self.in_order:
            removed = self._is_removed(form)
            number += not removed
            index = int(form.prefix.rpartition("-")[2])
            chosen = form.chosen_family, str(form["topic"].value() or "")
            title, about = describe_slot(
                *chosen, self._lists.topics, self._lists.fit, version=form.version
            )
            cards.append(
                {
                    "form": form,
                    "anchor": form.prefix,
                    "index": index,
                    "number": format_html(
                        "<span data-number>{}</span>", "–" if removed else number
                    ),
                    "title": title,
                    "about": about,
                    "facts": self.shown["facts"].get(form.prefix),
                    "example": self._example(form),
                    "removed": removed,
                    "arrived": self.is_bound and index >= self.sent,
                    "links": self._links(form.instance),
                }
            )
        return cards

    def _example(self, form):
        """Return the query of an example, for those who may read the problem."""
        family, version = form.chosen_family, form.version
        if not (problems.is_family(family, version) and self._lists.may_read(family)):
            return ""
        sizes = {
            field.name.removeprefix("size-"): size
            for field in form.size_fields
            if (size := field.value())
        }
        return urlencode({"family": family, **({"version": version} if version else {}), **sizes})

    def _links(self, slot):
        if not (slot.pk and self._lists.may_read(slot.family)):
            return []
        return [(label, reverse(address, args=[slot.pk])) for label, address in self.links]


def _place(form):
    return _place_of(str(form["position"].value() or ""))


def _place_of(typed):
    return int(typed) if re.fullmatch("[0-9]{1,4}", typed) else MAX_SHOWN


# Rearranging with a plain form, without saving


def rearrange(data):
    """Return the sent data with its forms counted, and rearranged if asked for.

    Also return whether it was rearranged, and how many forms were sent.
    """
    data = data.copy()
    found = [match for key in data if (match := _NAME.fullmatch(key))]
    count = min(max((int(match[1]) for match in found), default=-1) + 1, MAX_SHOWN)
    existing = 0
    while existing < count and data.get(f"{PREFIX}-{existing}-id"):
        existing += 1
    deed, _dash, number = data.get("arrange", "").partition("-")
    places = [_place_of(data.get(f"{PREFIX}-{index}-position", "")) for index in range(count)]
    order = sorted(range(count), key=places.__getitem__)
    total = count
    if deed == "add" and count < MAX_SHOWN:
        data.setdefault(f"{PREFIX}-{count}-points", "1")
        order.append(count)
        total += 1
    elif number.isascii() and number.isdecimal() and len(number) < 4 and int(number) in order:
        at = order.index(int(number))
        if deed == "duplicate" and count < MAX_SHOWN:
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


def _copy(data, found, source, target):
    """Copy a form's data as a new slot."""
    for match in found:
        if int(match[1]) == source and match[2] not in ("id", "DELETE"):
            data[f"{PREFIX}-{target}-{match[2]}"] = data[match[0]]
