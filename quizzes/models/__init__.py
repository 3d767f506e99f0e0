"""The rows of quizzes: what is asked, what was answered, what it earned."""

from quizzes.models.attempts import (
    ALIKE,
    GRACE,
    OF_STUDENTS,
    AskedQuestion,
    Attempt,
    ExtraTime,
    Item,
)
from quizzes.models.certificates import LONGEST_NAME, Certificate
from quizzes.models.grading import HANDED_IN, IN_FORCE, Answer, Grade, Submission
from quizzes.models.questions import Choice, ConceptQuestion, QuestionShare, Topic
from quizzes.models.quizzes import (
    KEPT_UNRELEASED,
    OWN_SITTING,
    SLOTS,
    PooledQuestion,
    Quiz,
    QuizShare,
    Sitting,
    Slot,
)
from quizzes.models.rehearsals import Rehearsal
from quizzes.models.reports import LONGEST_ANSWER, LONGEST_SENTENCE, Report
from quizzes.models.rulings import APPENDS, LONGEST_REASON, STANDING, Ruling, RulingLine
from quizzes.models.sheets import Sheet
from quizzes.models.variants import StruckOut, Variant
from quizzes.models.wordings import Wording

__all__ = [
    "ALIKE",
    "APPENDS",
    "GRACE",
    "HANDED_IN",
    "IN_FORCE",
    "KEPT_UNRELEASED",
    "LONGEST_ANSWER",
    "LONGEST_NAME",
    "LONGEST_REASON",
    "LONGEST_SENTENCE",
    "OF_STUDENTS",
    "OWN_SITTING",
    "SLOTS",
    "STANDING",
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
]
