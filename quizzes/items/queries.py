"""Topics, questions, variants, and which skills can be practised."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db.models import (
    Exists,
    OuterRef,
    Prefetch,
    QuerySet,
    Subquery,
    TextField,
    prefetch_related_objects,
)
from django.db.models.functions import Cast

from foundation.prepared import prepared
from lessons.models import Section
from lessons.pages.queries import names_image
from quizzes import problems
from quizzes.items.skills import TOPIC, Skill
from quizzes.models import (
    Attempt,
    Choice,
    ConceptQuestion,
    Item,
    QuestionTag,
    StruckOut,
    Topic,
    Variant,
    Wording,
)

# The concept questions that practice may show.
PRACTISABLE = {"published": True, "reserved": False}
# Verdicts that leave nothing to fix, because at least the method was right.
GOOD_VERDICTS = (problems.verdicts.RIGHT, problems.verdicts.FOLLOWS, problems.verdicts.NEAR)


def topics_by_section(sections: Sequence[Section]) -> dict[int, dict[str, str]]:
    """Return the topics and titles of each section's questions, by the section's primary key.

    The title of a topic that has no row is "".
    """
    topics: dict[int, dict[str, str]] = {section.pk: {} for section in sections}
    for section, topic, title in _topics_of(list(topics)):
        topics[section][topic] = title or ""
    return topics


@prepared
def _topics_of(sections: list[int]) -> QuerySet:
    questions = ConceptQuestion.objects.filter(section__pk__in=sections, published=True)
    title = Topic.objects.filter(key=OuterRef("topic")).values("title")
    return questions.values_list("section", "topic", Subquery(title)).distinct().order_by("topic")


def prefetch_variants(items: Iterable[Item]) -> None:
    """Fetch the variants of these items, with the words and numbers that showing them takes."""
    numeric = [item for item in items if item.variant_id]
    prefetch_related_objects(numeric, Prefetch("variant", Variant.objects.defer("solution")))


def _prefetch_wordings(items: Iterable[Item]) -> list[Item]:
    items = list(items)
    Wording.objects.read(item.wording_id for item in items)
    return items


CREDITED_VERDICTS = (problems.verdicts.RIGHT, problems.verdicts.FOLLOWS)


def is_good(verdict: str) -> bool:
    """Return whether a verdict leaves nothing to fix: the method was at least right."""
    return verdict in GOOD_VERDICTS


def mistake_name(question: str, mistake: str) -> str:
    """Return the name of a mistake in all attempts: its key, prefixed with its question's."""
    return f"{question}:{mistake}"


def _distinct_values(rows: QuerySet, field: str) -> QuerySet:
    return rows.order_by().values_list(field, flat=True).distinct()


# Practice


def practisable_skills(skills: Iterable[Skill]) -> list[Skill]:
    """Return the skills that can be practised, in their order, with one query."""
    wanted = list(skills)
    topics = {skill.key for skill in wanted if skill.of == TOPIC}
    there = {Skill(TOPIC, key) for key in _practised(sorted(topics))}
    return [
        skill
        for skill in wanted
        if skill in there or (skill.is_numeric and problems.is_family(skill.key))
    ]


@prepared
def _practised(topics: list[str]) -> QuerySet:
    return _distinct_values(
        ConceptQuestion.objects.filter(topic__in=topics, **PRACTISABLE), "topic"
    )


def topic_titles() -> dict[str, str]:
    """Return the titles of topics, by their keys."""
    return dict(_titles())


@prepared
def _titles() -> QuerySet:
    return Topic.objects.values_list("key", "title")


def topics_by_key() -> dict[str, Topic]:
    """Return the topics that have a row, by their keys."""
    return Topic.objects.in_bulk()


def section_by_topic() -> dict[str, Section | None]:
    """Return every topic to practise, with the first section that teaches it to all."""
    homes: dict[str, Section | None] = {}
    questions = ConceptQuestion.objects.filter(**PRACTISABLE).select_related("section__lesson")
    for question in questions.order_by("section__lesson__order", "section__order", "pk"):
        home = question.section
        found = home if home and home.lesson.published else None
        homes[question.topic] = homes.get(question.topic) or found
    return homes


def topics_by_lesson() -> dict[str, list[tuple[str, str]]]:
    """Return all topics with their titles, by the title of the lesson they belong to."""
    titles = topic_titles()
    homes: dict[str, str] = dict.fromkeys(titles, "")
    questions = ConceptQuestion.objects.order_by("section__lesson__order", "topic", "pk")
    for topic, lesson in questions.values_list("topic", "section__lesson__title"):
        homes[topic] = homes.get(topic) or lesson or ""
    found: dict[str, list[tuple[str, str]]] = {}
    for topic, lesson in homes.items():
        found.setdefault(lesson, []).append((topic, titles.get(topic, topic)))
    return {lesson: sorted(topics, key=lambda each: each[1]) for lesson, topics in found.items()}


def tags_of(key: str) -> list[str]:
    """Return the tags of a question, sorted."""
    return list(QuestionTag.objects.filter(key=key).order_by("tag").values_list("tag", flat=True))


def tags_in(questions: QuerySet[ConceptQuestion]) -> list[str]:
    """Return the tags of these questions, each once, sorted."""
    tags = QuestionTag.objects.filter(key__in=questions.order_by().values("key"))
    return list(tags.order_by("tag").values_list("tag", flat=True).distinct())


def earlier_versions(question: ConceptQuestion) -> list[ConceptQuestion]:
    """Return the replaced versions of a question, the latest first."""
    versions = ConceptQuestion.every.filter(key=question.key).exclude(replaced_at=None)
    return list(versions.order_by("-version"))


def questions_showing(image: str) -> QuerySet[ConceptQuestion]:
    """Return the questions open to all students that show this image in one of their texts."""
    choices = Choice.objects.filter(
        names_image("text", image) | names_image("feedback", image), question=OuterRef("pk")
    )
    texts = names_image("prompt", image) | names_image("explanation", image)
    return ConceptQuestion.objects.filter(texts | Exists(choices), published=True, reserved=False)


def items_showing(image: str) -> QuerySet[Item]:
    """Return the items that showed this image when they were asked, whatever changed since."""
    wordings = Wording.objects.annotate(text=Cast("data", TextField()))
    return Item.objects.filter(wording__in=wordings.filter(names_image("text", image)))


def withdrawals_by_fingerprint(family: str, fingerprints: Iterable[UUID]) -> dict[UUID, StruckOut]:
    """Return the withdrawals of these numbers of a family, by fingerprint."""
    found = StruckOut.objects.filter(
        variant__family=family, variant__fingerprint__in=list(fingerprints)
    )
    return {each.variant.fingerprint: each for each in found.select_related("variant", "by")}


def withdrawal_of(variant: Variant) -> StruckOut | None:
    """Return the withdrawal of a variant, or of one with the same numbers."""
    kept = problems.stored_fingerprint(problems.fingerprint_of(variant.givens))
    return withdrawals_by_fingerprint(variant.family, [kept]).get(kept)


def attempts_by_mode(variant: Variant) -> dict[str, int]:
    """Return how many items of each mode have this variant."""
    modes = Item.objects.filter(variant=variant.pk).values_list("attempt__mode", flat=True)
    found = list(modes)
    return {mode: found.count(mode) for mode in Attempt.Mode.values}


def draw_unsaved_variant(kind: str, seed: str) -> Variant:
    """Return the variant that `draw_samples` draws from a seed, unsaved.

    Raises:
        UnknownKind: the kind does not exist, or no variant of it can be drawn.
    """
    (columns,) = problems.draw_samples(kind, [seed])
    return Variant(**columns)
