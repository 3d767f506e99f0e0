"""Lessons to test with."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from lessons.authoring.services import import_lesson
from lessons.models import Lesson

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
def small(db) -> Lesson:
    return import_lesson(text=SMALL)


@pytest.fixture
def author(django_user_model):
    return django_user_model.objects.create_superuser("author@example.org", "secret")


@pytest.fixture
def desk(client: Client, author) -> Client:
    client.force_login(author)
    return client


def form_of(desk, lesson) -> dict:
    """What a browser would send back untouched, with a browser's line ends."""
    context = desk.get(reverse("admin:lessons_lesson_change", args=[lesson.pk])).context
    data = dict(context["adminform"].form.initial)
    for formset in (inline.formset for inline in context["inline_admin_formsets"]):
        data |= {
            formset.add_prefix(key): value for key, value in formset.management_form.initial.items()
        }
        for form in formset.initial_forms:
            data |= {form.add_prefix(name): form[name].value() for name in form.fields}
    data = {name: value for name, value in data.items() if value not in (None, False)}
    return {k: v.replace("\n", "\r\n") if isinstance(v, str) else v for k, v in data.items()}


def save(desk, lesson, **changes):
    data = form_of(desk, lesson) | changes
    return desk.post(reverse("admin:lessons_lesson_change", args=[lesson.pk]), data)


def errors_of(response) -> dict:
    """What a refused form says, by field."""
    errors = dict(response.context["adminform"].form.errors)
    for inline in response.context["inline_admin_formsets"]:
        for form in inline.formset.initial_forms:
            errors |= {form.add_prefix(name): found for name, found in form.errors.items()}
    return errors
