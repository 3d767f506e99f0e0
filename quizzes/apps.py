"""The quizzes app."""

from django.apps import AppConfig


class QuizzesConfig(AppConfig):
    """Quizzes, attempts, and their marks."""

    name = "quizzes"
    verbose_name = "Quizzes"
