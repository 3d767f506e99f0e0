"""Certificates: made and withdrawn at their student's request."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from quizzes.certificates.queries import can_have_certificate
from quizzes.errors import Refused
from quizzes.models import Attempt, Certificate


@transaction.atomic
def make_certificate(*, attempt: Attempt, name: str) -> Certificate:
    """Make the attempt's certificate in this name, or return the existing one unchanged.

    Raises:
        Refused: the attempt did not pass, does not count, or its marks are not out; or the pass
            depends on questions that are still secret.
    """
    # Two presses at once make one certificate.
    locked = Attempt.objects.select_for_update(of=("self",)).get(pk=attempt.pk)
    if standing := Certificate.objects.filter(attempt=locked, revoked_at=None).first():
        return standing
    if not can_have_certificate(locked, timezone.now()):
        raise Refused(_("There’s no certificate for this attempt."))
    return Certificate.objects.create(attempt=locked, name=name)


def withdraw_certificate(*, attempt: Attempt) -> None:
    """Withdraw an attempt's certificate, and delete the name from it."""
    standing = Certificate.objects.filter(attempt=attempt, revoked_at=None)
    standing.update(name="", revoked_at=timezone.now())
