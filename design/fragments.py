"""Jinja2 templates, for what a page renders by the dozen: matrices, questions, reviews.

They are in folders named `jinja2`. All other templates are Django's, which take several times as
long. Texts to translate are written `{{ _("…") }}`, so that makemessages finds them.
"""

from functools import cache
from typing import Any

from django.conf import settings
from django.contrib.messages import get_messages
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.template import engines
from django.templatetags.static import static
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.functional import SimpleLazyObject
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import get_language, get_language_bidi
from jinja2 import Environment, StrictUndefined

from design.header import due_count, waiting_count
from design.isolation import bdi
from design.matrix import decimal_sign
from design.matrix_html import render_matrix
from design.moments import format_moment
from design.translation import current_texts, gettext
from design.verdicts import render_verdict

# No URL contains this.
_NUMBER = 900_000_001


class _Environment(Environment):
    """An environment whose templates share one dict: a ChainMap is copied anew for each of them."""

    def make_globals(self, d: Any) -> Any:
        """Return the globals of all templates."""
        return self.globals


def environment(**options: Any) -> Environment:
    """Return the Jinja2 environment. The settings name this function."""
    made = _Environment(
        loader=options["loader"],
        auto_reload=options["auto_reload"],
        autoescape=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
    )
    made.filters["first_upper"] = capfirst
    made.filters["bdi"] = bdi
    made.filters["date"] = date_format
    made.globals |= {
        "_": gettext,
        "bidi": get_language_bidi,
        "decimal_sign": decimal_sign,
        "due_count": due_count,
        "waiting_count": waiting_count,
        "language": get_language,
        "moment": format_moment,
        "SITE_ZONE": settings.TIME_ZONE,
        "same_on_all": lambda name: _render_once(name, get_language()),
        "static": _static,
        "url": lambda name, *numbers: _addresses(name, len(numbers)).format(*numbers),
        "matrix_of": render_matrix,
        "verdict_of": render_verdict,
    }
    return made


# The static files and their names stay the same while a process lives.
_static = cache(static)


@cache
def _addresses(name: str, count: int) -> str:
    """Return a URL with {} for each of its numbers: reversing every URL of a page is slow."""
    numbers = [_NUMBER + place for place in range(count)]
    address = reverse(name, args=numbers)
    for number in numbers:
        address = address.replace(str(number), "{}")
    return address


@cache
def _render_once(name: str, _language: str | None) -> SafeString:
    """Return a rendered part that is the same on all pages."""
    return render_fragment(name)


def render_fragment(name: str, **context: Any) -> SafeString:
    """Return the Jinja2 template of this name, rendered."""
    context["_"] = current_texts()
    return SafeString(engines["jinja2"].env.get_template(name).render(context))


def render_page(
    request: HttpRequest, name: str, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    """Return a page from a Jinja2 template that extends `design/base.html`: for busy pages."""
    around = {
        "request": request,
        "user": request.user,
        "place": request.resolver_match,
        "messages": get_messages(request),
        # Only a form asks for the token: a page without a form is the same for all.
        "csrf_token": SimpleLazyObject(lambda: get_token(request)),
    }
    return HttpResponse(render_fragment(name, **around, **context), status=status)
