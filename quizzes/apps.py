"""The quizzes app."""

from django.apps import AppConfig
from django.db.models.signals import post_save
from django.utils.translation import gettext_lazy


class QuizzesConfig(AppConfig):
    """Quizzes, attempts, and their marks."""

    name = "quizzes"
    verbose_name = gettext_lazy("Quizzes")

    def ready(self):
        from lessons import extensions
        from quizzes import lesson_extension, personal
        from quizzes.services.authoring import begin_own_sitting

        extensions.register(lesson_extension)
        personal.hold()
        post_save.connect(begin_own_sitting, sender="quizzes.Quiz")
