"""The quizzes app."""

from django.apps import AppConfig
from django.db.models.signals import post_save
from django.utils.translation import gettext_lazy


class QuizzesConfig(AppConfig):
    """Quizzes, attempts, and their marks."""

    name = "quizzes"
    verbose_name = gettext_lazy("Quizzes")

    def ready(self):
        from audit import verbs
        from lessons import extensions
        from outbox import kinds
        from quizzes import lesson_extension, personal
        from quizzes.services import reporting
        from quizzes.services.authoring import begin_own_sitting

        extensions.register(lesson_extension)
        personal.hold()
        verbs.register(reporting.ANSWERED, gettext_lazy("answered a report by %(person)s"))
        verbs.register(
            reporting.CHANGED, gettext_lazy("changed the answer to a report by %(person)s")
        )
        kinds.register(
            kinds.Kind(
                key=reporting.LETTER,
                title=gettext_lazy("Answers to what you reported of a question"),
                template="quizzes/letters/report_answered",
                digest=True,
            )
        )
        post_save.connect(begin_own_sitting, sender="quizzes.Quiz")
