"""The admin site: unfold's, behind the site's own login page, under a policy of its own."""

from typing import Any

from allauth.account.decorators import secure_admin_login
from allauth.account.utils import get_next_redirect_url
from django.conf import settings
from django.http import HttpRequest, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.csp import CSP
from django.utils.decorators import method_decorator
from django.views.decorators.csp import csp_override
from unfold.sites import UnfoldAdminSite

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

    @method_decorator(secure_admin_login)
    def login(self, request: HttpRequest, extra_context: Any = None) -> HttpResponseRedirect:
        """Lead staff on to the admin.

        Nobody logs in here, whatever they post: Django's form would ask for no second factor, and
        count no attempts.
        """
        return redirect(get_next_redirect_url(request) or reverse("admin:index"))
