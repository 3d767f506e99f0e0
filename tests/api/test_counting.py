"""One rule decides which attempt counts: every page, file and program has the same mean."""

import csv
import io
import re
from statistics import fmean

import pytest
from django.utils import timezone

from api.services import create_token
from classes.gradebook.queries import entries
from quizzes.models import Ruling, Sitting
from quizzes.passing import earned_share
from quizzes.regrades.queries.dry_runs import counting_means
from tests.fixtures import SOME
from tests.world import answer_everything, start_assignment, submit_and_mark, wrong_fields

ASKS = [SOME[0], SOME[4]]


@pytest.fixture
def repeated(assignment, add_member):
    """Attempts of three students: right, then wrong; wrong, then right; wrong."""
    made = []
    for name, tries in (("Ada", "rw"), ("Bob", "wr"), ("Cyd", "w")):
        user = add_member(name).user
        for each in tries:
            attempt = start_assignment(assignment, user)
            answer_everything(attempt, *([wrong_fields] if each == "w" else []))
            made.append(submit_and_mark(attempt))
    return made


@pytest.mark.parametrize(("counts", "numbers"), [("best", [1, 2, 1]), ("last", [2, 2, 1])])
def test_statistics_gradebook_regrades_and_programs_agree(
    ines, ines_client, course, assignment, repeated, counts, numbers
):
    Sitting.objects.filter(pk=assignment.sitting_id).update(counts=counts)
    assignment.sitting.refresh_from_db()
    here = f"/teach/{course.pk}"

    secret = create_token(owner=ines, name="N", scope="read", course=course, days=1)[1]
    listed = ines_client.get(
        f"/api/v1/classes/{course.pk}/attempts", headers={"Authorization": f"Bearer {secret}"}
    ).json()["items"]
    counting = [each for each in listed if each["counts"]]
    assert sorted(each["number"] for each in counting) == sorted(numbers)
    mean = fmean(each["score"] / each["out_of"] for each in counting)

    book = entries([assignment], timezone.now()).values()
    assert fmean(each.points / each.out_of for each in book) == pytest.approx(mean)

    statistics = ines_client.get(f"{here}/quizzes/{assignment.pk}/figures/")
    assert f"Mean {100 * mean:.0f}%" in statistics.text
    assert "3 attempts that count" in statistics.text
    slots = b"".join(
        ines_client.get(f"{here}/quizzes/{assignment.pk}/figures/slots.csv").streaming_content
    )
    rows = list(csv.DictReader(io.StringIO(slots.decode("utf-8-sig"))))
    assert fmean(float(each["Facility"]) for each in rows) == pytest.approx(mean, abs=1e-4)

    regrade = ines_client.get(f"{here}/rulings/new/?sitting={assignment.sitting_id}&of=all").text
    found = re.search(r"Of the 3 attempts that count.* from ([\d.]+)% to", regrade)
    assert float(found[1]) == pytest.approx(100 * mean, abs=0.01)


def test_a_regrade_may_change_which_attempt_counts(assignment, repeated):
    worse = repeated[0]
    others = [earned_share(each.score, each.out_of) for each in (*repeated[2:4], repeated[4])]
    rest = [max(others[:2]), others[2]]
    regrade = Ruling(quiz=worse.quiz, sitting=assignment.sitting)
    found = counting_means(regrade, {worse.pk: (0.0, worse.out_of)})
    assert found["counted"] == 3
    assert found["mean_before"] == pytest.approx(fmean([1, *rest]))
    second = earned_share(repeated[1].score, repeated[1].out_of)
    assert found["mean_after"] == pytest.approx(fmean([second, *rest]))
