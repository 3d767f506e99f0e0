"""Protection against lost updates: forms that do not undo what was saved while they were open.

A page carries a signed digest of the values its form was opened on, by field, and by row for its
formsets. If other values are stored when it is submitted, what was typed is applied on top of
those, as a rebase does with commits: fields changed only by others take their values, fields
changed only here keep what was typed, and where both changed the other value is reported. Nothing
is saved until the form is sent again.
"""

import hashlib
import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django import forms
from django.contrib.admin.utils import display_for_value
from django.core import signing
from django.forms.models import BaseInlineFormSet
from django.http import QueryDict
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.text import Truncator
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

OPENED = "opened"  # the field that carries the digest
SALT = "foundation.lost_updates"
TAKEN = gettext_lazy("Not changed here, so this page now shows what was saved:")
BOTH = gettext_lazy("Changed here too. This page shows what you typed. What was saved is:")
MAX_ROWS = 1000
MAX_SHOWN_LENGTH = 300

type Values = dict[str, list[str]]


@dataclass
class Opened:
    """Digests of the values a form was opened on, by field, and by row of each formset."""

    at: datetime
    fields: Mapping[str, str]
    rows: Mapping[str, Mapping[str, str]]

    @classmethod
    def read(cls, data: QueryDict) -> "Opened | None":
        """Return the digests in a submitted form, or None if it carries none."""
        try:
            at, fields, rows = signing.loads(data.get(OPENED, ""), salt=SALT)
        except signing.BadSignature:
            return None
        return cls(datetime.fromisoformat(at), fields, rows)


@dataclass
class Rebased:
    """A submitted form on top of what was saved meanwhile, with a message for each difference."""

    data: QueryDict
    since: datetime
    opened: str
    who: str = ""
    taken: list[str] = field(default_factory=list)
    both: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.taken or self.both)


class GuardedForm(forms.Form):
    """A form that carries a digest of the values it was opened on."""

    opened = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        if not self.is_bound:
            self.initial[OPENED] = opened_on(self)

    def refuse(self, rebased: Rebased, last: tuple[object, datetime] | None, by: object) -> None:
        """Add an error on who saved what meanwhile, and what became of the values here.

        `last` and `by` are as for `describe_last_save`.
        """
        words = [describe_last_save(last, since=rebased.since, by=by)]
        if rebased.taken:
            words.append(
                _("%(what)s %(list)s.") % {"what": TAKEN, "list": "; ".join(rebased.taken)}
            )
        if rebased.both:
            words.append(_("%(what)s %(list)s.") % {"what": BOTH, "list": "; ".join(rebased.both)})
        self.add_error(None, " ".join([*words, _("Check this page, then save it as it is.")]))


def opened_on(form: forms.BaseForm, formsets: Iterable[BaseInlineFormSet] = ()) -> str:
    """Return the signed digest of the values in these unbound forms."""
    rows = {each.prefix: {key: row.digest for key, row in _stored(each)} for each in formsets}
    fields = {name: digest_of(values) for name, values in _values(form).items()}
    shown = [timezone.now().isoformat(), fields, rows]
    return signing.dumps(shown, salt=SALT, compress=True)


def rebase(
    data: QueryDict,
    opened: Opened,
    form: forms.BaseForm,
    formsets: Iterable[BaseInlineFormSet] = (),
    uploaded: Container[str] = (),
) -> Rebased:
    """Return the submitted values on top of the stored ones, with the differences.

    Args:
        data: the submitted values.
        opened: the digests of the values that the form was opened on.
        form: the same form, unbound, with the stored values.
        formsets: likewise.
        uploaded: names of file fields that were sent.
    """
    formsets = list(formsets)
    rebased = Rebased(data.copy(), opened.at, opened_on(form, formsets))
    rebased.data[OPENED] = rebased.opened
    for name, stored in _values(form).items():
        was, now = opened.fields.get(name, digest_of(stored)), digest_of(stored)
        sent = digest_of(_sent(data, form[name]))
        if _is_file(form[name]):  # what is stored is not sent again
            sent = "uploaded" if name in uploaded else was
        if was == now or sent == now:
            continue
        if sent == was:
            rebased.taken.append(_describe_field(form[name]))
            if _is_file(form[name]):
                continue
            for key in _names(form[name]):
                rebased.data.pop(key, None)
            for key, values in stored.items():
                rebased.data.setlist(key, values)
        else:
            rebased.both.append(_describe_field(form[name]))
    for formset in formsets:
        _rebase_rows(rebased, opened.rows.get(formset.prefix, {}), formset)
    return rebased


