"""The pages of quizzes for search engines."""

from django.contrib.sitemaps import Sitemap
from django.urls import reverse

from quizzes.authoring.queries import open_quizzes


class QuizSitemap(Sitemap):
    """The list of quizzes, and the start page of every published one."""

    def items(self):
        return [None, *open_quizzes()]

    def location(self, quiz):
        return quiz.get_absolute_url() if quiz else reverse("quizzes:quizzes")
