from django.apps import AppConfig
from django.utils.translation import gettext_lazy


class LessonsConfig(AppConfig):
    name = "lessons"
    verbose_name = gettext_lazy("Lessons")

    def ready(self) -> None:
        from foundation import personal_data
        from lessons import personal
        from lessons.authoring import moments  # noqa: F401 - it listens to what is saved

        personal_data.register(personal.HOLDING)
