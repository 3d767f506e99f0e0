"""Template tags of the account pages: ``{% load accounts %}``."""

from django import template
from django.conf import settings

from accounts.demo import LOGINS, PASSWORD

register = template.Library()


@register.simple_tag
def demo_logins():
    """Return the demo's accounts and their password; None outside a demo."""
    return {"password": PASSWORD, "all": LOGINS} if settings.SOFTMARK_DEMO else None
