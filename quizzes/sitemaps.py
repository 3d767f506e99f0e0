"""The pages of quizzes that search engines may know."""

from django.contrib.sitemaps import Sitemap

from quizzes.queries import open_quizzes


class QuizSitemap(Sitemap):
    """The page before the start of every published quiz."""

    def items(self):
        return open_quizzes()
