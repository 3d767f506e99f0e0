"""Admin for people and their roles."""

import allauth.account.admin
import allauth.mfa.admin
import allauth.usersessions.admin  # noqa: F401 - these register what is unregistered below
from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django import forms
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as BaseGroupAdmin
from django.contrib.auth.admin import UserAdmin as BaseUserAdmin
from django.contrib.auth.models import Group
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.admin import ModelAdmin, TabularInline
from unfold.decorators import display
from unfold.forms import AdminPasswordChangeForm, UserChangeForm
from unfold.forms import UserCreationForm as UnfoldUserCreationForm

from accounts import security_log
from accounts.models import User
from accounts.personal import forget, includes_last_administrator
from accounts.roles import INSTRUCTORS, make_instructor
from accounts.second_factor import remove_second_factor
from accounts.views import data_response
from foundation.folded_names import contains_words, folded_words
from foundation.guarded_admin import GuardedAdmin

# No lists of their own: a person's addresses are edited on the person's page.
admin.site.unregister(Authenticator)  # it would show secrets; an action removes lost factors
admin.site.unregister(EmailAddress)
admin.site.unregister(UserSession)  # users see and end their own
admin.site.unregister(Group)


@admin.register(Group)
class GroupAdmin(GuardedAdmin, BaseGroupAdmin, ModelAdmin):
    pass


class UserCreationForm(UnfoldUserCreationForm):
    class Meta:
        model = User
        fields = ("email", "name")


class EmailAddressForm(forms.ModelForm):
    class Meta:
        model = EmailAddress
        fields = ("email", "verified", "primary")
        labels = {
            "email": gettext_lazy("email address"),
            "verified": gettext_lazy("confirmed"),
            "primary": gettext_lazy("primary"),
        }


class EmailAddressInline(TabularInline):
    model = EmailAddress
    form = EmailAddressForm
    extra = 0
    verbose_name = gettext_lazy("email address")
    verbose_name_plural = gettext_lazy("email addresses")


@admin.register(User)
class UserAdmin(GuardedAdmin, BaseUserAdmin, ModelAdmin):
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm

    list_display = ("email", "name", "role", "is_active", "date_joined")
    list_filter = ("is_active", "is_staff", "is_superuser", "groups")
    search_fields = ("email",)  # see get_search_results
    ordering = ("email",)
    readonly_fields = ("last_login", "date_joined")
    fieldsets = (
        (None, {"fields": ("email", "name", "sorts_as", "password")}),
        (
            gettext_lazy("Role"),
            {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")},
        ),
        (gettext_lazy("Dates"), {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = (
        (None, {"classes": ("wide",), "fields": ("email", "name", "password1", "password2")}),
    )
    inlines = (EmailAddressInline,)
    actions = ("make_instructors", "hand_out_data", "remove_second_factors")

    def save_model(self, request, obj, form, change):
        super().save_model(request, obj, form, change)
        changed = {"is_active", "is_staff", "is_superuser"} & set(form.changed_data)
        if changed:
            about = f"{', '.join(sorted(changed))} by user {request.user.pk}"
            security_log.log_event("role changed", user=obj, request=request, about=about)

    def get_inlines(self, request, obj):
        return super().get_inlines(request, obj) if obj else ()

    def get_search_results(self, request, queryset, search_term):
        """Search for people whose name or address has every word, ignoring case and accents."""
        return queryset.filter(contains_words(folded_words(search_term), "folded")), False

    def get_queryset(self, request):
        return super().get_queryset(request).prefetch_related("groups")

    @display(description=gettext_lazy("role"))
    def role(self, user):
        if user.is_superuser:
            return _("Administrator")
        # Uses the prefetched groups: a query here would run once for every row.
        is_instructor = any(group.name == INSTRUCTORS for group in user.groups.all())
        return _("Instructor") if user.is_staff and is_instructor else _("Student")

    @admin.action(
        description=gettext_lazy("Make the selected people instructors"), permissions=["change"]
    )
    def make_instructors(self, request, users):
        for user in users:
            make_instructor(user)
        words = ngettext(
            "Made %(count)s person an instructor.", "Made %(count)s people instructors.", len(users)
        )
        self.message_user(request, words % {"count": len(users)})

    @admin.action(
        description=gettext_lazy("Download the data of the selected people"), permissions=["change"]
    )
    def hand_out_data(self, request, users):
        return data_response(*users.order_by("pk"))

    @admin.action(
        description=gettext_lazy("Turn off two-step login for the selected people"),
        permissions=["change"],
    )
    def remove_second_factors(self, request, users):
        """Remove second factors of people who lost them all and have proved who they are."""
        changed = [user for user in users if remove_second_factor(user=user)]
        for user in changed:
            about = f"all by user {request.user.pk}"
            security_log.log_event("second factor removed", user=user, request=request, about=about)
            get_adapter().send_notification_mail("mfa/email/removed_for_you", user)
        words = ngettext(
            "Turned off two-step login for %(count)s person and told them by email.",
            "Turned off two-step login for %(count)s people and told them by email.",
            len(changed),
        )
        self.message_user(request, words % {"count": len(changed)})

    # Deleting a person erases what identifies them; their marks stay, without a name.

    def get_deleted_objects(self, objs, request):
        """Return what the confirmation page shows; a person's rows never block the deletion."""
        lines = [
            *(str(user) for user in objs),
            _(
                "Deleted: name, email addresses, password, sessions, extra time, drafts and"
                " reading history."
            ),
            _(
                "Kept without a name: attempts with their answers and marks, and anything they"
                " wrote."
            ),
        ]
        lacking = () if self.has_delete_permission(request) else (self.opts.verbose_name,)
        last = _("This is the last administrator. Make someone else an administrator first.")
        in_the_way = [last] if includes_last_administrator(objs) else []
        return lines, {self.opts.verbose_name_plural: len(objs)}, set(lacking), in_the_way

    def delete_model(self, request, user):
        forget(user=user)
        # `forget` has deleted the entry logged before it, which contained the name.
        self.log_deletions(request, User.objects.filter(pk=user.pk))

    def delete_queryset(self, request, users):
        for user in list(users):
            self.delete_model(request, user)
