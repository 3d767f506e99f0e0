"""The admin of lessons, their sections, words and images."""

from lessons.admin import image, lesson  # noqa: F401 - they register themselves
