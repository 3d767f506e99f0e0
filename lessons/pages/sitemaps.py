"""The sitemap of lessons."""

from django.contrib.sitemaps import Sitemap
from django.urls import reverse

from lessons.models import Lesson


class LessonSitemap(Sitemap):
    """The catalogue, and every published lesson with the day of its last change."""

    def items(self):
        return [None, *Lesson.objects.filter(published=True).only("slug", "updated", "order")]

    def location(self, lesson):
        return lesson.get_absolute_url() if lesson else reverse("lessons:catalogue")

    def lastmod(self, lesson):
        return lesson and lesson.updated
