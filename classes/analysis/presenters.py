"""The statistics of an assignment, as far as one reader sees them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from classes.access.queries import CourseAccess, Role
from classes.models import Assignment
from quizzes import problems
from quizzes.analysis.choices import choice_counts
from quizzes.analysis.presenters import distributions, mistakes, questions
from quizzes.analysis.presenters.distributions import DistributionView
from quizzes.analysis.presenters.mistakes import ChoiceLine, MistakeLine
from quizzes.analysis.presenters.questions import QuestionLine, SlotLine
from quizzes.analysis.queries import Question, SittingAnswers, sitting_answers
from quizzes.analysis.slots import QuizFigures, quiz_figures
from quizzes.analysis.statistics import MIN_GROUP, Answered, group_by_question
from quizzes.items.queries import topic_titles
from quizzes.models import Wording

# The flagged questions that the page shows unfolded.
MAX_FLAGGED = 5


@dataclass(frozen=True)
class AssignmentFigures:
    """The statistics of an assignment.

    Those who teach the class see every mark, and so every figure. Figures to be passed on leave
    out anything that fewer than `fewest` students did.
    """

    assignment: Assignment
    fewest: int
    marked: SittingAnswers
    answers: Mapping[Question, Sequence[Answered]]
    quiz: QuizFigures[Question]
    wordings: Mapping[Question, Mapping[str, Any]]
    topics: Mapping[str, str]

    @property
    def for_others(self) -> bool:
        return self.fewest == MIN_GROUP

    @property
    def is_published(self) -> bool:
        return len(self.marked.attempts) >= self.fewest

    @cached_property
    def titles(self) -> Mapping[Question, str]:
        return questions.question_titles(list(self.answers), self.wordings, self.topics)

    @property
    def distributions(self) -> list[DistributionView]:
        sitting = self.assignment.sitting
        return [
            distributions.score_distribution(self.marked, sitting, self.fewest),
            distributions.time_distribution(self.marked, sitting, self.fewest),
        ]

    @cached_property
    def slots(self) -> list[SlotLine]:
        return questions.slot_lines(
            *(self.quiz.slots, self.titles, self.wordings, self.topics),
            readable=self.quiz.questions.keys(),
        )

    @cached_property
    def questions(self) -> list[QuestionLine]:
        return questions.question_lines(self.quiz.questions, self.titles, self.marked.positions)

    @property
    def mistakes(self) -> list[MistakeLine]:
        return mistakes.mistake_lines(self.quiz.questions, self.titles, self.wordings)

    def mistakes_of(self, asked: Question) -> list[MistakeLine]:
        own = {asked: self.quiz.questions[asked]}
        return mistakes.mistake_lines(own, self.titles, self.wordings)

    @property
    def flagged(self) -> "list[FlaggedLine]":
        """The slots and questions that stand out, the most urgent first."""
        by_key = {asked.key: asked for asked in self.quiz.questions}
        found = [(slot, line) for slot in self.slots for line in slot.flagged]
        found.sort(key=lambda each: -each[1].urgency)
        return [self._flagged(slot, line, by_key.get(line.key)) for slot, line in found]

    def choices(self, asked: Question) -> list[ChoiceLine]:
        """Return a line for each choice of a concept question; none for a problem."""
        if asked.question is None:
            return []
        wording = self.wordings[asked]
        counts = choice_counts(
            self.answers[asked],
            [choice["key"] for choice in wording["choices"]],
            self.quiz.questions[asked],
            self.fewest,
        )
        return mistakes.choice_lines(counts, wording)

    def _flagged(self, slot: SlotLine, line: QuestionLine, asked: Question | None) -> "FlaggedLine":
        title = slot.figures.title
        if line is not slot.figures:
            title = f"{title}: {line.title}"
        return FlaggedLine(title, line, asked, self)


@dataclass(frozen=True)
class FlaggedLine:
    """A slot or question that stands out, with its choices, and the scope of its regrade."""

    title: str
    line: QuestionLine
    asked: Question | None
    read: AssignmentFigures

    @cached_property
    def choices(self) -> Sequence[ChoiceLine]:
        return self.read.choices(self.asked) if self.asked else ()

    @property
    def scope(self) -> str:
        if self.asked is None:
            return ""
        if self.asked.question is None:
            return f"family-{problems.family_of(self.asked.kind)}"
        return f"question-{self.asked.question}"

    @property
    def has_key(self) -> bool:
        return self.asked is not None and self.asked.question is not None


def load_figures(
    access: CourseAccess, assignment: Assignment, *, first: bool, fewest: int
) -> AssignmentFigures:
    """Return the statistics of an assignment for the students visible to the user."""
    students = access.members().filter(role=Role.STUDENT).exclude(user=None).values("user")
    marked = sitting_answers(assignment.sitting, students, first=first)
    found = group_by_question(marked.answers)
    answers = {asked: found[asked] for asked in marked.positions}
    texts = Wording.objects.read(marked.wordings.values())
    wordings = {asked: texts[key] for asked, key in marked.wordings.items()}
    quiz = quiz_figures(answers, fewest)
    return AssignmentFigures(assignment, fewest, marked, answers, quiz, wordings, topic_titles())
