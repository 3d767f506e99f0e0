"""The quiz of the quizzes' tests, and the people who take it."""

from tests.classes.conftest import course, ines, logged_in, teaching
from tests.quizzes.conftest import other_student, questions, quiz, student

__all__ = [
    "course",
    "ines",
    "logged_in",
    "other_student",
    "questions",
    "quiz",
    "student",
    "teaching",
]
