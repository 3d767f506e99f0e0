"""The admin site: unfold's, behind the site's own login page, under a CSP of its own."""

import re
from functools import wraps
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

from foundation.methods import SAFE, method_not_allowed

# unfold's Alpine evaluates the expressions in its markup, and its markup carries styles.
ADMIN_CSP = settings.SECURE_CSP | {
    "script-src": [CSP.SELF, CSP.UNSAFE_EVAL],
    "style-src": [CSP.SELF, CSP.UNSAFE_INLINE],
    # The Markdown editor frames its preview.
    "frame-src": [CSP.SELF],
}
# Pages without a form. A row's short address, which redirects, has no name.
SHOWS = re.compile(
    r"|index|app_list|search|view_on_site|password_change_done"
    r"|\w+_(history|version|view_as_student|export|give_more_time|review|students|variants)"
)


class SoftmarkAdminSite(UnfoldAdminSite):
    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        @wraps(view)
        def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            name = request.resolver_match.url_name if request.resolver_match else ""
            if request.method not in SAFE and SHOWS.fullmatch(name or ""):
                return method_not_allowed(request, SAFE)
            return view(request, *args, **kwargs)

        return csp_override(ADMIN_CSP)(super().admin_view(shown, cacheable))

    @method_decorator(secure_admin_login)
    def login(self, request: HttpRequest, extra_context: Any = None) -> HttpResponseRedirect:
        """Redirect staff to the admin.

        Nobody logs in here, whatever they post: Django's form would ask for no second factor and
        count no attempts.
        """
        return redirect(get_next_redirect_url(request) or reverse("admin:index"))
