"""The Markdown editor: a plain textarea, to which a script adds a toolbar and a preview."""

from typing import Any

from django.forms import Media
from django.forms.widgets import Script
from django.http import HttpRequest
from django.urls import reverse
from unfold.widgets import UnfoldAdminTextareaWidget

from lessons import widgets
from lessons.pages.queries import images_readable_by, lessons_visible_to


class MarkdownEditor(UnfoldAdminTextareaWidget):
    template_name = "lessons/admin/markdown_editor.html"

    def __init__(self, *, rows: int):
        super().__init__({"rows": rows, "data-markdown": "", "spellcheck": "true"})

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        return context | {"preview_url": reverse("admin:lessons_lesson_preview")}

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        """Return the text with plain newlines: with CRLF every text would look changed."""
        text = super().value_from_datadict(data, files, name)
        return text.replace("\r\n", "\n") if text else text

    @property
    def media(self) -> Media:
        return Media(
            css={"all": ["lessons/authoring.css"]}, js=[Script("lessons/editor.js", type="module")]
        )


def editor_tools(request: HttpRequest) -> dict[str, Any]:
    """Return the context for the toolbar's menus."""
    return {
        "preview_url": reverse("admin:lessons_lesson_preview"),
        "widgets": [
            {
                "name": name.replace("_", " "),
                "about": widgets.widget(name).about,
                "example": widgets.example(name),
            }
            for name in widgets.names()
        ],
        "images": images_readable_by(request.user),
        "lessons": lessons_visible_to(request.user)
        .prefetch_related("sections")
        .only("slug", "title", "order"),
    }
