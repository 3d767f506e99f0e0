"""Template tags of the design system: ``{% load design %}``."""

from zoneinfo import ZoneInfo

from django import template
from django.conf import settings
from django.shortcuts import resolve_url
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import mark_safe
from django.utils.timezone import localtime

from design import matrix as matrices
from design.fragments import printed
from design.isolation import bdi
from design.matrix_html import matrix_html

register = template.Library()

register.simple_tag(matrices.decimal_sign)


register.simple_tag(printed)

register.filter(bdi)


@register.simple_tag
def matrix(m):
    """Render a `design.matrix.Matrix`."""
    return matrix_html(m)


@register.simple_tag
def verdict(value, word=""):
    """A verdict's sign, word and tint.

    `value` is one of `design.verdicts.SIGNS`; of ``mistake:key`` the key is left out. `word`
    says it in other words, "partly right" say.
    """
    return printed("design/verdict.html", value=str(value), word=word)


@register.simple_tag
def moment(when, time_zone=""):
    """A date and time in the zone that the reader has chosen, which it names.

    Who has chosen none reads the site's, until a script shows their machine's. In a time zone of
    its own, that of a class say, it is the same for everybody.
    """
    here = localtime(when, ZoneInfo(time_zone) if time_zone else None)
    zone = here.tzname()
    # Some zones have figures for a name.
    zone = zone if zone[:1].isalpha() else f"UTC{zone}"
    shown = date_format(here, "j M Y, H:i")
    kept = mark_safe(" data-kept") if time_zone else ""
    return format_html('<time datetime="{}"{}>{} {}</time>', when.isoformat(), kept, shown, zone)


@register.simple_tag
def front_page():
    """Return the address of the page that the settings name for whoever is logged in or not."""
    return resolve_url(settings.LOGOUT_REDIRECT_URL)


@register.inclusion_tag("design/_field.html")
def field(bound_field):
    """A form's field with its label, help and errors, tied together for screen readers."""
    # A placeholder that repeats the label only looks like something already typed.
    return {"field": bound_field, "widget": bound_field.as_widget(attrs={"placeholder": False})}


@register.inclusion_tag("design/_error_summary.html")
def error_summary(form):
    """What to put right, with links to the fields."""
    return {"form": form, "count": sum(map(len, form.errors.values()))}
