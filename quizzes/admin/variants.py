"""Admin: example variants of a slot, and withdrawn numbers."""

import json

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin
from unfold.decorators import display

from quizzes import problems
from quizzes.authoring.queries import slot_pool
from quizzes.items.presenters.texts import strip_markup
from quizzes.items.presenters.variants import (
    difficulty_spread,
    render_pooled_questions,
    variant_context,
)
from quizzes.items.queries import (
    attempts_by_mode,
    draw_unsaved_variant,
    topic_titles,
    withdrawal_of,
    withdrawals_by_fingerprint,
)
from quizzes.items.services.withdrawal import restore_variant, withdraw_variant
from quizzes.models import Attempt, Slot, StruckOut, Variant
from quizzes.written.queries import is_written, may_read, unreadable_keys

PAGE_SIZE = 20
MAX_PAGES = 500
MAX_SEED_LENGTH = 60


class VariantsPageForm(forms.Form):
    """The seed from which variants are drawn, and the page of them."""

    seed = forms.RegexField(
        r"^[A-Za-z0-9_-]{1,40}$",
        required=False,
        error_messages={
            "invalid": gettext_lazy("A seed can have up to 40 letters, digits, - and _.")
        },
    )
    page = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MAX_PAGES,
        error_messages={
            name: gettext_lazy("Page numbers go from 1 to %(most)s.") % {"most": MAX_PAGES}
            for name in ("invalid", "min_value", "max_value")
        },
    )

    @property
    def asked(self) -> tuple[str, int]:
        return self.cleaned_data["seed"] or "1", self.cleaned_data["page"] or 1


class VariantsMixin:
    """ModelAdmin mixin: pages of variants and of pools."""

    def get_urls(self):
        view = self.admin_site.admin_view
        return [
            path("slots/<key:slot>/variants/", view(self.of_slot), name="quizzes_slot_variants"),
            path("variants/", view(self.of_family), name="quizzes_family_variants"),
            *super().get_urls(),
        ]

    def of_slot(self, request: HttpRequest, slot: int) -> HttpResponse:
        """Show what a slot of a quiz asks for: twenty variants, or its pool of questions."""
        asked = Slot.objects.filter(pk=slot).select_related("quiz").first()
        if not self.has_view_permission(request, asked and asked.quiz):
            raise PermissionDenied
        if asked is None:
            raise Http404(_("Slot not found."))
        context = {"slot": asked}
        if asked.topic:
            return _pool(request, context, asked)
        version = asked.family_version
        return _variants(request, context, asked.family, asked.options, version)

    def of_family(self, request: HttpRequest) -> HttpResponse:
        """Show twenty variants of the family in the address, at the sizes given there."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        sizes = {key: size for key, size in request.GET.items() if key not in RESERVED_PARAMETERS}
        options = {key: int(size) if size.isdecimal() else size for key, size in sizes.items()}
        return _variants(request, {"sizes": sizes}, request.GET.get("family", ""), options)


RESERVED_PARAMETERS = ("family", "seed", "page")


def _variants(request, context, family, options, version=None) -> HttpResponse:
    if not may_read(request.user, family):
        raise Http404(_("Problem not found."))
    leaf = VariantsPageForm(request.GET)
    context |= {
        "title": problems.family_title(family, version),
        "summary": problems.family_summary(family, version),
    }
    if not leaf.is_valid():
        return _trouble(request, context, [each[0] for each in leaf.errors.values()])
    seed, page = leaf.asked
    first = (page - 1) * PAGE_SIZE + 1
    numbers = range(first, first + PAGE_SIZE)
    try:
        kind = problems.kind_of(family, options, version)
        drawn = problems.draw_samples(kind, [f"{seed}.{number}" for number in numbers])
    except problems.UnknownKind as unknown:
        return _trouble(request, context, [f"{unknown}."])
    # A kind with few numbers repeats some of them.
    different = {each["fingerprint"]: each for each in reversed(drawn)}
    drawn = [each for each in drawn if different[each["fingerprint"]] is each]
    found = withdrawals_by_fingerprint(family, different)
    context |= {
        "kind": kind,
        "seed": seed,
        "page": page,
        "previous": page - 1,
        "next": page + 1 if page < MAX_PAGES else None,
        "numbers": f"{first}–{first + len(drawn) - 1}",
        "fewer": len(drawn) < PAGE_SIZE,
        "spread": difficulty_spread(drawn),
        "variants": [
            variant_context(each, number=number, withdrawal=found.get(each["fingerprint"]))
            for number, each in enumerate(drawn, start=first)
        ],
        "may_strike": request.user.has_perm("quizzes.add_struckout"),
    }
    return render(request, "quizzes/admin/variants.html", context)


def _trouble(request, context, troubles) -> HttpResponse:
    return render(
        request, "quizzes/admin/variants.html", context | {"troubles": troubles}, status=400
    )


def _pool(request, context, slot) -> HttpResponse:
    questions = slot_pool(slot)
    context |= {
        "title": topic_titles().get(slot.topic, slot.topic),
        "questions": render_pooled_questions(questions),
    }
    return render(request, "quizzes/admin/pool.html", context)


class ReasonForm(forms.Form):
    """The reason for withdrawing numbers."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("What’s misleading about them. Other authors will see this."),
    )


