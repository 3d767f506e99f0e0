"""The rows of quizzes: what is asked, what was answered, what it earned."""

from quizzes.models.attempts import GRACE, Attempt, ExtraTime, Item, Variant
from quizzes.models.grading import HANDED_IN, IN_FORCE, Answer, Grade, Submission
from quizzes.models.quizzes import (
    OWN_SITTING,
    SLOTS,
    Choice,
    ConceptQuestion,
    Quiz,
    Sitting,
    Slot,
    Topic,
)
from quizzes.models.rehearsals import Rehearsal
from quizzes.models.reports import LONGEST_ANSWER, LONGEST_SENTENCE, Report
from quizzes.models.sheets import Sheet
from quizzes.models.wordings import Wording

__all__ = [
    "GRACE",
    "HANDED_IN",
    "IN_FORCE",
    "LONGEST_ANSWER",
    "LONGEST_SENTENCE",
    "OWN_SITTING",
    "SLOTS",
    "Answer",
    "Attempt",
    "Choice",
    "ConceptQuestion",
    "ExtraTime",
    "Grade",
    "Item",
    "Quiz",
    "Rehearsal",
    "Report",
    "Sheet",
    "Sitting",
    "Slot",
    "Submission",
    "Topic",
    "Variant",
    "Wording",
]
