"""Skills in lists: what each is called, how it goes, and all there are, by the lesson's section."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from lessons.models import Lesson, Section
from quizzes import problems
from quizzes.analytics import NEW, SHAKY, SOLID, SkillRecord
from quizzes.models import Topic
from quizzes.skills import FAMILY, MISTAKES, TODAY, TOPIC, Skill

Part = Topic.Part

# A small multiple, in the units of its own view box.
WIDTH, HEIGHT, MARGIN = 96, 24, 3
OUTCOMES_DRAWN = 10

STANDINGS = {
    NEW: gettext_lazy("new"),
    SHAKY: gettext_lazy("shaky"),
    SOLID: gettext_lazy("solid"),
}


@dataclass(frozen=True)
class Curve:
    """How something went, from the left to the right: a small multiple."""

    points: str
    last_x: float
    last_y: float
    says: str


def curve_of(shares: Sequence[float]) -> Curve:
    """Shares from 0 to 1 as a line; a single one is a dot at the right."""
    step = (WIDTH - 2 * MARGIN) / max(1, len(shares) - 1)
    first = WIDTH - MARGIN - step * (len(shares) - 1)
    points = [
        (round(first + step * place, 1), round(HEIGHT - MARGIN - share * (HEIGHT - 2 * MARGIN), 1))
        for place, share in enumerate(shares)
    ]
    says = ", ".join(_("%(percent)s %%") % {"percent": f"{100 * share:.0f}"} for share in shares)
    return Curve(" ".join(f"{x},{y}" for x, y in points), *points[-1], says)


@dataclass(frozen=True)
class SkillLine:
    """A skill; with how it stands and how that came about, once it was asked."""

    skill: Skill
    title: str
    url: str
    count: int = 0
    right: int = 0
    standing: str = NEW
    curve: Curve | None = None

    @property
    def word(self) -> str:
        """How it stands."""
        return str(STANDINGS[self.standing])


def skill_line(
    skill: Skill, titles: Mapping[str, str], record: SkillRecord | None = None
) -> SkillLine:
    """The line of a skill; `titles` are those of topics."""
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
        curve=curve_of(shares[-OUTCOMES_DRAWN:]) if len(shares) > 1 else None,
    )


def skill_title(skill: Skill, titles: Mapping[str, str]) -> str:
    """What a skill is called; `titles` are those of topics."""
    if skill.is_numeric:
        return problems.family_title(skill.key)
    if skill.of == MISTAKES:
        return _("Questions to fix")
    if skill.of == TODAY:
        return _("Today: five minutes")
    return titles.get(skill.key) or skill.key.replace("-", " ").capitalize()


def whole_minutes(minutes: float) -> int:
    """As many as are told: one at least."""
    return max(1, round(minutes))


@lru_cache(maxsize=1024)
def skill_url(skill: Skill) -> str:
    """Where a skill is practised."""
    return reverse("quizzes:skill", args=[skill.of, skill.key])


# The parts of the model, with the question that each answers; at the end, those about none.
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
    """The skills about one part of the model, or, at the end, those about none."""

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
        """How many of them are solid."""
        return sum(skill.standing == SOLID for skill in (*self.families, *self.topics))


def skill_map(
    *,
    families: Mapping[str, Section],
    topics: Mapping[str, Section | None],
    named: Mapping[str, Topic],
    records: Iterable[SkillRecord],
    lesson: Lesson | None = None,
) -> list[SkillGroup]:
    """Every skill under the part of the model that it is about, in the order of the lessons.

    `families` and `topics` name the section that teaches each, if there is one, `named`
    what topics are called and are about. With a lesson: its skills alone.
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


def skills_url(lesson: str) -> str:
    """Where the skills that the lesson of this slug teaches are listed."""
    return f"{reverse('quizzes:skills')}?lesson={lesson}"