class FamilyFilter(admin.AllValuesFieldListFilter):
    """Filter by family, without the problems that the user must not read."""

    def __init__(self, field, request, params, model, model_admin, field_path):
        super().__init__(field, request, params, model, model_admin, field_path)
        unreadable = unreadable_keys(request.user)
        self.lookup_choices = self.lookup_choices.exclude(**{f"{field.name}__in": unreadable})


@admin.register(StruckOut)
class StruckOutAdmin(ModelAdmin):
    """Withdrawn numbers, which nobody is given. Deleting a row restores them."""

    list_display = ("numbers", "reason", "by", "at")
    list_filter = ("at", ("variant__family", FamilyFilter))
    list_select_related = ("variant", "by")
    search_fields = ("reason", "variant__kind")
    fields = readonly_fields = ("numbers", "whole", "reason", "by", "at")

    def has_change_permission(self, request, obj=None):
        return False

    def get_queryset(self, request):
        """Leave out numbers of other instructors’ problems that the user must not read."""
        rows = super().get_queryset(request)
        return rows.exclude(variant__family__in=unreadable_keys(request.user))

    @display(description=gettext_lazy("Numbers"), ordering="variant__kind")
    def numbers(self, withdrawal):
        variant = withdrawal.variant
        sizes = ", ".join(f"{name} {size}" for name, size in variant.options.items())
        given = "; ".join(f"{name} = {value}" for name, value in variant.givens.items())
        title = problems.family_title(variant.family, variant.version)
        return f"{title} ({sizes}): {strip_markup(given)[:200]}"

    @display(description=gettext_lazy("Question"))
    def whole(self, withdrawal):
        address = withdrawal_url(withdrawal.variant)
        return format_html('<a href="{}">{}</a>', address, _("Show all of it"))

    def add_view(self, request, form_url="", extra_context=None):
        """Show the variant in the address, and ask for a reason. A POST withdraws it."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        if not {"variant", "kind"} & request.GET.keys():
            words = _(
                "You can withdraw numbers wherever they’re shown: in a slot, an attempt or a"
                " report."
            )
            messages.info(request, words)
            return redirect("admin:quizzes_struckout_changelist")
        variant = _variant_from(request.GET)
        if variant is None or not may_read(request.user, variant.family):
            raise Http404(_("Numbers not found."))
        before = withdrawal_of(variant)
        form = ReasonForm(request.POST or None)
        if before is None and form.is_valid():
            withdraw_variant(variant=variant, by=request.user, reason=form.cleaned_data["reason"])
            messages.success(request, _("Withdrawn. Nobody will be given these numbers again."))
            return redirect("admin:quizzes_struckout_changelist")
        context = {
            "form": form,
            "shown": variant_context(vars(variant), withdrawal=before),
            "title": problems.family_title(variant.family, variant.version),
            "kind": variant.kind,
            "uses": attempts_by_mode(variant) if variant.pk else {},
            "for_exams": variant.for_exams,
            "modes": Attempt.Mode,
        }
        status = 400 if form.errors else 200
        return render(request, "quizzes/admin/strike_out.html", context, status=status)

    def delete_model(self, request, withdrawal):
        restore_variant(withdrawal=withdrawal, by=request.user)

    def delete_queryset(self, request, queryset):
        for withdrawal in queryset:
            restore_variant(withdrawal=withdrawal, by=request.user)


def withdrawal_url(variant: Variant) -> str:
    """Return the address where a stored variant can be withdrawn."""
    return f"{reverse('admin:quizzes_struckout_add')}?{urlencode({'variant': variant.pk})}"


def _variant_from(sent) -> Variant | None:
    """Return the stored variant with the sent key, or draw the one of the sent kind and seed."""
    if "variant" in sent:
        key = sent["variant"]
        known = key.isascii() and key.isdecimal() and len(key) < 18
        return Variant.objects.filter(pk=key).first() if known else None
    try:
        family, version, options = sent.get("kind", "").split("/", 2)
        named = int(version) if is_written(family) else None
        kind = problems.kind_of(family, json.loads(options), named)
        return draw_unsaved_variant(kind, sent.get("seed", "")[:MAX_SEED_LENGTH])
    except (problems.UnknownKind, ValueError, RecursionError):
        return None
