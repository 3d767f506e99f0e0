"""The admin of lesson images."""

from django import forms
from django.contrib import admin, messages
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin
from unfold.decorators import display
from unfold.widgets import UnfoldAdminFileFieldWidget

from foundation.guarded_admin import GuardedAdmin
from lessons.authoring.images import MAX_BYTES, inspect_image
from lessons.authoring.services import remove_image, save_image
from lessons.errors import ContentError
from lessons.models import Lesson, LessonImage
from lessons.pages.queries import images_readable_by, lessons_showing, may_change_image


class ImageForm(forms.ModelForm):
    """An upload form that validates the image by its content alone."""

    file = forms.FileField(
        label=gettext_lazy("Image"),
        widget=UnfoldAdminFileFieldWidget(attrs={"accept": ".png,.jpg,.jpeg,.webp"}),
        help_text=gettext_lazy("PNG, JPEG or WebP, up to 2 MB and 4000 pixels on each side."),
    )

    class Meta:
        model = LessonImage
        fields = ("file", "name", "alt")

    content: bytes | None = None

    def clean_file(self):
        upload = self.cleaned_data["file"]
        if "file" not in self.changed_data:
            return upload
        content = upload.read(MAX_BYTES + 1)
        try:
            inspect_image(content)
        except ContentError as wrong:
            raise forms.ValidationError(str(wrong)) from None
        self.content = content
        return upload


@admin.register(LessonImage)
class LessonImageAdmin(GuardedAdmin, ModelAdmin):
    form = ImageForm
    fields = ("file", "name", "alt")
    list_display = ("picture", "name", "alt", "size", "updated")
    list_display_links = ("picture", "name")
    search_fields = ("name", "alt")

    def get_queryset(self, request):
        readable = images_readable_by(request.user).values("pk")
        return super().get_queryset(request).filter(pk__in=readable)

    def has_change_permission(self, request, obj=None):
        """Return whether the user may change the image, and so every lesson that shows it."""
        permitted = super().has_change_permission(request, obj)
        return permitted and (obj is None or may_change_image(request.user, obj))

    @display(description=gettext_lazy("Image"))
    def picture(self, image):
        size = (image.get_absolute_url(), image.alt, *_fitted(image.width, image.height))
        return format_html('<img src="{}" alt="{}" width="{}" height="{}">', *size)

    @display(description=gettext_lazy("Pixels"))
    def size(self, image):
        return f"{image.width} × {image.height}"

    def save_model(self, request, obj, form, change):
        stored = LessonImage.objects.get(pk=obj.pk) if change else None
        kept = save_image(name=obj.name, alt=obj.alt, content=form.content, image=stored)
        obj.__dict__.update(kept.__dict__)
        words = _("To show it in a lesson, write ![%(alt)s](image:%(name)s).")
        messages.info(request, words % {"alt": kept.alt, "name": kept.name})

    def get_readonly_fields(self, request, obj=None):
        """Make the name read-only while lessons refer to the image by it."""
        return ("name",) if obj and lessons_showing(obj) else ()

    def has_delete_permission(self, request, obj=None):
        """Return whether the image can be deleted: not while a lesson shows it."""
        shown = obj is not None and lessons_showing(obj)
        return super().has_delete_permission(request, obj) and not shown

    def delete_model(self, request, obj):
        remove_image(image=obj)

    def delete_queryset(self, request, queryset):
        for image in queryset:
            if lessons := lessons_showing(image):
                readable = Lesson.objects.visible_to(request.user)
                named = readable.filter(pk__in=[lesson.pk for lesson in lessons])
                where = ", ".join(map(str, named)) or _("other people’s lessons")
                words = _("%(image)s wasn’t deleted because it’s used in %(lessons)s.")
                messages.warning(request, words % {"image": image, "lessons": where})
            else:
                remove_image(image=image)


def _fitted(width: int, height: int, side: int = 72) -> tuple[int, int]:
    shrink = min(1, side / max(width, height))
    return max(1, round(width * shrink)), max(1, round(height * shrink))
