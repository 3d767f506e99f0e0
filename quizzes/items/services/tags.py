"""Sets, adds and removes tags of questions."""

from collections.abc import Collection

from django.db import transaction

from quizzes.models import QuestionTag


@transaction.atomic
def set_tags(*, key: str, tags: Collection[str]) -> None:
    """Give a question these tags and no others."""
    QuestionTag.objects.filter(key=key).exclude(tag__in=tags).delete()
    add_tags(keys=[key], tags=tags)


@transaction.atomic
def add_tags(*, keys: Collection[str], tags: Collection[str]) -> None:
    """Give questions these tags, besides those that they have."""
    rows = (QuestionTag(key=key, tag=tag) for key in keys for tag in tags)
    QuestionTag.objects.bulk_create(rows, ignore_conflicts=True)


@transaction.atomic
def remove_tags(*, keys: Collection[str], tags: Collection[str]) -> None:
    """Take these tags from questions."""
    QuestionTag.objects.filter(key__in=keys, tag__in=tags).delete()
