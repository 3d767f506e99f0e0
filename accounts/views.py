"""A person's own data, to take along and to have deleted; and the time that they live in."""

from allauth.core import ratelimit
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from accounts.forms import DeleteForm, ZoneForm
from accounts.models import User
from accounts.personal import LastAdministrator, forget, told_of
from accounts.services import choose_zone
from foundation.methods import allow_methods


@never_cache
@login_required
@allow_methods("GET")
def data(request: HttpRequest) -> HttpResponse:
    """What is held, and the ways to have it and to be rid of it."""
    return render(request, "account/data.html")


@never_cache
@login_required
@allow_methods("GET")
def file(request: HttpRequest) -> HttpResponse:
    """Everything that the site holds of who asks."""
    return as_file(request.user)


def as_file(*people: User) -> HttpResponse:
    """The data of one person, or of each of several, to be saved as a file."""
    told = [told_of(user) for user in people]
    one = len(told) == 1
    answer = JsonResponse(told[0] if one else told, safe=False, json_dumps_params={"indent": 1})
    name = f"softmark-{people[0].pk}.json" if one else "softmark-people.json"
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    answer["Cache-Control"] = "no-store"
    return answer


@never_cache
@login_required
@allow_methods("GET", "POST")
def delete(request: HttpRequest) -> HttpResponse:
    """Ask, and on the right password forget who asks."""
    if request.method == "POST" and (
        limited := ratelimit.consume_or_429(request, action="reauthenticate", user=request.user)
    ):
        return limited
    form = DeleteForm(request.user, request.POST or None)
    if form.is_valid():
        try:
            forget(user=request.user)
        except LastAdministrator as refused:
            form.add_error(None, str(refused))
        else:
            logout(request)
            messages.success(request, _("Your account has been deleted."))
            return redirect("lessons:catalogue")
    return render(request, "account/delete.html", {"form": form})


@never_cache
@login_required
@allow_methods("GET", "POST")
def time_zone(request: HttpRequest) -> HttpResponse:
    """In which zone every time is shown."""
    form = ZoneForm(request.POST or None, initial={"time_zone": request.user.time_zone})
    if request.method == "POST" and form.is_valid():
        choose_zone(user=request.user, time_zone=form.cleaned_data["time_zone"])
        messages.success(request, _("Times are now shown in this time zone."))
        return redirect("account_time_zone")
    return render(request, "account/time_zone.html", {"form": form, "now": timezone.now()})
