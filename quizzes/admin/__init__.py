"""Authoring quizzes and looking into attempts.

Quizzes, slots, questions and choices are edited here. Attempts, submissions and grades are for
reading: services alone write them.
"""

from quizzes.admin import (  # noqa: F401 - they register themselves
    attempt,
    extra_time,
    question,
    quiz,
    submission,
    variants,
)
