"""Template tags of the design system: ``{% load look %}``."""

from django import template

register = template.Library()


@register.inclusion_tag("look/_matrix.html")
def matrix(m):
    """Render a `look.matrix.Matrix`."""
    return {"matrix": m}
