"""The classes app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy


class ClassesConfig(AppConfig):
    """Courses, and the people in them."""

    name = "classes"
    verbose_name = gettext_lazy("Classes")

    def ready(self):
        from audit import verbs
        from classes import home, invitations, letters, notices, personal, terms
        from classes.presenters import DEEDS
        from quizzes import extensions
        from quizzes import terms as terms_of_quizzes

        for verb, words in DEEDS.items():
            verbs.register(verb, words)
        extensions.register(home.part)
        terms_of_quizzes.register(terms)
        invitations.watch()
        letters.register()
        notices.register()
        personal.hold()
