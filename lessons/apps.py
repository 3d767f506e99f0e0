from django.apps import AppConfig
from django.utils.translation import gettext_lazy


class LessonsConfig(AppConfig):
    name = "lessons"
    verbose_name = gettext_lazy("Lessons")

    def ready(self) -> None:
        from lessons import personal
        from lessons.authoring import moments  # noqa: F401 - it listens to what is saved

        personal.hold()
