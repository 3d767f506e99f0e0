"""Views: regrades at the site's desk, and the pages that a class's own desk shares."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from foundation.filters import page_of
from foundation.fingerprints import fingerprint_of
from foundation.methods import allow_methods
from quizzes.bells import grading_bell, ruling_bell
from quizzes.errors import Refused, Stale
from quizzes.items.queries import topic_titles
from quizzes.models import Attempt, ConceptQuestion, Item, Quiz, Ruling, Sitting, Slot, graded
from quizzes.regrades import presenters, services
from quizzes.regrades.forms import (
    LineFilter,
    ReasonForm,
    RulingFilter,
    RulingForm,
    key_in,
    kinds_for,
    scope_in,
    sent_as,
)
from quizzes.regrades.queries.dry_runs import AT_ONCE, dry_run, is_long, troubles
from quizzes.regrades.queries.rulings import (
    choices_of,
    chosen_lines,
    chosen_rulings,
    part_of,
    seen,
    stale_lines,
    stored_changes,
)
from quizzes.visibility import number_of

MOST_WHAT_IF = 25


@dataclass(frozen=True)
class RulingDesk:
    """A place from where somebody regrades, or looks on.

    Attributes:
        within: the regrades that are listed there.
        sittings: those that may be regraded from there, and whose attempts are shown.
        every: whether a regrade may cover all sittings of a quiz at once.
        base: the address of its list; those of the other pages begin with it.
        names: whether students are named, and their attempts may be read.
        review: the URL name of an attempt's review; `review_args` come before the attempt.
    """

    within: QuerySet[Ruling]
    sittings: QuerySet[Sitting]
    may_rule: bool
    every: bool = False
    scope: str = ""
    template: str = "quizzes/regrades/rulings.html"
    base: str = ""
    names: bool = True
    review: str = "quizzes:review"
    review_args: tuple[Any, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)

    def may_change(self, ruling: Ruling) -> bool:
        if ruling.sitting_id is None:
            return self.may_rule and self.every
        return self.may_rule and self.sittings.filter(pk=ruling.sitting_id).exists()

    def student_of(self, attempt: Attempt) -> tuple[str, str]:
        """Return a student's name here, and the address of the attempt's review."""
        if not self.names:
            return number_of(attempt.student_id), ""
        return str(attempt.student), reverse(self.review, args=[*self.review_args, attempt.pk])

    def page(self, ruling: Ruling, more: str = "") -> str:
        return f"{self.base}{ruling.pk}/{more}"


def _site_desk(request: HttpRequest) -> RulingDesk:
    user = request.user
    if not (user.is_staff and user.has_perm("quizzes.view_ruling")):
        raise PermissionDenied
    within, sittings = Ruling.objects.all(), Sitting.objects.all()
    if not user.is_superuser:
        sittings = sittings.filter(given_in="", quiz__in=Quiz.objects.owned_by(user))
        within = within.filter(sitting__in=sittings)
    return RulingDesk(
        within=within,
        sittings=sittings,
        may_rule=user.has_perm("quizzes.add_ruling"),
        every=user.is_superuser,
        names=user.is_superuser,
        base=reverse("quizzes:rulings"),
    )


def _at_site(view: Any, *methods: str) -> Any:
    @never_cache
    @login_required
    @allow_methods(*methods)
    def answer(request: HttpRequest, **which: int) -> HttpResponse:
        return view(request, _site_desk(request), **which)

    return answer


# The pages of a desk


def listed(request: HttpRequest, desk: RulingDesk) -> HttpResponse:
    """List the regrades of a desk, filtered."""
    wanted = RulingFilter(request.GET)
    found = chosen_rulings(desk.within, **wanted.choice)
    page = page_of(request, found)
    context = {
        "filter": wanted,
        "page": page,
        "lines": [(each, presenters.over(each), presenters.said(each)) for each in page],
    }
    return _shown(request, desk, "list", _("Rulings"), context)


def new(request: HttpRequest, desk: RulingDesk) -> HttpResponse:
    """Choose the scope, then the values, and preview the changes. A POST saves a draft."""
    if not desk.may_rule:
        raise PermissionDenied
    sent = request.POST if request.method == "POST" else request.GET
    ruling = _begun(request, desk, sent)
    if isinstance(ruling, HttpResponse):
        return ruling
    kinds = kinds_for(ruling.scope)
    ruling.kind = sent.get("kind", kinds[0])
    if ruling.kind not in kinds:
        raise Http404(_("This ruling cannot be made for that."))
    choices = choices_of(ruling) if ruling.kind == Ruling.Kind.KEY else {}
    asked_for = request.method == "POST" or "policy" in sent or "points" in sent
    form = RulingForm(
        sent if asked_for else None, ruling.kind, choices=presenters.choices_to_accept(choices)
    )
    if asked_for:
        _check(form, ruling)
    if request.method == "POST" and form.is_valid():
        kept = _kept(request, desk, form.put_into(ruling), _draft_in(desk, sent), form)
        if kept is not None:
            return redirect(desk.page(kept))
    has_no_values = not asked_for and ruling.kind in (Ruling.Kind.REGRADE, Ruling.Kind.VOID)
    if has_no_values:
        ruling.values = {}
    is_whole = has_no_values or form.without_reason
    context = {
        "ruling": ruling,
        "of": sent.get("of"),
        "draft": _draft_in(desk, sent),
        "over": presenters.over(ruling),
        "kinds": [(kind, Ruling.Kind(kind).label) for kind in kinds],
        "form": form,
        **(_what_if(desk, ruling) if is_whole else {}),
    }
    status = 422 if request.method == "POST" else 200
    return _shown(request, desk, "new", _("New ruling"), context, status=status)


def _begun(request: HttpRequest, desk: RulingDesk, sent: Any) -> Ruling | HttpResponse:
    """Return a new regrade with its scope, or a page that asks for the scope."""
    item = key_in(sent, "item")
    if item is not None:
        return _parts_of_item(request, desk, item)
    key = key_in(sent, "sitting")
    if key is None:
        return _sittings(request, desk)
    sitting = desk.sittings.filter(pk=key).select_related("quiz").first()
    if sitting is None:
        raise Http404(_("Quiz not found."))
    every = sent.get("every") == "1"
    if every and not desk.every:
        raise PermissionDenied
    of = scope_in(sent.get("of", ""))
    if of is None:
        return _parts_of_sitting(request, desk, sitting, every)
    scope, part = of
    ruling = Ruling(
        quiz=sitting.quiz, sitting=None if every else sitting, scope=scope, by=request.user
    )
    ruling.event_scope = desk.scope
    if scope == Ruling.Scope.FAMILY:
        ruling.family = part
    elif part is not None:
        found = _part(scope, part, sitting, every)
        if found is None:
            raise Http404(_("This was never asked in this quiz."))
        setattr(ruling, scope, found)
    return ruling


def _part(scope: str, part: int, sitting: Sitting, every: bool) -> Any:
    """Return what a scope is narrowed to, if attempts there have it.

    A slot need not have been asked.
    """
    if scope == Ruling.Scope.SLOT:
        return Slot.every.filter(quiz=sitting.quiz, pk=part).first()
    asked = Item.objects.graded().filter(attempt__quiz=sitting.quiz)
    if not every:
        asked = asked.filter(attempt__sitting=sitting)
    by = "pk" if scope == Ruling.Scope.ITEM else scope
    item = asked.filter(**{by: part}).select_related("variant", "question").first()
    if item is None:
        return None
    return item if scope == Ruling.Scope.ITEM else getattr(item, scope)


def _sittings(request: HttpRequest, desk: RulingDesk) -> HttpResponse:
    found = desk.sittings.filter(graded("attempts__")).distinct()
    found = found.select_related("quiz").order_by("quiz__title", "given_in", "pk")
    return _shown(request, desk, "sittings", _("New ruling"), {"page": page_of(request, found)})


def _parts_of_sitting(
    request: HttpRequest, desk: RulingDesk, sitting: Sitting, every: bool
) -> HttpResponse:
    of_quiz = Item.objects.graded().filter(attempt__quiz=sitting.quiz).order_by()
    asked = of_quiz if every else of_quiz.filter(attempt__sitting=sitting)
    questions = ConceptQuestion.every.filter(pk__in=asked.values("question"))
    slots = Slot.every.filter(Q(retired_at=None) | Q(pk__in=asked.values("slot")))
    context = {
        "sitting": sitting,
        "every": every,
        "parts": presenters.parts_of_quiz(
            slots.filter(quiz=sitting.quiz).order_by("position", "pk"),
            questions.order_by("topic", "key", "version"),
            topic_titles(),
        ),
    }
    return _shown(request, desk, "parts", _("New ruling"), context)


def _parts_of_item(request: HttpRequest, desk: RulingDesk, pk: int) -> HttpResponse:
    items = Item.objects.graded().filter(pk=pk, attempt__sitting__in=desk.sittings)
    item = items.select_related("attempt__sitting__quiz", "variant", "question").first()
    if item is None:
        raise Http404(_("Question not found."))
    context = {
        "sitting": item.attempt.sitting,
        "item": item,
        "parts": presenters.parts_of_item(item),
    }
    return _shown(request, desk, "parts", _("New ruling"), context)


def _draft_in(desk: RulingDesk, sent: Any) -> Ruling | None:
    found = desk.within.drafts().filter(pk=key_in(sent, "draft")).first()
    return found if found and desk.may_change(found) else None


def _check(form: RulingForm, ruling: Ruling) -> None:
    if form.without_reason or form.is_valid():
        form.put_into(ruling)
        for name, words in troubles(ruling).items():
            form.add_error(name if name in form.fields else None, words)


def _kept(
    request: HttpRequest, desk: RulingDesk, ruling: Ruling, draft: Ruling | None, form: RulingForm
) -> Ruling | None:
    try:
        if draft is None:
            return _rung_for(services.draft_ruling(ruling=ruling))
        changes = {name: getattr(ruling, name) for name in services.SAID}
        return _rung_for(services.renew_dry_run(ruling=draft, **changes))
    except Refused as refusal:
        form.add_error(None, str(refusal))
        return None


def _rung_for(draft: Ruling) -> Ruling:
    """Wake the workers if they are to run its dry run."""
    if draft.is_running:
        ruling_bell.ring_after_commit()
    return draft


def _what_if(desk: RulingDesk, ruling: Ruling) -> dict[str, Any]:
    if is_long(ruling):
        return {"is_long": True, "at_once": AT_ONCE}
    changes, summary = dry_run(ruling)
    return {
        "is_run": True,
        "facts": presenters.facts(summary),
        "notes": presenters.notes(summary),
        "lines": presenters.lines_of(changes[:MOST_WHAT_IF], desk.student_of),
        "more_lines": len(changes) - MOST_WHAT_IF,
    }


def one(request: HttpRequest, desk: RulingDesk, ruling: int) -> HttpResponse:
    """Show a regrade with its lines. A POST runs the dry run again, or discards it."""
    found = _found(desk, ruling)
    if request.method == "POST":
        return _done(request, desk, found)
    wanted = LineFilter(request.GET)
    sittings = None if desk.every else desk.sittings
    lines = chosen_lines(found, sittings, **wanted.choice)
    # The page polls every second while a dry run is under way, and shows no lines.
    page = page_of(request, lines.none() if found.is_running else lines)
    is_stale = found.is_draft and seen(found) != found.seen
    stale = stale_lines(found, sittings)[:20] if is_stale else ()
    context = {
        "ruling": found,
        "over": presenters.over(found.undoes or found),
        "said": presenters.said(found, choices_of(found.undoes or found)),
        "may_change": desk.may_change(found),
        "facts": presenters.facts(found.summary),
        "notes": presenters.notes(found.summary),
        "filter": wanted,
        "page": page,
        "lines": presenters.lines_of(stored_changes(page), desk.student_of),
        "is_stale": is_stale,
        "stale": presenters.lines_of(stored_changes(stale), desk.student_of),
        "undo": found.undone_by.ever_accepted().first(),
        "change": _address_of_change(desk, found),
    }
    title = _("Ruling %(number)s") % {"number": found.pk}
    return _shown(request, desk, "one", title, context)


def _address_of_change(desk: RulingDesk, ruling: Ruling) -> str:
    sent = QueryDict(mutable=True)
    part = part_of(ruling)
    sitting = ruling.sitting or ruling.quiz.own_sitting
    sent["sitting"] = str(sitting.pk)
    if ruling.sitting_id is None:
        sent["every"] = "1"
    sent["of"] = ruling.scope if part is None else f"{ruling.scope}-{part}"
    sent["kind"], sent["draft"] = ruling.kind, str(ruling.pk)
    for name, value in sent_as(ruling).items():
        if isinstance(value, list):
            sent.setlist(name, value)
        elif value is not False:
            sent[name] = "on" if value is True else str(value)
    return f"{desk.base}new/?{sent.urlencode()}"


def _done(request: HttpRequest, desk: RulingDesk, ruling: Ruling) -> HttpResponse:
    if not desk.may_change(ruling):
        raise PermissionDenied
    try:
        if "discard" in request.POST:
            services.discard_ruling(ruling=ruling)
            messages.success(request, _("The dry run has been discarded. No marks have changed."))
            return redirect(desk.base)
        if not _rung_for(services.renew_dry_run(ruling=ruling)).is_running:
            messages.success(request, _("The dry run has been updated with the current marks."))
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect(desk.page(ruling))


def apply(request: HttpRequest, desk: RulingDesk, ruling: int) -> HttpResponse:
    """Confirm, then accept a dry run for the workers to apply."""
    found = _found(desk, ruling)
    if not desk.may_change(found):
        raise PermissionDenied
    if request.method == "POST":
        try:
            digest = request.POST.get("digest", "")
            services.accept_ruling(ruling=found, by=request.user, digest=digest)
            ruling_bell.ring_after_commit()
            grading_bell.ring_after_commit()
        except (Refused, Stale) as refusal:
            messages.error(request, str(refusal))
        return redirect(desk.page(found))
    if not found.is_draft or found.is_running:
        return redirect(desk.page(found))
    context = {
        "ruling": found,
        "over": presenters.over(found.undoes or found),
        "said": presenters.said(found, choices_of(found.undoes or found)),
        "facts": presenters.facts(found.summary),
        "notes": presenters.notes(found.summary),
        "digest": fingerprint_of(found),
    }
    return _shown(request, desk, "apply", _("Apply this ruling?"), context)


def undo(request: HttpRequest, desk: RulingDesk, ruling: int) -> HttpResponse:
    """Ask for a reason, then draft the undoing, which is a regrade too and begins as a dry run."""
    found = _found(desk, ruling)
    if not desk.may_change(found):
        raise PermissionDenied
    try:
        services.check_undoable(found)
    except Refused as refusal:
        messages.error(request, str(refusal))
        return redirect(desk.page(found))
    form = ReasonForm(request.POST or None, label_suffix="")
    if request.method == "POST" and form.is_valid():
        try:
            reason = form.cleaned_data["reason"]
            draft = services.draft_undo(ruling=found, by=request.user, reason=reason)
            return redirect(desk.page(_rung_for(draft)))
        except Refused as refusal:
            messages.error(request, str(refusal))
            return redirect(desk.page(found))
    context = {"ruling": found, "form": form, "said": presenters.said(found)}
    status = 422 if request.method == "POST" else 200
    return _shown(request, desk, "undo", _("Undo this ruling"), context, status=status)


def _found(desk: RulingDesk, pk: int) -> Ruling:
    within = desk.within.select_related(
        "quiz", "sitting", "slot", "question", "item", "by", "undoes__question", "undoes__slot"
    )
    found = within.filter(pk=pk).first()
    if found is None:
        raise Http404(_("Ruling not found."))
    return found


def _shown(
    request: HttpRequest,
    desk: RulingDesk,
    part: str,
    title: str,
    context: Mapping[str, Any],
    status: int = 200,
) -> HttpResponse:
    page_context = {
        **desk.more,
        "desk": desk,
        "part": f"quizzes/regrades/_{part}.html",
        "title": title,
        **context,
    }
    return render(request, desk.template, page_context, status=status)


rulings = _at_site(listed, "GET")
new_ruling = _at_site(new, "GET", "POST")
ruling = _at_site(one, "GET", "POST")
apply_ruling = _at_site(apply, "GET", "POST")
undo_ruling = _at_site(undo, "GET", "POST")
