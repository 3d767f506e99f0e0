"""The skill map: a student's skills by parts of the model."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from lessons.models import Lesson, Section
from quizzes import problems
from quizzes.items.presenters.curves import MAX_OUTCOMES, Curve, draw_curve
from quizzes.items.presenters.skills import Part, skill_title, skill_url
from quizzes.items.skills import FAMILY, TOPIC, Skill
from quizzes.models import Topic
from quizzes.practice.queries.skill_records import NEW, SHAKY, SOLID, SkillRecord

STANDINGS = {NEW: gettext_lazy("new"), SHAKY: gettext_lazy("shaky"), SOLID: gettext_lazy("solid")}


@dataclass(frozen=True)
class SkillLine:
    """A skill, with its standing and history once it was asked."""

    skill: Skill
    title: str
    url: str
    count: int = 0
    right: int = 0
    standing: str = NEW
    curve: Curve | None = None

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


# The parts of the model, each with the question it answers; at the end, skills about none.
PARTS = {
    Part.VECTORS: gettext_lazy("How do words become numbers?"),
    Part.DOT_PRODUCT: gettext_lazy("How well do two vectors match?"),
    Part.SOFTMAX: gettext_lazy("How do scores become weights?"),
    Part.ATTENTION: gettext_lazy("How do words blend by their weights?"),
    Part.HEADS: gettext_lazy("How does one layer look in several ways?"),
    Part.BLOCK: gettext_lazy("What stands around attention?"),
    Part.WHOLE: gettext_lazy("What goes in, and what comes out?"),
    "": "",
}


@dataclass(frozen=True)
class SkillGroup:
    """The skills about one part of the model, or, at the end, about none."""

    html_id: str
    title: str
    says: str
    families: tuple[SkillLine, ...]
    topics: tuple[SkillLine, ...]

    @property
    def count(self) -> int:
        return len(self.families) + len(self.topics)

    @property
    def solid(self) -> int:
        """The number of solid skills."""
        return sum(skill.standing == SOLID for skill in (*self.families, *self.topics))


def skill_map(
    *,
    families: Mapping[str, Section],
    topics: Mapping[str, Section | None],
    named: Mapping[str, Topic],
    records: Iterable[SkillRecord],
    lesson: Lesson | None = None,
) -> list[SkillGroup]:
    """Return every skill under the part of the model it is about, in the order of the lessons.

    `families` and `topics` map each to the section that teaches it, if any; `named` has the topics'
    titles and parts. With a lesson, only its skills.
    """
    homes = {Skill(FAMILY, key): families.get(key) for key in problems.family_keys()}
    homes |= {Skill(TOPIC, key): home for key, home in topics.items()}
    if lesson:
        homes = {skill: home for skill, home in homes.items() if home and home.lesson == lesson}
    known = {record.skill: record for record in records}
    titles = {key: topic.title for key, topic in named.items()}
    part_of = dict.fromkeys(topics, "") | {key: topic.part for key, topic in named.items()}
    grouped: dict[str, list[Skill]] = {part: [] for part in PARTS}
    for skill, _home in sorted(homes.items(), key=lambda pair: _teaching_order(*pair)):
        part = problems.family_part(skill.key) if skill.is_numeric else part_of[skill.key]
        grouped[part].append(skill)

    def skilled(skills: Iterable[Skill], of: str) -> tuple[SkillLine, ...]:
        return tuple(
            skill_line(skill, titles, known.get(skill)) for skill in skills if skill.of == of
        )

    return [
        SkillGroup(
            html_id=part.replace("_", "-") or "other-skills",
            title=str(Part(part).label) if part else _("Other"),
            says=str(PARTS[part]),
            families=skilled(skills, FAMILY),
            topics=skilled(skills, TOPIC),
        )
        for part, skills in grouped.items()
        if skills
    ]


def _teaching_order(skill: Skill, home: Section | None) -> tuple:
    if home is None:
        return (1, 0, 0, 0, str(skill))
    return (0, home.lesson.order, home.lesson_id, home.order, str(skill))
