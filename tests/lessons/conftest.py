"""Lessons to test with."""

from pathlib import Path

import pytest

from lessons.models import Lesson
from lessons.services import import_lesson

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
