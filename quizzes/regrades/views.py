"""Views: regrades at the site's desk, and the pages that a class's own desk shares."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from foundation.filters import page_from_request
from foundation.fingerprints import fingerprint
from foundation.methods import allow_methods
from quizzes.errors import Refused, Stale
from quizzes.items.queries import topic_titles
from quizzes.models import APPENDING_OUTCOMES, Item, Quiz, Ruling, Sitting, Slot
from quizzes.notifiers import grading_notifier, regrade_notifier
from quizzes.regrades import presenters, services
from quizzes.regrades.desk import RegradeDesk
from quizzes.regrades.forms import (
    LineFilter,
    ReasonForm,
    RegradeFilter,
    RegradeForm,
    ScopeFilter,
    form_data,
    key_from,
    kinds_for,
    parse_scope,
    with_defaults,
)
from quizzes.regrades.queries.accepting import acceptable_answers
from quizzes.regrades.queries.choosing import asked_items, parts_of_sittings, taken_sittings
from quizzes.regrades.queries.dry_runs import (
    MAX_ANSWERS_IN_REQUEST,
    counting_means,
    dry_run,
    is_long,
    student_counts,
    value_errors,
)
from quizzes.regrades.queries.regrades import (
    choices_ever_offered,
    filtered_lines,
    filtered_regrades,
    marks_fingerprint,
    scope_key,
    stale_lines,
    stored_changes,
)
from quizzes.regrades.queries.versions import offered_versions

MAX_PREVIEW_LINES = 25
# What a page lists of what a regrade can apply to; a search finds the rest.
MAX_PARTS = 25


def _site_desk(request: HttpRequest) -> RegradeDesk:
    user = request.user
    if not (user.is_staff and user.has_perm("quizzes.view_ruling")):
        raise PermissionDenied
    within, sittings = Ruling.objects.all(), Sitting.objects.all()
    if not user.is_superuser:
        sittings = sittings.filter(given_in="", quiz__in=Quiz.objects.owned_by(user))
        within = within.filter(sitting__in=sittings)
    return RegradeDesk(
        within=within,
        sittings=sittings,
        may_regrade=user.has_perm("quizzes.add_ruling"),
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


def list_at_desk(request: HttpRequest, desk: RegradeDesk) -> HttpResponse:
    """List the regrades of a desk, filtered."""
    wanted = RegradeFilter(request.GET)
    page = page_from_request(request, filtered_regrades(desk.within, **wanted.choice))
    context = {
        "filter": wanted,
        "page": page,
        "lines": [
            (each, presenters.describe_scope(each), presenters.describe_values(each))
            for each in page
        ],
    }
    return _render_desk(request, desk, "list", _("Regrades"), context)


def new_at_desk(request: HttpRequest, desk: RegradeDesk) -> HttpResponse:
    """Choose the scope, then the values, and preview the changes. A POST saves a draft.

    The button that only previews posts as well, so that nothing typed ends up in the address.
    """
    if not desk.may_regrade:
        raise PermissionDenied
    sent = request.POST if request.method == "POST" else request.GET
    regrade = _regrade_with_scope(request, desk, sent)
    if isinstance(regrade, HttpResponse):
        return regrade
    kinds = kinds_for(regrade)
    regrade.kind = sent.get("kind", kinds[0])
    if regrade.kind not in kinds:
        raise Http404(_("This kind of regrade isn’t possible here. Choose another kind."))
    is_saved = request.method == "POST" and "preview" not in sent
    asked_for = request.method == "POST" or bool({"policy", "points", "accept"} & sent.keys())
    data = sent if request.method == "POST" else with_defaults(sent)
    form = RegradeForm(data if asked_for else None, regrade.kind, choices=_choices(regrade))
    if asked_for:
        _check(form, regrade)
        if not is_saved:  # a preview needs no reason
            form.errors.pop("reason", None)
    draft = _draft_in(desk, sent)
    if is_saved and form.is_valid():
        kept = _save_draft(form.apply_to(regrade), draft, form)
        if kept is not None:
            return redirect(desk.page(kept))
    has_no_values = not asked_for and regrade.kind in (Ruling.Kind.REGRADE, Ruling.Kind.VOID)
    if has_no_values:
        regrade.values = {}
    is_whole = has_no_values or form.is_valid_without_reason
    context = {
        "regrade": regrade,
        "of": sent.get("of"),
        "draft": draft,
        "over": presenters.describe_scope(regrade),
        "kinds": [(kind, Ruling.Kind(kind).label) for kind in kinds],
        "form": form,
        **(_preview_context(desk, regrade) if is_whole else {}),
    }
    status = 422 if is_saved else 200
    return _render_desk(request, desk, "new", _("New regrade"), context, status=status)


def _choices(regrade: Ruling) -> list[tuple[str, Any]]:
    """Return what a regrade of this kind can accept or mark by, for its form."""
    if regrade.kind == Ruling.Kind.KEY:
        return presenters.choices_to_accept(choices_ever_offered(regrade))
    if regrade.kind == Ruling.Kind.ACCEPT:
        return presenters.answers_to_accept(acceptable_answers(regrade))
    if regrade.kind == Ruling.Kind.REGRADE:
        return presenters.versions_to_mark_by(offered_versions(regrade))
    return []


def _regrade_with_scope(
    request: HttpRequest, desk: RegradeDesk, sent: Any
) -> Ruling | HttpResponse:
    """Return a new regrade with its scope, or a page that asks for the scope."""
    item = key_from(sent, "item")
    if item is not None:
        return _parts_of_item(request, desk, item)
    key = key_from(sent, "sitting")
    if key is None:
        return _choose_scope(request, desk)
    sitting = desk.sittings.filter(pk=key).select_related("quiz").first()
    if sitting is None:
        raise Http404(_("Quiz not found."))
    every = sent.get("every") == "1"
    if every and not desk.every:
        raise PermissionDenied
    of = parse_scope(sent.get("of", ""))
    if of is None:
        return _choose_scope(request, desk, sitting, every)
    scope, part = of
    regrade = Ruling(
        quiz=sitting.quiz, sitting=None if every else sitting, scope=scope, by=request.user
    )
    regrade.event_scope = desk.scope
    if scope == Ruling.Scope.FAMILY:
        regrade.family = part
    elif part is not None:
        found = _part(scope, part, sitting, every)
        if found is None:
            raise Http404(_("This was never asked in this quiz."))
        setattr(regrade, scope, found)
    return regrade


def _part(scope: str, part: int, sitting: Sitting, every: bool) -> Any:
    """Return what a scope is narrowed to, if attempts there have it.

    A slot need not have been asked.
    """
    if scope == Ruling.Scope.SLOT:
        return Slot.every.filter(quiz=sitting.quiz, pk=part).first()
    asked = asked_items([sitting], every=every)
    by = "pk" if scope == Ruling.Scope.ITEM else scope
    item = asked.filter(**{by: part}).select_related("variant", "question").first()
    return item if item is None or scope == Ruling.Scope.ITEM else getattr(item, scope)


def _choose_scope(
    request: HttpRequest, desk: RegradeDesk, sitting: Sitting | None = None, every: bool = False
) -> HttpResponse:
    """Ask what in a quiz the regrade applies to, or for the quiz; both can be searched at once."""
    wanted = ScopeFilter(request.GET)
    within = taken_sittings(desk.sittings)
    if sitting is None and not wanted.words:
        only = list(within[:2])
        if desk.every or len(only) != 1:
            context = {"filter": wanted, "page": page_from_request(request, within)}
            return _render_desk(request, desk, "sittings", _("New regrade"), context)
        (sitting,) = only
    if sitting is not None:
        sittings = [sitting]
    else:  # of an administrator's desk, not every class's
        sittings = list(within.filter(given_in="") if desk.every else within)
    found = parts_of_sittings(sittings, every=every, words=wanted.words)
    parts = presenters.scope_choices_in_sittings(found, topic_titles(), wanted.words, desk.flags_in)
    context = {
        "filter": wanted,
        "sitting": sitting,
        "every": every,
        "page": page_from_request(request, parts, MAX_PARTS),
    }
    return _render_desk(request, desk, "parts", _("New regrade"), context)


def _parts_of_item(request: HttpRequest, desk: RegradeDesk, pk: int) -> HttpResponse:
    items = Item.objects.graded().filter(pk=pk, attempt__sitting__in=desk.sittings)
    item = items.select_related("attempt__sitting__quiz", "variant", "question").first()
    if item is None:
        raise Http404(_("Question not found."))
    context = {
        "sitting": item.attempt.sitting,
        "item": item,
        "page": presenters.scope_choices_of_item(item),
    }
    return _render_desk(request, desk, "parts", _("New regrade"), context)


def _draft_in(desk: RegradeDesk, sent: Any) -> Ruling | None:
    found = desk.within.drafts().filter(pk=key_from(sent, "draft")).first()
    return found if found and desk.may_change(found) else None


def _check(form: RegradeForm, regrade: Ruling) -> None:
    if form.is_valid_without_reason or form.is_valid():
        form.apply_to(regrade)
        for name, words in value_errors(regrade).items():
            form.add_error(name if name in form.fields else None, words)


def _save_draft(regrade: Ruling, draft: Ruling | None, form: RegradeForm) -> Ruling | None:
    try:
        if draft is None:
            return _wake_workers_for(services.draft_regrade(regrade=regrade))
        changes = {name: getattr(regrade, name) for name in services.CHOSEN_FIELDS}
        return _wake_workers_for(services.renew_dry_run(regrade=draft, **changes))
    except Refused as refusal:
        form.add_error(None, str(refusal))
        return None


def _wake_workers_for(draft: Ruling) -> Ruling:
    """Wake the workers if they are to run its dry run."""
    if draft.is_running:
        regrade_notifier.wake_after_commit()
    return draft


def _preview_context(desk: RegradeDesk, regrade: Ruling) -> dict[str, Any]:
    if is_long(regrade):
        return {"is_long": True, "at_once": MAX_ANSWERS_IN_REQUEST}
    changes, summary = dry_run(regrade)
    changed = {each.attempt for each in changes if each.outcome in APPENDING_OUTCOMES}
    summary |= student_counts(regrade, changed)
    summary |= counting_means(regrade, {each.attempt: each.total for each in changes})
    return {
        "is_run": True,
        "facts": presenters.summary_figures(summary),
        "notes": presenters.summary_notes(summary),
        "lines": presenters.change_rows(changes[:MAX_PREVIEW_LINES], desk.student_of),
        "more_lines": len(changes) - MAX_PREVIEW_LINES,
    }


def detail_at_desk(request: HttpRequest, desk: RegradeDesk, regrade_id: int) -> HttpResponse:
    """Show a regrade with its lines. A POST runs the dry run again, or discards it."""
    found = _found(desk, regrade_id)
    if request.method == "POST":
        return _handle_post(request, desk, found)
    wanted = LineFilter(request.GET)
    sittings = None if desk.every else desk.sittings
    lines = filtered_lines(found, sittings, **wanted.choice)
    # The page polls every second while a dry run is under way, and shows no lines.
    page = page_from_request(request, lines.none() if found.is_running else lines)
    is_stale = found.is_draft and marks_fingerprint(found) != found.seen
    stale = stale_lines(found, sittings)[:20] if is_stale else ()
    context = _described(found) | {
        "may_change": desk.may_change(found),
        "filter": wanted,
        "page": page,
        "lines": presenters.change_rows(stored_changes(page), desk.student_of),
        "is_stale": is_stale,
        "digest": fingerprint(found)
        if found.is_draft and not (is_stale or found.is_running)
        else "",
        "stale": presenters.change_rows(stored_changes(stale), desk.student_of),
        "undo": found.undone_by.not_drafts().first(),
        "change": _address_of_change(desk, found),
    }
    title = _("Regrade %(number)s") % {"number": found.pk}
    return _render_desk(request, desk, "one", title, context)


def _described(regrade: Ruling) -> dict[str, Any]:
    over = regrade.undoes or regrade
    return {
        "regrade": regrade,
        "over": presenters.describe_scope(over),
        "description": presenters.describe_values(regrade, choices_ever_offered(over)),
        "facts": presenters.summary_figures(regrade.summary),
        "notes": presenters.summary_notes(regrade.summary),
    }


def _address_of_change(desk: RegradeDesk, regrade: Ruling) -> str:
    sent = QueryDict(mutable=True)
    part = scope_key(regrade)
    sitting = regrade.sitting or regrade.quiz.own_sitting
    sent["sitting"] = str(sitting.pk)
    if regrade.sitting_id is None:
        sent["every"] = "1"
    sent["of"] = regrade.scope if part is None else f"{regrade.scope}-{part}"
    sent["kind"], sent["draft"] = regrade.kind, str(regrade.pk)
    for name, value in form_data(regrade).items():
        if isinstance(value, list):
            sent.setlist(name, value)
        elif value is not False:
            sent[name] = "on" if value is True else str(value)
    return f"{desk.base}new/?{sent.urlencode()}"


def _handle_post(request: HttpRequest, desk: RegradeDesk, regrade: Ruling) -> HttpResponse:
    if not desk.may_change(regrade):
        raise PermissionDenied
    try:
        if "discard" in request.POST:
            services.discard_regrade(regrade=regrade)
            messages.success(request, _("The dry run has been discarded. No marks have changed."))
            return redirect(desk.base)
        if not _wake_workers_for(services.renew_dry_run(regrade=regrade)).is_running:
            messages.success(request, _("The dry run has been updated with the current marks."))
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect(desk.page(regrade))


def apply_at_desk(request: HttpRequest, desk: RegradeDesk, regrade_id: int) -> HttpResponse:
    """Accept the dry run whose page the user saw, for the workers to apply."""
    found = _found(desk, regrade_id)
    if not desk.may_change(found):
        raise PermissionDenied
    if request.method == "POST":
        try:
            digest = request.POST.get("digest", "")
            services.accept_regrade(regrade=found, by=request.user, digest=digest)
            regrade_notifier.wake_after_commit()
            grading_notifier.wake_after_commit()
        except (Refused, Stale) as refusal:
            messages.error(request, str(refusal))
    return redirect(desk.page(found))


def undo_at_desk(request: HttpRequest, desk: RegradeDesk, regrade_id: int) -> HttpResponse:
    """Ask for a reason, then draft the undoing, which is a regrade too and begins as a dry run."""
    found = _found(desk, regrade_id)
    if not desk.may_change(found):
        raise PermissionDenied
    form = ReasonForm(request.POST or None, label_suffix="")
    try:
        services.check_undoable(found)
        if request.method == "POST" and form.is_valid():
            reason = form.cleaned_data["reason"]
            draft = services.draft_undo(regrade=found, by=request.user, reason=reason)
            return redirect(desk.page(_wake_workers_for(draft)))
    except Refused as refusal:
        messages.error(request, str(refusal))
        return redirect(desk.page(found))
    context = {"regrade": found, "form": form, "description": presenters.describe_values(found)}
    status = 422 if request.method == "POST" else 200
    return _render_desk(request, desk, "undo", _("Undo this regrade"), context, status=status)


def _found(desk: RegradeDesk, pk: int) -> Ruling:
    within = desk.within.select_related(
        *("quiz", "sitting", "slot", "question", "variant", "item", "by"),
        *("undoes__question", "undoes__slot", "undoes__variant"),
    )
    found = within.filter(pk=pk).first()
    if found is None:
        raise Http404(_("Regrade not found."))
    return found


def _render_desk(
    request: HttpRequest,
    desk: RegradeDesk,
    part: str,
    title: str,
    context: Mapping[str, Any],
    status: int = 200,
) -> HttpResponse:
    page = {"desk": desk, "part": f"quizzes/regrades/_{part}.html", "title": title}
    return render(request, desk.template, {**desk.more, **page, **context}, status=status)


regrades = _at_site(list_at_desk, "GET")
new_regrade = _at_site(new_at_desk, "GET", "POST")
regrade = _at_site(detail_at_desk, "GET", "POST")
apply_regrade = _at_site(apply_at_desk, "GET", "POST")
undo_regrade = _at_site(undo_at_desk, "GET", "POST")
