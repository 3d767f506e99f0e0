"""Saves, publishes and withdraws quizzes."""

from typing import Any

from django.db import transaction

from quizzes.authoring.services.pools import freeze_pools
from quizzes.authoring.services.publishing import find_obstacles
from quizzes.models import PooledQuestion, Quiz, Sitting, Slot


def create_own_sitting(instance: Quiz, *, created: bool, raw: bool, **_: Any) -> None:
    """Give every new quiz its own sitting, wherever it is created. A signal receiver."""
    if created and not raw:
        instance.own_sitting = Sitting.objects.create(quiz=instance)


def freeze_missing_pools(instance: Quiz, *, raw: bool, **_: Any) -> None:
    """Freeze a pool for every topic of a published quiz that has none, however it was published."""
    if instance.published and not raw:
        pooled = PooledQuestion.objects.filter(quiz=instance).order_by().values("topic")
        slots = Slot.objects.filter(quiz=instance).exclude(topic="").exclude(topic__in=pooled)
        if topics := set(slots.order_by().values_list("topic", flat=True)):
            freeze_pools(quiz=instance, topics=topics)


@transaction.atomic
def save_quiz(*, quiz: Quiz, sitting: Sitting) -> None:
    """Save a quiz with its own sitting, and freeze its pools if that publishes it."""
    anew = quiz.published and not Quiz.objects.filter(pk=quiz.pk, published=True).exists()
    quiz.save()
    sitting.pk, sitting.quiz = quiz.own_sitting.pk, quiz
    sitting.save(force_update=True)
    quiz.own_sitting = sitting
    if anew:
        freeze_pools(quiz=quiz)


@transaction.atomic
def publish_quiz(*, quiz: Quiz) -> list[str]:
    """Publish the quiz, or return what keeps it from being published.

    Publishing again freezes its pools again.
    """
    troubles = find_obstacles(quiz)
    if not troubles:
        quiz.published = True
        quiz.save(update_fields=["published"])
        freeze_pools(quiz=quiz)
    return troubles


def withdraw_quiz(*, quiz: Quiz) -> None:
    """Keep students from starting the quiz; open attempts go on."""
    quiz.published = False
    quiz.save(update_fields=["published"])
