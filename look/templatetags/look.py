"""Template tags of the design system: ``{% load look %}``."""

from django import template

from look.verdicts import SIGNS

register = template.Library()


@register.inclusion_tag("look/_matrix.html")
def matrix(m):
    """Render a `look.matrix.Matrix`."""
    return {"matrix": m}


@register.inclusion_tag("look/_verdict.html")
def verdict(value, word=""):
    """A verdict's sign, word and tint.

    `value` is one of `look.verdicts.SIGNS`; of ``mistake:key`` the key is left out. `word`
    says it in other words, "partly right" say.
    """
    kind, _, _ = str(value).partition(":")
    return {"kind": kind, "sign": SIGNS[kind], "word": word or kind}


@register.inclusion_tag("look/_field.html")
def field(bound_field):
    """A form's field with its label, help and errors, tied together for screen readers."""
    # A placeholder that repeats the label only looks like something already typed.
    return {"field": bound_field, "widget": bound_field.as_widget(attrs={"placeholder": False})}


@register.inclusion_tag("look/_error_summary.html")
def error_summary(form):
    """What to put right, with links to the fields."""
    return {"form": form}
