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

from foundation.filters import page_from_request
from foundation.methods import allow_methods
from outbox import presenters
from outbox.forms import LettersForm
from outbox.kinds import kinds
from outbox.models import Preference
from outbox.queries import notifications_of
from outbox.services import available_preferences, mark_notifications_as_seen, set_preference
from outbox.unsubscribing import InvalidToken, UnsubscribeLink

SHOWN = 20


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


@never_cache
@login_required
@allow_methods("GET")
def notifications(request: HttpRequest) -> HttpResponse:
    """List what the person was sent in the last weeks, and mark it as seen."""
    person = request.user
    page = page_from_request(request, notifications_of(person), SHOWN)
    seen = person.notifications_seen
    context = {"page": page, "notifications": presenters.notifications(page, seen=seen)}
    # The newest is on the first page; a page without news writes nothing.
    if page.number == 1 and page and (seen is None or page[0].due > seen):
        mark_notifications_as_seen(person=person, until=page[0].due)
    return render(request, "outbox/notifications.html", context)


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
