"""Views: the account page, a file with the person's data, and deletion of the account."""

from functools import wraps

from allauth.account.decorators import reauthentication_required
from allauth.account.internal.flows.reauthentication import is_reauthentication_required
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from accounts.extensions import sections
from accounts.forms import NameForm, PasswordForm, ZoneForm
from accounts.models import User
from accounts.personal import LastAdministrator, export_personal_data, forget
from accounts.second_factor import has_second_factor
from accounts.services import change_name, set_time_zone
from foundation import time_zones
from foundation.downloads import content_disposition
from foundation.methods import View, allow_methods
from foundation.rate_limits import is_within, too_many_requests
from foundation.refusals import add_refusals_to
from outbox.forms import LettersForm


def second_factor_required(view: View) -> View:
    """Require a recent reauthentication with the second factor, if the account has one."""
    guarded = reauthentication_required(view, enabled=lambda asked: has_second_factor(asked.user))

    @wraps(view)
    def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        guards = request.method == "POST" and has_second_factor(request.user)
        if guards and is_reauthentication_required(request, app=""):
            # allauth would keep the posted data, password included, in the session.
            return redirect(request.get_full_path())
        return guarded(request, *args, **kwargs)

    return answer


@never_cache
@login_required
@allow_methods("GET", "POST")
def account(request: HttpRequest) -> HttpResponse:
    """Show the account page; on POST, change the name."""
    user = request.user
    form = NameForm(request.POST or None, initial={"name": user.name, "sorts_as": user.sorts_as})
    if request.method == "POST" and form.is_valid():
        change_name(user=user, **form.cleaned_data)
        messages.success(request, _("Your name has been changed."))
        return redirect("account")
    return _render_account(request, name_form=form)


def _render_account(request: HttpRequest, **forms: NameForm | ZoneForm) -> HttpResponse:
    """Render the account page, with the given invalid forms in place of new ones."""
    user = request.user
    context = {
        "name_form": NameForm(initial={"name": user.name, "sorts_as": user.sorts_as}),
        "zone_form": ZoneForm(initial={"time_zone": user.time_zone}),
        "zones": [name for _region, places in time_zones.choices() for name, _place in places],
        "letters_form": LettersForm(user),
        "has_second_factor": has_second_factor(user),
        "passkeys": Authenticator.objects.filter(
            user=user, type=Authenticator.Type.WEBAUTHN
        ).count(),
        "sessions": len(UserSession.objects.purge_and_list(user)),
        "addresses": EmailAddress.objects.filter(user=user).order_by("-primary", "pk"),
        "sections": sections(request),
        "now": timezone.now(),
    }
    return render(request, "account/index.html", context | forms)


@allow_methods("GET")
def privacy(request: HttpRequest) -> HttpResponse:
    """Say what is stored about people, and who sees it."""
    return render(request, "account/privacy.html")


@never_cache
@login_required
@allow_methods("GET")
def data(request: HttpRequest) -> HttpResponse:
    """Redirect the former address of the page about personal data."""
    return redirect(f"{reverse('account')}#data")


@never_cache
@login_required
@allow_methods("GET")
@second_factor_required
def file(request: HttpRequest) -> HttpResponse:
    """Download all data about the user."""
    return data_response(request.user)


def data_response(*people: User) -> HttpResponse:
    """Return a download with the data of one person, or a list for several."""
    contents = [export_personal_data(user) for user in people]
    one = len(contents) == 1
    answer = JsonResponse(
        contents[0] if one else contents, safe=False, json_dumps_params={"indent": 1}
    )
    name = f"softmark-{people[0].pk}.json" if one else "softmark-people.json"
    answer["Content-Disposition"] = content_disposition(name)
    answer["Cache-Control"] = "no-store"
    return answer


@never_cache
@login_required
@allow_methods("GET", "POST")
@second_factor_required
def delete(request: HttpRequest) -> HttpResponse:
    """Ask for the password, then erase the user and log them out."""
    if request.method == "POST" and not is_within(request, "reauthenticate"):
        return too_many_requests(request)
    form = PasswordForm(request.user, request.POST or None)
    if form.is_valid():
        with add_refusals_to(form, LastAdministrator):
            forget(user=request.user)
            logout(request)
            messages.success(request, _("Your account has been deleted."))
            return redirect(settings.LOGOUT_REDIRECT_URL)
    return render(request, "account/delete.html", {"form": form})


@never_cache
@login_required
@allow_methods("GET", "POST")
def time_zone(request: HttpRequest) -> HttpResponse:
    """Change the user's time zone; the form is on the account page.

    Any page may offer the zone of the user's device, and is returned to. A device may name a zone
    that there is not, and then nothing changes.
    """
    form = ZoneForm(request.POST or None)
    page = request.POST.get("next", "")
    offered = url_has_allowed_host_and_scheme(page, allowed_hosts=None)
    if request.method == "POST" and not form.is_valid() and not offered:
        return _render_account(request, zone_form=form)
    if form.is_valid():
        set_time_zone(user=request.user, time_zone=form.cleaned_data["time_zone"])
        messages.success(
            request,
            _(
                "Times are now shown in this time zone. A class’s dates stay in the "
                "class’s own time zone."
            ),
        )
    return redirect(page if offered else f"{reverse('account')}#time-zone")