def rebase_form(stored: forms.BaseForm, data: QueryDict) -> Rebased | None:
    """Return the submitted values on top of an unbound form's, or None if the two do not differ."""
    opened = Opened.read(data)
    return (opened and rebase(data, opened, stored)) or None


def describe_last_save(last: tuple[object, datetime] | None, *, since: datetime, by: object) -> str:
    """Return a sentence on who saved something last, and that this form is not saved.

    Args:
        last: who saved it and when; None if that is not known.
        since: when the form was opened.
        by: who is saving now.
    """
    if last is None or last[1] <= since:
        return _("This was changed after you opened it. Nothing has been saved yet.")
    user, when = last
    at = date_format(localtime(when), "DATETIME_FORMAT")
    if user == by:
        words = _("You saved this at %(at)s from another page. Nothing has been saved yet.")
    else:
        words = _("%(user)s saved this at %(at)s, after you opened it. Nothing has been saved yet.")
    return words % {"user": user or _("Someone"), "at": at}


# Values, as a browser sends them


def digest_of(values: Values) -> str:
    """Return a short text that is equal for equal values. An empty value counts as absent."""
    filled = {
        key: sorted(each.replace("\r\n", "\n").strip() for each in values[key])
        for key in sorted(values)
        if any(values[key])
    }
    return hashlib.sha256(json.dumps(filled).encode()).hexdigest()[:12]


def _values(form: forms.BaseForm, leave: Sequence[str] = ()) -> dict[str, Values]:
    """Return, by field, what a browser would send of an unbound form."""
    fields = form.fields.items()
    return {
        name: _rendered(form[name])
        for name, field in fields
        if not field.disabled and name not in (*leave, OPENED)
    }


def _rendered(bound: forms.BoundField) -> Values:
    widget, value = _widget(bound), bound.value()
    if isinstance(widget, forms.MultiWidget):
        parts = value if isinstance(value, list) else widget.decompress(value)
        names = _names(bound)
        return {
            name: [_text(part.format_value(each))]
            for name, part, each in zip(names, widget.widgets, parts, strict=False)
        }
    if isinstance(widget, forms.CheckboxInput):
        return {bound.html_name: ["on"]} if widget.check_test(value) else {}
    if isinstance(widget, forms.FileInput):
        return {bound.html_name: [_text(value)]}
    if isinstance(widget, forms.SelectMultiple | forms.CheckboxSelectMultiple):
        return {bound.html_name: [str(each) for each in widget.format_value(value)]}
    shown = widget.format_value(value)
    return {bound.html_name: [_text(each) for each in (shown if _is_many(shown) else [shown])]}


def _sent(data: QueryDict, bound: forms.BoundField) -> Values:
    sent = {name: data.getlist(name) for name in _names(bound) if name in data}
    if isinstance(_widget(bound), forms.CheckboxInput):
        return {name: ["on"] for name in sent}
    return sent


def _names(bound: forms.BoundField) -> list[str]:
    widget = _widget(bound)
    if isinstance(widget, forms.MultiWidget):
        return [bound.html_name + suffix for suffix in widget.widgets_names]
    return [bound.html_name]


def _widget(bound: forms.BoundField) -> Any:
    """Return the widget itself, without the wrapper with links that the admin adds."""
    return getattr(bound.field.widget, "widget", bound.field.widget)


def _is_file(bound: forms.BoundField) -> bool:
    return isinstance(_widget(bound), forms.FileInput)


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _is_many(value: object) -> bool:
    return isinstance(value, list | tuple)


# Rows


@dataclass
class _Row:
    form: forms.ModelForm
    values: Values  # by names within the row
    digest: str


def _stored(formset: BaseInlineFormSet) -> Iterator[tuple[str, _Row]]:
    """Yield the stored rows of an unbound formset, each with its key."""
    leave = _ignored_fields(formset)
    for form in formset.initial_forms:
        values: Values = {}
        for each in _values(form, leave).values():
            values |= {name.removeprefix(f"{form.prefix}-"): sent for name, sent in each.items()}
        yield _key(form.instance), _Row(form, values, digest_of(values))


