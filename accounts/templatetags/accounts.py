"""What the account pages need to know: ``{% load accounts %}``."""

from django import template
from django.conf import settings

from accounts.demo import LOGINS, PASSWORD

register = template.Library()


@register.simple_tag
def demo_logins():
    """The demo's accounts with their password; nothing outside a demo."""
    return {"password": PASSWORD, "all": LOGINS} if settings.SOFTMARK_DEMO else None
