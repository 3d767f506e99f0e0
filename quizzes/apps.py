"""The quizzes app's configuration."""

from django.apps import AppConfig
from django.db.models.signals import post_save
from django.utils.translation import gettext_lazy


class QuizzesConfig(AppConfig):
    """The quizzes app: quizzes, attempts, and marks."""

    name = "quizzes"
    verbose_name = gettext_lazy("Quizzes")

    def ready(self):
        from audit import verbs
        from design import header
        from foundation import personal_data
        from lessons import extensions
        from outbox import kinds
        from quizzes import lesson_extension, personal, problems
        from quizzes.authoring.services.quizzes import create_own_sitting, freeze_missing_pools
        from quizzes.delivery.effective_settings import due_count
        from quizzes.items.services import withdrawal
        from quizzes.regrades import letters
        from quizzes.regrades import services as regrade_services
        from quizzes.reports import services as report_services
        from quizzes.written.loading import find_heads, load_family
        from quizzes.written.services import writing as written

        problems.register_loader(load_family, find_heads)
        extensions.register(lesson_extension)
        header.register(due_count)
        personal_data.register(personal.HOLDING)
        verbs.register(report_services.ANSWERED, gettext_lazy("answered a report by %(person)s"))
        verbs.register(
            report_services.CHANGED, gettext_lazy("changed the reply to a report by %(person)s")
        )
        verbs.register(withdrawal.WITHDRAWN, gettext_lazy("withdrew numbers of %(family)s"))
        verbs.register(withdrawal.RESTORED, gettext_lazy("restored numbers of %(family)s"))
        verbs.register(
            regrade_services.APPLIED,
            gettext_lazy("changed marks in “%(quiz)s” by %(target)s"),
            regrade_services.EVENT_MARKS,
        )
        verbs.register(
            regrade_services.UNDONE,
            gettext_lazy("undid %(target)s in “%(quiz)s”"),
            regrade_services.EVENT_MARKS,
        )
        verbs.register(written.PUBLISHED, gettext_lazy("published %(target)s"))
        verbs.register(written.WITHDRAWN, gettext_lazy("withdrew %(target)s"))
        letters.register_kind()
        kinds.register(
            kinds.Kind(
                key=written.LETTER,
                title=gettext_lazy("Corrections of problems that your quizzes ask"),
                template="quizzes/letters/problem_corrected",
                digest=True,
            )
        )
        kinds.register(
            kinds.Kind(
                key=report_services.LETTER,
                title=gettext_lazy("Replies to your reports on questions"),
                template="quizzes/letters/report_answered",
                digest=True,
            )
        )
        post_save.connect(create_own_sitting, sender="quizzes.Quiz")
        post_save.connect(freeze_missing_pools, sender="quizzes.Quiz")
