"""The titles of skills, and the addresses where they are practised."""

from collections.abc import Mapping
from functools import lru_cache

from django.urls import reverse
from django.utils.translation import gettext as _

from quizzes import problems
from quizzes.items.skills import MISTAKES, TODAY, Skill
from quizzes.models import Item, Slot, Topic

Part = Topic.Part


def skill_title(skill: Skill, titles: Mapping[str, str]) -> str:
    """Return the title of a skill; `titles` has those of topics."""
    if skill.is_numeric:
        return problems.family_title(skill.key)
    if skill.of == MISTAKES:
        return _("Questions to fix")
    if skill.of == TODAY:
        return _("Today’s review")
    return titles.get(skill.key) or skill.key.replace("-", " ").capitalize()


def item_title(item: Item, titles: Mapping[str, str]) -> str:
    """Return the title of what an item asks, that of a problem in the version it was asked in.

    `titles` has those of topics.
    """
    if item.variant:
        return problems.title_of_kind(item.variant.kind)
    return skill_title(Skill.of_item(item.asked), titles)


def slot_title(slot: Slot, titles: Mapping[str, str]) -> str:
    """Return the title of what a slot asks; `titles` has those of topics."""
    if slot.family:
        return problems.family_title(slot.family, slot.family_version)
    return titles.get(slot.topic, slot.topic)


@lru_cache(maxsize=1024)
def skill_url(skill: Skill) -> str:
    """Return the address where a skill is practised."""
    return reverse("quizzes:skill", args=[skill.of, skill.key])


def skills_url(lesson: str) -> str:
    """Return the address of the list of skills that the lesson with this slug teaches."""
    return f"{reverse('quizzes:skills')}?lesson={lesson}"
