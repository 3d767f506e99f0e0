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
from quizzes.skills import FAMILY, MISTAKES, TOPIC, Skill

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
    standing: str = ""
    curve: Curve | None = None

    @property
    def word(self) -> str:
        """How it stands."""
        return str(STANDINGS.get(self.standing, ""))


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
        standing=record.standing,
        curve=curve_of(shares[-OUTCOMES_DRAWN:]) if len(shares) > 1 else None,
    )


def skill_title(skill: Skill, titles: Mapping[str, str]) -> str:
    """What a skill is called; `titles` are those of topics."""
    if skill.is_numeric:
        return problems.family_title(skill.key)
    if skill.of == MISTAKES:
        return _("Questions to fix")
    return titles.get(skill.key) or skill.key.replace("-", " ").capitalize()


@lru_cache(maxsize=1024)
def skill_url(skill: Skill) -> str:
    """Where a skill is practised."""
    return reverse("quizzes:skill", args=[skill.of, skill.key])


@dataclass(frozen=True)
class SkillGroup:
    """The skills that one lesson teaches, or, without a lesson, those that none does."""

    html_id: str
    title: str
    lesson: Lesson | None
    families: tuple[SkillLine, ...]
    topics: tuple[SkillLine, ...]


def skill_groups(
    *,
    families: Mapping[str, Section],
    topics: Mapping[str, Section | None],
    titles: Mapping[str, str],
    records: Iterable[SkillRecord],
) -> list[SkillGroup]:
    """Every skill beside those of its lesson, in the order in which the lessons teach them.

    `families` and `topics` name the section that teaches each, if there is one.
    """
    homes = {Skill(FAMILY, key): families.get(key) for key in problems.family_keys()}
    homes |= {Skill(TOPIC, key): home for key, home in topics.items()}
    known = {record.skill: record for record in records}
    lessons: dict[Lesson | None, list[Skill]] = {}
    for skill, home in sorted(homes.items(), key=lambda pair: _teaching_order(*pair)):
        lessons.setdefault(home.lesson if home else None, []).append(skill)

    def lines(skills: Iterable[Skill], of: str) -> tuple[SkillLine, ...]:
        return tuple(
            skill_line(skill, titles, known.get(skill)) for skill in skills if skill.of == of
        )

    return [
        SkillGroup(
            html_id=group_id(lesson),
            title=lesson.title if lesson else _("Other"),
            lesson=lesson,
            families=lines(skills, FAMILY),
            topics=lines(skills, TOPIC),
        )
        for lesson, skills in lessons.items()
    ]


def _teaching_order(skill: Skill, home: Section | None) -> tuple:
    if home is None:
        return (1, 0, 0, 0, str(skill))
    return (0, home.lesson.order, home.lesson_id, home.order, str(skill))


def group_id(lesson: Lesson | None) -> str:
    """Where the page of all skills has those of a lesson."""
    return lesson.slug if lesson else "other-skills"
