"""The app of the API."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy


class ApiConfig(AppConfig):
    """The API app: the endpoints for other programs and their tokens."""

    name = "api"
    verbose_name = gettext_lazy("API")

    def ready(self):
        from accounts import extensions as account_extensions
        from api import account, personal
        from api.services import VERBS
        from audit import verbs
        from classes.courses import extensions as course_extensions
        from foundation import personal_data

        for verb, words in VERBS.items():
            verbs.register(verb, words)
        personal_data.register(personal.HOLDING)
        account_extensions.register(account.account_section)
        course_extensions.register("api/_classes.html")
