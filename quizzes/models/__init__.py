"""Models of quizzes, attempts, answers and grades."""

from quizzes.models.attempts import GRACE, Attempt, ExtraTime, Item, graded_condition
from quizzes.models.certificates import MAX_NAME_LENGTH, Certificate
from quizzes.models.chunked import ProblemProof, Rehearsal
from quizzes.models.grading import (
    FINAL_NUMBER,
    Answer,
    Grade,
    Submission,
    counting_condition,
    final_number,
)
from quizzes.models.messages import MAX_MESSAGE_LENGTH, SittingMessage
from quizzes.models.questions import Choice, ConceptQuestion, QuestionShare, QuestionTag, Topic
from quizzes.models.quizzes import (
    PREFETCH_OWN_SITTING,
    SLOT_COUNT,
    UNRELEASED_SECRECY,
    AskedQuestion,
    PooledQuestion,
    Quiz,
    QuizShare,
    Sitting,
    Slot,
)
from quizzes.models.regrades import APPENDING_OUTCOMES, MAX_REASON_LENGTH, Ruling, RulingLine
from quizzes.models.reports import MAX_ANSWER_LENGTH, MAX_SENTENCE_LENGTH, Report
from quizzes.models.variants import Sheet, StruckOut, Variant
from quizzes.models.wordings import Wording
from quizzes.models.written_problems import WrittenProblem, WrittenProblemShare

__all__ = [
    "APPENDING_OUTCOMES",
    "FINAL_NUMBER",
    "GRACE",
    "MAX_ANSWER_LENGTH",
    "MAX_MESSAGE_LENGTH",
    "MAX_NAME_LENGTH",
    "MAX_REASON_LENGTH",
    "MAX_SENTENCE_LENGTH",
    "PREFETCH_OWN_SITTING",
    "SLOT_COUNT",
    "UNRELEASED_SECRECY",
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
    "ProblemProof",
    "QuestionShare",
    "QuestionTag",
    "Quiz",
    "QuizShare",
    "Rehearsal",
    "Report",
    "Ruling",
    "RulingLine",
    "Sheet",
    "Sitting",
    "SittingMessage",
    "Slot",
    "StruckOut",
    "Submission",
    "Topic",
    "Variant",
    "Wording",
    "WrittenProblem",
    "WrittenProblemShare",
    "counting_condition",
    "final_number",
    "graded_condition",
]