def _key(row: Any) -> str:
    """Return a key that identifies a row across versions of the object it belongs to."""
    return str(getattr(row, "key", "") or row.pk)


def _ignored_fields(formset: BaseInlineFormSet) -> tuple[str, ...]:
    return (formset.model._meta.pk.name, formset.fk.name, "DELETE")


def _rebase_rows(rebased: Rebased, opened: Mapping[str, str], formset: BaseInlineFormSet) -> None:
    stored = dict(_stored(formset))
    keys = {str(row.form.instance.pk): key for key, row in stored.items()}
    pk = formset.model._meta.pk.name
    there: list[Values] = []
    new: list[Values] = []
    for sent in _sent_rows(rebased.data, formset.prefix):
        typed = {
            name: values for name, values in sent.items() if name not in _ignored_fields(formset)
        }
        removed = "DELETE" in sent
        was, key = "", keys.get("".join(sent.get(pk, [])), "")
        if not any(sent.get(pk, [])):
            new.append(sent)
        elif key:
            row, was = stored[key], opened.get(key, stored[key].digest)
            mine = digest_of(typed)
            if was == row.digest or (mine == row.digest and not removed):
                there.append(sent)
            elif mine == was and not removed:
                rebased.taken.append(_describe_row(row))
                there.append({pk: sent[pk], **row.values})
            else:
                rebased.both.append(_describe_row(row, typed))
                there.append(sent)
        elif digest_of(typed) not in opened.values():
            rebased.both.append(
                _(
                    "Someone removed a part that you changed. If you save this page, it’s added"
                    " again."
                )
            )
            new.append(typed)
        else:
            rebased.taken.append(_("One part was removed."))
    shown = {keys.get("".join(sent.get(pk, []))) for sent in there}
    for key, row in stored.items():
        if key not in shown and key not in opened:
            rebased.taken.append(_describe_row(row))
            there.append({pk: [str(row.form.instance.pk)], **row.values})
    _write_rows(rebased.data, formset.prefix, there, new)


def _sent_rows(data: QueryDict, prefix: str) -> list[Values]:
    rows: dict[int, Values] = {}
    for name in data:
        if found := re.fullmatch(rf"{re.escape(prefix)}-(\d{{1,4}})-(.+)", name):
            rows.setdefault(int(found[1]), {})[found[2]] = data.getlist(name)
    return [rows[number] for number in sorted(rows)][:MAX_ROWS]


def _write_rows(data: QueryDict, prefix: str, there: list[Values], new: list[Values]) -> None:
    for name in [name for name in data if re.fullmatch(rf"{re.escape(prefix)}-\d+-.+", name)]:
        del data[name]
    for number, row in enumerate([*there, *new]):
        for name, values in row.items():
            data.setlist(f"{prefix}-{number}-{name}", values)
    data[f"{prefix}-INITIAL_FORMS"] = str(len(there))
    data[f"{prefix}-TOTAL_FORMS"] = str(len(there) + len(new))


# Words


def _describe_field(bound: forms.BoundField) -> str:
    return _("%(name)s: %(value)s") % {"name": bound.label, "value": _shown(bound)}


def _describe_row(row: _Row, typed: Values | None = None) -> str:
    """Return a row's name, with the stored values that differ from what was typed."""
    if typed is None:
        return str(row.form.instance)
    differing = [
        _describe_field(bound)
        for bound in row.form.visible_fields()
        if any(
            row.values.get(key, []) != typed.get(key, [])
            for name in _names(bound)
            for key in [name.removeprefix(f"{row.form.prefix}-")]
        )
    ]
    words = _("%(row)s (%(differences)s)")
    values = {"row": row.form.instance, "differences": "; ".join(differing)}
    return words % values if differing else str(row.form.instance)


def _shown(bound: forms.BoundField) -> str:
    value = bound.value()
    if isinstance(bound.field, forms.ModelChoiceField):
        chosen = value if _is_many(value) else [value]
        rows = bound.field.queryset.filter(pk__in=[each for each in chosen if each])
        value = ", ".join(map(str, rows))
    elif choices := getattr(bound.field, "choices", None):
        value = dict(choices).get(value, value)
    shown = str(display_for_value(value, "–", boolean=False))
    if isinstance(value, bool):
        shown = _("yes") if value else _("no")
    return Truncator(shown or "–").chars(MAX_SHOWN_LENGTH)
