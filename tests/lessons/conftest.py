"""Lessons for the tests, and their admin."""

from io import BytesIO
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from PIL import Image

from lessons.authoring.services import import_lesson
from lessons.models import Lesson
from tests.world import admin_form

CONTENT = Path(__file__).resolve().parents[2] / "content"
SMALL = """\
---
slug: small
title: A small lesson
tagline: So small.
level: beginner
minutes: 5
order: 7
published: true
today: |
  First line,
  second line.
words:
- term: token
  forms: tokens
  meaning: A piece of text.
---

## First {#one}

A token, more tokens.

## Second thoughts

The formula $x^2$.
"""


@pytest.fixture
def media_folder(settings, tmp_path):
    """The folder of this test's pictures."""
    settings.MEDIA_ROOT = tmp_path / "media"
    return settings.MEDIA_ROOT


def make_image(kind: str = "PNG", size: tuple[int, int] = (6, 4), **options) -> bytes:
    file = BytesIO()
    Image.new("RGB", size, "orange").save(file, kind, **options)
    return file.getvalue()


@pytest.fixture
def small_lesson(db) -> Lesson:
    return import_lesson(text=SMALL)


@pytest.fixture
def author(django_user_model):
    return django_user_model.objects.create_superuser("author@example.org", "secret")


@pytest.fixture
def author_client(client: Client, author) -> Client:
    client.force_login(author)
    return client


def save_in_admin(desk, lesson, **changes):
    """Save the form as a browser would, with its line ends."""
    url = reverse("admin:lessons_lesson_change", args=[lesson.pk])
    data = admin_form(desk.get(url)).items()
    typed = {k: v.replace("\n", "\r\n") if isinstance(v, str) else v for k, v in data}
    return desk.post(url, typed | changes)


def errors_of(response) -> dict:
    """Return a refused form's errors by field."""
    errors = dict(response.context["adminform"].form.errors)
    for inline in response.context["inline_admin_formsets"]:
        for form in inline.formset.initial_forms:
            errors |= {form.add_prefix(name): found for name, found in form.errors.items()}
    return errors
