"""The admin of quizzes, and a view into attempts.

Quizzes, slots, questions and choices are edited here. Attempts, submissions and grades are
read-only: only services write them.
"""

# They register themselves.
from quizzes.admin import attempt, extra_time, quiz, submission, variants  # noqa: F401
from quizzes.admin.questions import page  # noqa: F401
from quizzes.admin.written import page as written_page  # noqa: F401
