"""Views: letter preferences, with a login or by an unsubscribe link."""

from django.contrib import messages
from django.contrib.auth import get_user_model
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from foundation.methods import allow_methods
from outbox.forms import LettersForm
from outbox.kinds import kinds
from outbox.models import Preference
from outbox.services import available_preferences, set_preference
from outbox.unsubscribing import InvalidToken, UnsubscribeLink


@never_cache
@login_required
@allow_methods("GET", "POST")
def letters(request: HttpRequest) -> HttpResponse:
    """Show and change the preference for each kind of letter."""
    form = LettersForm(request.user, request.POST or None)
    if form.is_valid():
        with transaction.atomic():
            for kind, how in form.changed().items():
                set_preference(person=request.user, kind=kind, how=how)
        messages.success(request, _("Your choice has been saved."))
        return redirect(f"{reverse('account')}#notifications")
    return render(request, "outbox/letters.html", {"form": form})


@csrf_exempt  # mail programs post here by themselves (RFC 8058); the token says that they may
@never_cache
@allow_methods("GET", "POST")
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Ask whether to switch off the letters of an unsubscribe link, and do so on POST.

    GET changes nothing, because filters of mail servers follow every link.
    """
    try:
        link = UnsubscribeLink.read(token)
    except InvalidToken:
        raise Http404 from None
    person = get_object_or_404(get_user_model(), pk=link.person, is_active=True)
    meant = [kind for kind in kinds() if kind.key in link.kinds]
    if request.method == "POST":
        with transaction.atomic():
            for kind in meant:
                if Preference.How.OFF in available_preferences(kind.key):
                    set_preference(person=person, kind=kind.key, how=Preference.How.OFF)
    context = {"kinds": meant, "done": request.method == "POST"}
    return render(request, "outbox/off.html", context)
