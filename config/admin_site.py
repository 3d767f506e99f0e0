"""The admin site: unfold's, behind the site's own login page, under a policy of its own."""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.decorators import secure_admin_login
from allauth.account.utils import get_next_redirect_url
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.http import HttpRequest, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.csp import CSP
from django.utils.decorators import method_decorator
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.csp import csp_override
from unfold.sites import UnfoldAdminSite

from accounts.second_factor import has_second_factor, is_second_factor_due

# unfold's Alpine evaluates the expressions in its markup, and its markup carries styles.
ADMIN_CSP = settings.SECURE_CSP | {
    "script-src": [CSP.SELF, CSP.UNSAFE_EVAL],
    "style-src": [CSP.SELF, CSP.UNSAFE_INLINE],
    # The Markdown editor frames its preview.
    "frame-src": [CSP.SELF],
}


class SoftmarkAdminSite(UnfoldAdminSite):
    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        return csp_override(ADMIN_CSP)(super().admin_view(view, cacheable))

    def has_permission(self, request: HttpRequest) -> bool:
        return super().has_permission(request) and not is_second_factor_due(request)

    @method_decorator(secure_admin_login)
    def login(self, request: HttpRequest, extra_context: Any = None) -> HttpResponseRedirect:
        """Lead staff on to whatever the admin still waits for.

        Nobody logs in here, whatever they post: Django's form would ask for no second factor, and
        count no attempts.
        """
        onwards = get_next_redirect_url(request) or reverse("admin:index")
        if self.has_permission(request):
            return redirect(onwards)
        if has_second_factor(request.user):
            way = get_adapter().get_reauthentication_methods(request.user)[0]["url"]
            return redirect(f"{way}?{urlencode({REDIRECT_FIELD_NAME: onwards})}")
        why = _(
            "The admin shows everyone's answers and marks, so it needs more than a password."
            " Set up an authenticator app or a passkey here, then go back to the admin."
        )
        messages.warning(request, why)
        return redirect("mfa_index")
