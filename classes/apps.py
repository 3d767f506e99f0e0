"""App configuration of classes."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy


class ClassesConfig(AppConfig):
    name = "classes"
    verbose_name = gettext_lazy("Classes")

    def ready(self):
        from accounts import extensions as account_extensions
        from audit import verbs
        from classes import home, personal
        from classes.access import visibility
        from classes.access.queries import items_visible_to, teaches
        from classes.assignments import effective_settings, waiting_letters
        from classes.assignments import letters as assignment_letters
        from classes.courses.queries import count_waiting
        from classes.history.words import MARKS, VERB_WORDS
        from classes.people import invitations
        from classes.people import letters as people_letters
        from classes.watching import letters as watching_letters
        from design import header
        from foundation import personal_data
        from lessons.extensions import register_image_visibility
        from quizzes import visibility as quiz_visibility
        from quizzes.delivery import effective_settings as delivery_effective_settings
        from quizzes.home import extensions as home_extensions

        for verb, words in VERB_WORDS.items():
            verbs.register(verb, words, MARKS.get(verb, ()))
        header.register_waiting(count_waiting)
        home_extensions.register(home.classes_part)
        account_extensions.register(home.calendar_section)
        account_extensions.register_staff(teaches)
        register_image_visibility(items_visible_to)
        delivery_effective_settings.register(effective_settings)
        quiz_visibility.register(visibility)
        invitations.connect_signals()
        watching_letters.register()
        assignment_letters.register()
        waiting_letters.register()
        people_letters.register()
        personal_data.register(personal.HOLDING)
