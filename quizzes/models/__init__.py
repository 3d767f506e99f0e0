"""Models of quizzes, attempts, answers and grades."""

from quizzes.models.attempts import GRACE, Attempt, ExtraTime, Item, graded
from quizzes.models.certificates import LONGEST_NAME, Certificate
from quizzes.models.grading import FINAL_NUMBER, Answer, Grade, Submission, counting, final_number
from quizzes.models.questions import Choice, ConceptQuestion, QuestionShare, Topic
from quizzes.models.quizzes import (
    KEPT_UNRELEASED,
    OWN_SITTING,
    SLOTS,
    AskedQuestion,
    PooledQuestion,
    Quiz,
    QuizShare,
    Sitting,
    Slot,
)
from quizzes.models.rehearsals import Rehearsal
from quizzes.models.reports import LONGEST_ANSWER, LONGEST_SENTENCE, Report
from quizzes.models.rulings import APPENDS, LONGEST_REASON, Ruling, RulingLine
from quizzes.models.sheets import Sheet
from quizzes.models.variants import StruckOut, Variant
from quizzes.models.wordings import Wording

__all__ = [
    "APPENDS",
    "FINAL_NUMBER",
    "GRACE",
    "KEPT_UNRELEASED",
    "LONGEST_ANSWER",
    "LONGEST_NAME",
    "LONGEST_REASON",
    "LONGEST_SENTENCE",
    "OWN_SITTING",
    "SLOTS",
    "Answer",
    "AskedQuestion",
    "Attempt",
    "Certificate",
    "Choice",
    "ConceptQuestion",
    "ExtraTime",
    "Grade",
    "Item",
    "PooledQuestion",
    "QuestionShare",
    "Quiz",
    "QuizShare",
    "Rehearsal",
    "Report",
    "Ruling",
    "RulingLine",
    "Sheet",
    "Sitting",
    "Slot",
    "StruckOut",
    "Submission",
    "Topic",
    "Variant",
    "Wording",
    "counting",
    "final_number",
    "graded",
]
