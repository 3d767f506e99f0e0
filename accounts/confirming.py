"""The view that confirms an email address, for nobody but the account's owner.

Anybody may sign up with somebody else's address. The address's owner must not, by one press of a
button, give them what was sent to it, such as a place in a class.
"""

from typing import Any

from allauth.account.stages import EmailVerificationStage, LoginStageController
from allauth.account.views import ConfirmEmailView
from django.http import HttpResponse

from accounts.forms import PasswordForm
from foundation.rate_limits import is_within, too_many_requests


class ConfirmView(ConfirmEmailView):
    """allauth's view, which outside the account's own session also asks for the password."""

    form = None

    def is_own(self) -> bool:
        """Return whether this session signed up as, or is logged in as, the address's account."""
        account = self.object.email_address.user_id
        if self.request.user.is_authenticated:
            return self.request.user.pk == account
        stage = LoginStageController.enter(self.request, EmailVerificationStage.key)
        return stage is not None and stage.login.user.pk == account

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        context = super().get_context_data(**more)
        if self.object and not self.is_own():
            context["form"] = self.form or PasswordForm(self.object.email_address.user)
        return context

    def post(self, *args: Any, **more: Any) -> HttpResponse:
        self.object = self.get_object()
        if not self.is_own():
            user = self.object.email_address.user
            if not is_within(self.request, "confirm_address", key=str(user.pk)):
                return too_many_requests(self.request)
            self.form = PasswordForm(user, self.request.POST)
            if not self.form.is_valid():
                return self.render_to_response(self.get_context_data())
        return super().post(*args, **more)
