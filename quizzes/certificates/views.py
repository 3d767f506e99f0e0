"""Views: making, withdrawing and reading a certificate."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from foundation.methods import allow_methods
from foundation.rate_limits import is_within, too_many_requests
from quizzes.certificates.forms import CertificateForm
from quizzes.certificates.presenters import certificate_context
from quizzes.certificates.queries import can_have_certificate, certificate_with_token
from quizzes.certificates.services import make_certificate, withdraw_certificate
from quizzes.delivery.queries.attempts import last_submission, own_exam, valid_certificate
from quizzes.delivery.queries.secrecy import VisibleMarks, visible_marks
from quizzes.errors import Refused
from quizzes.marking.queries import graded_answers
from quizzes.models import Attempt, Certificate, Submission
from quizzes.regrades.queries.regrades import review_corrections


@never_cache
@login_required
@allow_methods("GET", "POST")
def certificate(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the student's certificate with its address, or make one after asking for the name."""
    own, standing = _own_attempt_and_certificate(request, pk)
    form = CertificateForm(request.POST or None, initial={"name": request.user.name})
    if request.method == "POST" and standing is None and form.is_valid():
        if not is_within(request, "make_certificate"):
            return too_many_requests(request)
        try:
            make_certificate(attempt=own, name=form.cleaned_data["name"])
        except Refused as refused:
            raise Http404(str(refused)) from None
        return redirect("quizzes:certificate", pk)
    context = {"attempt": own, "form": form, "standing": standing}
    if standing:
        context["address"] = request.build_absolute_uri(standing.get_absolute_url())
    return render(request, "quizzes/certificates/certificate_own.html", context)


@never_cache
@login_required
@allow_methods("GET", "POST")
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    """Withdraw a certificate after asking for confirmation."""
    own, standing = _own_attempt_and_certificate(request, pk)
    if standing is None:
        return redirect("quizzes:certificate", pk)
    if request.method == "POST":
        withdraw_certificate(attempt=own)
        return redirect("quizzes:results", pk)
    return render(request, "quizzes/certificates/certificate_withdraw.html", {"attempt": own})


def _own_attempt_and_certificate(
    request: HttpRequest, pk: int
) -> tuple[Attempt, Certificate | None]:
    """Return the user's attempt with its certificate or None; 404 if it may not have one."""
    own = own_exam(request.user, pk)
    standing = valid_certificate(own) if own else None
    if own and (standing or can_have_certificate(own, timezone.now())):
        return own, standing
    raise Http404(_("There’s no certificate for this attempt."))


@never_cache
@allow_methods("GET")
def page(request: HttpRequest, token: str) -> HttpResponse:
    """Show a certificate to anyone with its address: never more than its student may see now."""
    found = certificate_with_token(token)
    if found is None:
        raise Http404(_("Certificate not found."))
    if found.revoked_at:
        return _hide_from_search(
            render(request, "quizzes/certificates/certificate_gone.html", status=410)
        )
    submission = last_submission(found.attempt)
    marks = _marks(submission)
    shown = marks and marks.of(submission.attempt)
    if shown is None:
        return _hide_from_search(
            render(request, "quizzes/certificates/certificate_gone.html", {"later": True})
        )
    attempt = submission.attempt
    hidden, graded = marks.withheld(attempt), graded_answers(submission)
    corrections = review_corrections(attempt, [answer.pk for answer, _grade in graded])
    context = {
        "certificate": found,
        "attempt": attempt,
        "page": certificate_context(attempt, graded, shown, hidden, corrections),
        "is_own": attempt.student_id == request.user.pk,
    }
    return _hide_from_search(render(request, "quizzes/certificates/certificate.html", context))


def _marks(submission: Submission | None) -> VisibleMarks | None:
    """Return the student's marks; None if the submission has none, such as after a reopening."""
    if submission is None or submission.state != Submission.State.GRADED:
        return None
    attempt = submission.attempt
    return visible_marks(attempt.student, timezone.now(), [attempt])


def _hide_from_search(response: HttpResponse) -> HttpResponse:
    """Keep the response out of search engines."""
    response["X-Robots-Tag"] = "noindex"
    return response
