"""The admin of quizzes, and a view into attempts.

Quizzes, slots, questions and choices are edited here. Attempts, submissions and grades are
read-only: only services write them.
"""

from quizzes.admin import attempt, extra_time, question, quiz, submission, variants  # noqa: F401 - they register themselves
