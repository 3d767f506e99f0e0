"""The rows of quizzes: what is asked, what was answered, what it earned."""

from quizzes.models.authored import SLOTS, Choice, ConceptQuestion, Quiz, Slot, Topic
from quizzes.models.marked import Answer, Grade, Submission
from quizzes.models.taken import GRACE, Attempt, ExtraTime, Item, Variant

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
    "Slot",
    "Submission",
    "Topic",
    "Variant",
]
