"""Practice as its student sees it: a skill, and one item with its feedback."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from lessons.models import Section
from quizzes import problems
from quizzes.items.presenters.asked_item import NO_MARKS, asked_item
from quizzes.items.presenters.skills import skill_title, skill_url
from quizzes.items.presenters.verdicts import verdict_word
from quizzes.items.queries import is_good
from quizzes.items.skills import MISTAKES, TODAY, Skill
from quizzes.marking.presenters.reviewed_item import GradedItem, ReviewedItem, build_reviewed_item
from quizzes.models import Answer, Attempt, Grade, Item, Submission
from quizzes.practice.presenters.hints import help_context, step_formulas
from quizzes.practice.queries.practice import check_verdict
from quizzes.problems.answers import flatten, is_choice, nest
from quizzes.reports.presenters.student import OwnReport


@dataclass(frozen=True)
class TitledLink:
    """A link with its title, and when something was last done there."""

    title: str
    url: str
    last: datetime | None = None


def guest_page_context(
    item: Item, marked: tuple[Answer, Grade] | None, homes: Mapping[str, Section]
) -> dict[str, Any]:
    """Return the page of a guest's question, before its answer is marked and after."""
    answer, grade = marked or (None, None)
    return {
        "asked": asked_item(
            item, marks=cell_verdicts(item, grade) if grade else NO_MARKS, title=item.asked["title"]
        ),
        "how": step_formulas(item),
        "feedback": feedback_without_points(answer, grade, homes) if answer and grade else None,
        "practise_url": skill_url(Skill.of_item(item.asked)),
    }


def feedback_without_points(
    answer: Answer, grade: Grade, homes: Mapping[str, Section]
) -> ReviewedItem:
    """Return the feedback on an answer, without points."""
    return build_reviewed_item(GradedItem.of(answer, grade, has_points=False), homes)


def skill_page_context(
    skill: Skill, titles: Mapping[str, str], tried: Sequence[tuple[Item, Submission | None]]
) -> dict[str, Any]:
    """Return the page of a skill, with what this student was asked, the latest first."""
    return {
        "title": skill_title(skill, titles),
        "summary": problems.family_summary(skill.key) if skill.is_numeric else "",
        "is_numeric": skill.is_numeric,
        "met": tuple(
            _item_link(len(tried) - number, item, check)
            for number, (item, check) in enumerate(tried)
        ),
    }


def practice_page_context(
    practice: Attempt,
    item: Item,
    items: Sequence[Item],
    checks: Mapping[int, Submission],
    *,
    titles: Mapping[str, str],
    homes: Mapping[str, Section],
    hidden: Collection[int] = (),
    typed: Mapping[str, str] | None = None,
    report: OwnReport | None = None,
    is_closed: bool = False,
) -> dict[str, Any]:
    """Return the page of one item in its practice.

    `homes` maps families to the sections that teach them, `hidden` are questions without feedback;
    `report` is shown below the item. The page lists the newest item of every place, and all
    variants of this one. Cells have marks unless the draft has changed since the last check; then
    the page is `outdated`. A practice `is_closed` whose skill is no longer the student's to begin.
    """
    check = checks.get(item.pk)
    answer = check.answers.all()[0] if check else None
    graded = check is not None and check.state == Submission.State.GRADED
    grade = answer.grades.all()[0] if graded else None
    same = answer is not None and answer.raw == nest(item.asked, item.draft)
    newest = {each.place: each for each in items}
    here = [each for each in items if each.place == item.place]
    following = newest.get(item.place + 1)
    feedback = feedback_without_points(answer, grade, homes) if answer and grade else None
    return {
        "title": practice_title(practice, titles),
        "places": tuple(
            _item_link(place, each, checks.get(each.pk), is_current=place == item.place)
            for place, each in sorted(newest.items())
        ),
        "variants": tuple(
            _item_link(number, each, checks.get(each.pk), is_current=each == item)
            for number, each in enumerate(here, start=1)
        ),
        "asked": replace(
            asked_item(
                item,
                typed=typed,
                marks=cell_verdicts(item, grade) if same and grade else NO_MARKS,
                title=_heading(item, here, of=len(newest)),
            ),
            report=report,
        ),
        "feedback": feedback,
        "is_done": same and feedback is not None and feedback.is_right,
        "waits": check is not None and check.state == Submission.State.WAITING,
        "troubled": check is not None and check.state == Submission.State.ATTENTION,
        "outdated": check is not None and not same,
        "withheld": item.question_id in hidden,
        "next_url": f"{_url(following)}#item-{following.position}" if following else "",
        "status_url": reverse("quizzes:practice-status", args=[practice.pk, item.position]),
        "came_from": None if is_closed else _back_link(practice),
        "help": None if item.question_id in hidden else _help(item, grade if same else None),
    }


