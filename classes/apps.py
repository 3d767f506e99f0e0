"""The classes app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy


class ClassesConfig(AppConfig):
    """Courses, and the people in them."""

    name = "classes"
    verbose_name = gettext_lazy("Classes")

    def ready(self):
        from audit import verbs
        from classes import home, invitations, personal
        from classes.presenters import DEEDS
        from quizzes import extensions

        for verb, words in DEEDS.items():
            verbs.register(verb, words)
        extensions.register(home.part)
        invitations.watch()
        personal.hold()
