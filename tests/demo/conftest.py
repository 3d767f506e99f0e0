"""The quiz of the quizzes' tests, and the people who take it."""

from tests.quizzes.conftest import other_student, questions, quiz, student

__all__ = ["other_student", "questions", "quiz", "student"]
