"""The skill map: a student's skills by parts of the model, and those to practise first."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from lessons.models import Lesson, Section
from quizzes import problems
from quizzes.items.presenters.curves import MAX_OUTCOMES, Curve, draw_curve
from quizzes.items.presenters.skills import Part, skill_title, skill_url
from quizzes.items.presenters.texts import whole_minutes
from quizzes.items.skills import FAMILY, TOPIC, Skill
from quizzes.models import Topic
from quizzes.practice.queries.skill_records import NEW, SHAKY, SOLID, SkillRecord
from quizzes.practice.queries.spaced_review import Today, minutes_for

STANDINGS = {NEW: gettext_lazy("new"), SHAKY: gettext_lazy("shaky"), SOLID: gettext_lazy("solid")}


@dataclass(frozen=True)
class SkillLine:
    """A skill, with its standing and history once it was asked.

    Attributes:
        try_url: where visitors, who have no practice, can work on it.
    """

    skill: Skill
    title: str
    url: str
    count: int = 0
    right: int = 0
    standing: str = NEW
    curve: Curve | None = None
    try_url: str = ""

    @property
    def word(self) -> str:
        """The standing in words."""
        return str(STANDINGS[self.standing])


def skill_line(
    skill: Skill, titles: Mapping[str, str], record: SkillRecord | None = None
) -> SkillLine:
    """Return the line of a skill; `titles` are those of topics."""
    title, url = skill_title(skill, titles), skill_url(skill)
    if record is None:
        return SkillLine(skill, title, url)
    shares = [outcome.share for outcome in record.outcomes]
    return SkillLine(
        skill,
        title,
        url,
        count=len(shares),
        right=sum(not outcome.missed for outcome in record.outcomes),
        standing=record.standing,
        curve=draw_curve(shares[-MAX_OUTCOMES:]) if len(shares) > 1 else None,
    )


MAX_RECOMMENDED = 3


@dataclass(frozen=True)
class Recommendation:
    """A skill to practise first, and why."""

    line: SkillLine
    says: str

    @property
    def minutes(self) -> int:
        """The minutes that a question on it takes."""
        return whole_minutes(minutes_for(self.line.skill))


def recommend_skills(
    lines: Iterable[SkillLine], read: Collection[Skill] = ()
) -> list[Recommendation]:
    """Return the skills to practise first, of these lines, the weakest of which come first.

    Shaky ones, then those that the lesson `read` last teaches, then the others that are not solid.
    """
    open_lines = [line for line in lines if line.standing != SOLID]
    open_lines.sort(key=lambda line: (line.standing != SHAKY, line.skill not in read))
    return [
        Recommendation(line, _reason(line, place, read))
        for place, line in enumerate(open_lines[:MAX_RECOMMENDED])
    ]


def _reason(line: SkillLine, place: int, read: Collection[Skill]) -> str:
    if line.standing == SHAKY:
        return _("shaky so far") if place else _("your weakest skill so far")
    return _("from the lesson you read last") if line.skill in read else _("still new to you")


# The parts of the model, each with the question it answers; at the end, skills about none.
PARTS = {
    Part.VECTORS: gettext_lazy("How do words become numbers?"),
    Part.DOT_PRODUCT: gettext_lazy("How well do two vectors match?"),
    Part.SOFTMAX: gettext_lazy("How do scores become weights?"),
    Part.ATTENTION: gettext_lazy("How do weights blend the words?"),
    Part.HEADS: gettext_lazy("How does one layer look at words in several ways?"),
    Part.BLOCK: gettext_lazy("What else is in a layer?"),
    Part.WHOLE: gettext_lazy("What goes in, and what comes out?"),
    "": "",
}


@dataclass(frozen=True)
class SkillGroup:
    """The skills about one part of the model, or, at the end, about none."""

    part: str
    title: str
    says: str
    families: tuple[SkillLine, ...]
    topics: tuple[SkillLine, ...]

    @property
    def html_id(self) -> str:
        return self.part.replace("_", "-") or "other-skills"

    @property
    def lines(self) -> tuple[SkillLine, ...]:
        return (*self.families, *self.topics)

    @property
    def count(self) -> int:
        return len(self.lines)

    @property
    def solid(self) -> int:
        """The number of solid skills."""
        return sum(skill.standing == SOLID for skill in self.lines)


def skills_context(
    *,
    families: Mapping[str, Section],
    topics: Mapping[str, Section | None],
    written: Iterable[str] = (),
    named: Mapping[str, Topic],
    records: Iterable[SkillRecord] = (),
    lesson: Lesson | None = None,
    last_read: int | None = None,
    today: Today | None = None,
) -> dict[str, Any]:
    """Return the page of all skills: those recommended, today's review, and the skill map.

    `families` and `topics` map each to the section that teaches it, if any; `written` has the keys
    of problems in rows, `named` the topics' titles and parts; `last_read` is the primary key of a
    lesson. With a lesson, only its skills.
    """
    numeric = (*problems.family_keys(), *sorted(written))
    homes = {Skill(FAMILY, key): families.get(key) for key in numeric}
    homes |= {Skill(TOPIC, key): home for key, home in topics.items()}
    if lesson:
        homes = {skill: home for skill, home in homes.items() if home and home.lesson == lesson}
    known = {record.skill: record for record in records}
    titles = {key: topic.title for key, topic in named.items()}
    lines = {
        skill: replace(
            skill_line(skill, titles, known.get(skill)), try_url=_try_url(skill, home, numeric)
        )
        for skill, home in sorted(homes.items(), key=lambda pair: _teaching_order(*pair))
    }
    from_the_weakest = {skill: lines[skill] for skill in known if skill in lines} | lines
    read = {skill for skill, home in homes.items() if home and home.lesson_id == last_read}
    return {
        "lesson": lesson,
        "recommended": recommend_skills(from_the_weakest.values(), read),
        "due": len(today.reviews) if today else 0,
        "minutes": whole_minutes(today.minutes) if today else 0,
        "groups": _groups(lines.values(), named),
    }


def _groups(lines: Iterable[SkillLine], named: Mapping[str, Topic]) -> dict[str, SkillGroup]:
    """Return the skills by the part of the model that they are about, in its order."""
    grouped: dict[str, list[SkillLine]] = {part: [] for part in PARTS}
    for line in lines:
        key = line.skill.key
        topic = None if line.skill.is_numeric else named.get(key)
        part = problems.family_part(key) if line.skill.is_numeric else topic.part if topic else ""
        grouped[part].append(line)
    return {
        part or "other": SkillGroup(
            part=part,
            title=str(Part(part).label) if part else _("Other"),
            says=str(PARTS[part]),
            families=tuple(line for line in found if line.skill.is_numeric),
            topics=tuple(line for line in found if not line.skill.is_numeric),
        )
        for part, found in grouped.items()
        if found
    }


def _try_url(skill: Skill, home: Section | None, numeric: Collection[str]) -> str:
    """Return where a visitor works on a skill: a section's exercise on it, if there is one."""
    taught = home.family_keys if home and skill.is_numeric else ()
    if next((key for key in taught if key in numeric), None) != skill.key:
        return skill_url(skill)
    return reverse("quizzes:exercise", args=[home.lesson.slug, home.slug])


def _teaching_order(skill: Skill, home: Section | None) -> tuple:
    if home is None:
        return (1, 0, 0, 0, str(skill))
    return (0, home.lesson.order, home.lesson_id, home.order, str(skill))
