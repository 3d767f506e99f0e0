"""The rows of quizzes: what is asked, what was answered, what it earned."""

from quizzes.models.attempts import GRACE, Attempt, ExtraTime, Item, Variant
from quizzes.models.grading import Answer, Grade, Submission
from quizzes.models.quizzes import SLOTS, Choice, ConceptQuestion, Quiz, Slot, Topic
from quizzes.models.sheets import Sheet
from quizzes.models.wordings import Wording

__all__ = [
    "GRACE",
    "SLOTS",
    "Answer",
    "Attempt",
    "Choice",
    "ConceptQuestion",
    "ExtraTime",
    "Grade",
    "Item",
    "Quiz",
    "Sheet",
    "Slot",
    "Submission",
    "Topic",
    "Variant",
    "Wording",
]
