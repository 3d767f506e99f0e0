"""The quizzes app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy


class QuizzesConfig(AppConfig):
    """Quizzes, attempts, and their marks."""

    name = "quizzes"
    verbose_name = gettext_lazy("Quizzes")

    def ready(self):
        from lessons import extensions
        from quizzes import lesson_extension, personal

        extensions.register(lesson_extension)
        personal.hold()
