"""The database chooses the attempts that count as Python does."""

from itertools import product

import pytest

from quizzes.delivery.queries.counting import counting_attempt, counting_attempts
from quizzes.models import Attempt, Sitting
from tests.world import make_quiz, make_user

pytestmark = pytest.mark.django_db


@pytest.mark.service
@pytest.mark.parametrize("counts", Sitting.Counts.values)
def test_the_attempts_that_count_are_those_of_each_student_at_each_sitting(counts):
    quiz = make_quiz("counted")
    quiz.own_sitting.counts = counts
    quiz.own_sitting.save()
    scores = [(None, 0), (0, 0), (1, 3), (2, 6), (3, 4)]
    chosen = set()
    for number, made in enumerate(product(scores, repeat=2)):
        student = make_user(f"S{number}")
        rows = [
            Attempt(
                student=student,
                quiz=quiz,
                sitting=quiz.own_sitting,
                number=place,
                score=score,
                out_of=out_of,
                state="submitted",
            )
            for place, (score, out_of) in enumerate(made, start=1)
        ]
        Attempt.objects.bulk_create(rows)
        counting = counting_attempt(quiz.own_sitting, rows)
        chosen |= {counting.pk} if counting else set()
    assert set(counting_attempts().values_list("pk", flat=True)) == chosen