def _help(item: Item, grade: Grade | None) -> dict[str, Any] | None:
    """Return the help on the current draft, with its grade if it was marked."""
    if grade and is_choice(item.asked) and not item.hints:
        return None  # the feedback is enough
    wrong = [step["key"] for step in grade.steps if not is_good(step["verdict"])] if grade else []
    is_right = grade is not None and grade.verdict == problems.verdicts.RIGHT
    return help_context(item, wrong[0] if wrong else "", is_right=is_right)


def _heading(item: Item, here: Sequence[Item], *, of: int) -> str:
    """Return an item's heading among its place's variants, in a practice of `of` places."""
    name = {"number": item.place, "of": of, "variant": here.index(item) + 1}
    if of == 1:
        return _("Variant %(number)s") % {"number": name["variant"]}
    if len(here) > 1:
        return _("Question %(number)s of %(of)s, variant %(variant)s") % name
    return _("Question %(number)s of %(of)s") % name


def practice_lines(practices: Iterable[Attempt], titles: Mapping[str, str]) -> list[TitledLink]:
    """Return links to the practices; `titles` are those of topics."""
    return [
        TitledLink(practice_title(practice, titles), practice.get_absolute_url(), practice.last)
        for practice in practices
    ]


def practice_title(practice: Attempt, titles: Mapping[str, str]) -> str:
    """Return the title of a practice; `titles` are those of topics."""
    if practice.quiz:
        return practice.quiz.title
    if quiz := getattr(practice, "quiz_to_fix", ""):
        return _("Questions to fix: %(quiz)s") % {"quiz": quiz}
    return skill_title(Skill.parse(practice.skill), titles)


def words_for_left_out(count: int) -> str:
    """Say how many of an attempt's mistakes are not practised, and why."""
    words = ngettext(
        "%(count)s question that wasn’t right is left out: a quiz may still ask it.",
        "%(count)s questions that weren’t right are left out: quizzes may still ask them.",
        count,
    )
    return words % {"count": count}


def _back_link(practice: Attempt) -> TitledLink:
    if practice.quiz:
        return TitledLink(_("Back to the quiz"), practice.quiz.get_absolute_url())
    skill = Skill.parse(practice.skill)
    if skill.of == TODAY:
        return TitledLink(_("Back to today’s review"), reverse("quizzes:today"))
    if skill.of == MISTAKES:
        return TitledLink(_("Back to the results"), reverse("quizzes:results", args=[skill.key]))
    return TitledLink(_("History"), skill_url(skill))


def _item_link(
    number: int, item: Item, check: Submission | None, *, is_current: bool = False
) -> dict[str, Any]:
    verdict = check_verdict(check)
    if not verdict:
        verdict = "waiting" if check else "open"
    word = _("not checked") if verdict == "open" else verdict_word(verdict)
    return {
        "number": number,
        "url": _url(item),
        "verdict": verdict,
        "word": word,
        "is_current": is_current,
    }


def _url(item: Item) -> str:
    return reverse("quizzes:practice-item", args=[item.attempt_id, item.position])


def cell_verdicts(item: Item, grade: Grade) -> dict[str, str]:
    """Return the verdict on each typed cell, by field."""
    if is_choice(item.asked):
        return {}
    return flatten(item.asked, {step["key"]: step["cells"] for step in grade.steps})
