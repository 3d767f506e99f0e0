"""Pages on which people create, list and revoke tokens, and the API's reference page."""

from typing import Any

from allauth.account.decorators import reauthentication_required
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables

from api import queries
from api.forms import TokenForm
from api.reference import operations_by_tag
from api.services import TokenRefused, create_token, revoke_token
from api.v1 import api
from foundation.methods import allow_methods
from foundation.rate_limits import is_within, too_many_requests
from foundation.refusals import add_refusals_to


@never_cache
@allow_methods("GET")
@login_required
def tokens(request: HttpRequest) -> HttpResponse:
    """List the user's own tokens with their last use."""
    return render(request, "api/tokens.html", _own_tokens_context(request))


@never_cache
@allow_methods("GET", "POST")
@login_required
@reauthentication_required
@sensitive_variables("secret")
def make(request: HttpRequest) -> HttpResponse:
    """Create a token. Only this response shows its secret, which is not stored."""
    courses = queries.classes_available_for_token(request.user)
    if not courses.exists():
        raise PermissionDenied
    form = TokenForm(request.POST or None, courses=courses)
    if form.is_valid():
        if not is_within(request, "make_token"):
            return too_many_requests(request)
        values = form.cleaned_data
        values["days"] = int(values["days"])
        with add_refusals_to(form, TokenRefused):
            token, secret = create_token(owner=request.user, **values)
            context = {"made": token, "secret": secret, "address": _api_url()}
            return render(request, "api/tokens.html", _own_tokens_context(request) | context)
    return render(request, "api/make.html", {"form": form})


@never_cache
@allow_methods("GET", "POST")
@login_required
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask for confirmation, then revoke a token."""
    token = queries.tokens_owned_by(request.user).filter(pk=pk).first()
    if token is None:
        raise Http404(_("Token not found. It may have been revoked."))
    if request.method == "POST":
        revoke_token(token=token)
        messages.success(request, _("The token has been revoked and no longer works."))
        return redirect("api:tokens")
    return render(request, "api/revoke.html", {"token": token})


@allow_methods("GET")
def reference(request: HttpRequest) -> HttpResponse:
    """Show every endpoint as the schema describes it."""
    schema = api.get_openapi_schema()
    context = {"groups": operations_by_tag(schema), "about": schema["info"], "address": _api_url()}
    return render(request, "api/reference.html", context)


def _own_tokens_context(request: HttpRequest) -> dict[str, Any]:
    may_make = queries.classes_available_for_token(request.user).exists()
    return {"tokens": queries.tokens_owned_by(request.user), "may_make": may_make}


def _api_url() -> str:
    return settings.SITE_URL + reverse("api:v1:api-root")
