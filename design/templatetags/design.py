"""Template tags of the design system: ``{% load design %}``."""

from django import template
from django.conf import settings
from django.shortcuts import resolve_url

from design.fragments import render_fragment
from design.isolation import bdi
from design.matrix import decimal_sign
from design.matrix_html import render_matrix
from design.moments import format_moment, zone_to_name
from design.verdicts import render_verdict

register = template.Library()

register.simple_tag(decimal_sign)


register.simple_tag(render_fragment, name="printed")

register.simple_tag(format_moment, name="moment")

register.simple_tag(zone_to_name)

register.filter(bdi)


@register.simple_tag
def matrix(m):
    """Render a `design.matrix.Matrix`."""
    return render_matrix(m)


register.simple_tag(render_verdict, name="verdict")


@register.simple_tag
def front_page():
    """Return the URL of the front page, for visitors and users alike."""
    return resolve_url(settings.LOGOUT_REDIRECT_URL)


@register.inclusion_tag("design/_field.html")
def field(bound_field):
    """Render a form's field with its label, help and errors, tied together for screen readers."""
    # A placeholder that repeats the label only looks like something already typed.
    return {"field": bound_field, "widget": bound_field.as_widget(attrs={"placeholder": False})}


@register.inclusion_tag("design/_error_summary.html")
def error_summary(form):
    """Render a form's errors, with links to the fields."""
    return {"form": form, "count": sum(map(len, form.errors.values()))}
