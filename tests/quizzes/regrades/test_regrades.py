"""Regrades: their effect on marks, on scores, and on answers marked later."""

from datetime import timedelta
from fractions import Fraction
from unittest import mock

import pytest
from django.contrib.auth import get_user_model
from django.core.management import CommandError
from django.utils import timezone

from audit.models import Event
from quizzes.delivery.services.reopening import reopen_attempt
from quizzes.errors import Refused, Stale
from quizzes.marking.services import grade_waiting
from quizzes.models import Attempt, ConceptQuestion, Grade, Ruling, RulingLine, Sitting, Submission
from quizzes.regrades import services
from quizzes.regrades.queries.regrades import stale_lines
from quizzes.regrades.services import (
    accept_regrade,
    apply_waiting_regrades,
    discard_regrade,
    draft_undo,
    renew_dry_run,
)
from tests.each import each
from tests.fixtures import SOME, WHOLE
from tests.quizzes.regrades.regrade_over import (
    Kind,
    Scope,
    apply_all,
    drafted,
    latest,
    make_student,
    prove,
    regrade_over,
    rule,
    score,
    undo,
)
from tests.world import (
    answer_everything,
    refresh,
    right_fields,
    submit_and_mark,
    take_quiz,
    wrong_fields,
)

pytestmark = pytest.mark.django_db

ASKS = [*SOME[:3], WHOLE[2], *SOME[4:]]
CONCEPT = 5  # the position of the first concept question


def choose(key):
    """Return right fields for all items, apart from this choice of the first concept question."""

    def fields(item):
        return {"answer-choice": key} if item.position == CONCEPT else right_fields(item)

    return fields


@pytest.fixture
def one_question(quiz):
    """The concept question that everybody is asked at the first place of one."""
    first, other = quiz_questions("why-softmax")
    other.published = False
    other.save(update_fields=["published"])
    return first


def quiz_questions(topic):
    return list(ConceptQuestion.objects.filter(topic=topic).order_by("key"))


@pytest.fixture
def right(quiz, one_question):
    return take_quiz(make_student(1), quiz, choose("a"))


@pytest.fixture
def wrong(quiz, one_question):
    return take_quiz(make_student(2), quiz, choose("b"))


def key(mode="also", accept=("b",)):
    return {"mode": mode, "accept": list(accept)}


def of_key(question, **more):
    values = more.pop("values", key())
    return {"scope": Scope.QUESTION, "question": question, "values": values, **more}


def adjust(attempt, points, position=CONCEPT):
    item = attempt.items.get(position=position)
    rule(item.slot.quiz, Kind.ADJUST, scope=Scope.ITEM, item=item, values={"points": points})


def widen(quiz):
    """Apply a wider tolerance for the family of the first question."""
    family = quiz.slots.get(position=1).family
    values = {"tolerance": "0.03"}
    return rule(quiz, Kind.TOLERANCE, scope=Scope.FAMILY, family=family, values=values)


# Kinds


@pytest.mark.service
def test_a_key_that_accepts_another_choice_raises_who_chose_it(quiz, one_question, right, wrong):
    made = rule(quiz, Kind.KEY, **of_key(one_question))
    assert score(right) == score(wrong) == (6, 6)
    grade = latest(wrong, CONCEPT)
    assert (grade.revision, grade.verdict, grade.ruling) == (2, "right", made)
    assert latest(right, CONCEPT).revision == 1
    prove()


def test_a_key_instead_of_another_lowers_nobody_unless_one_says_so(
    quiz, one_question, right, wrong
):
    values = key("instead")
    made = rule(quiz, Kind.KEY, **of_key(one_question, values=values))
    assert score(right) == score(wrong) == (6, 6)
    (kept,) = made.lines.filter(outcome="kept")
    assert (kept.attempt_id, kept.points, kept.applied) == (right.pk, 0, False)
    undo(made)
    assert (score(right), score(wrong)) == ((6, 6), (5, 6))
    rule(quiz, Kind.KEY, **of_key(one_question, values=values, never_lower=False))
    assert (score(right), score(wrong)) == ((5, 6), (6, 6))
    assert latest(right, CONCEPT).mistake == "a"
    prove()


def test_everybody_right_is_also_who_chose_nothing(quiz, one_question):
    blank = take_quiz(
        make_student(3), quiz, lambda item: {} if item.position == CONCEPT else right_fields(item)
    )
    rule(quiz, Kind.KEY, **of_key(one_question, values=key("everybody", ())))
    assert score(blank) == (6, 6)
    prove()


def test_a_void_question_is_out_of_nothing(quiz, one_question, wrong):
    rule(quiz, Kind.VOID, scope=Scope.QUESTION, question=one_question)
    assert score(wrong) == (5, 5)
    assert latest(wrong, CONCEPT).verdict == "mistake"
    prove()


@pytest.mark.service
def test_a_void_question_lowers_no_share(quiz, one_question, right):
    one_right = take_quiz(
        make_student(4),
        quiz,
        lambda item: right_fields(item) if item.position == CONCEPT else wrong_fields(item),
    )
    before = score(one_right)
    made = rule(quiz, Kind.VOID, scope=Scope.QUESTION, question=one_question)
    assert score(one_right) == before
    assert made.lines.get(attempt=one_right).outcome == "kept"
    assert score(right) == (5, 5)
    prove()


def test_every_question_can_be_void(quiz, right, wrong):
    made = rule(quiz, Kind.VOID, never_lower=False)
    assert score(right) == score(wrong) == (0, 0)
    assert made.summary["out_of_none"] == 2
    undo(made)
    assert (score(right), score(wrong)) == ((6, 6), (5, 6))
    prove()


@pytest.mark.service
def test_points_of_a_slot_scale_what_was_earned(quiz, right, wrong):
    slot = quiz.slots.get(position=CONCEPT)
    rule(quiz, Kind.POINTS, scope=Scope.SLOT, slot=slot, values={"points": "3"}, never_lower=False)
    assert (score(right), score(wrong)) == ((8, 8), (5, 8))
    prove()


@each("points", ["0", "-1", "1.5", "nan", "", "1e3", "9" * 400, None])
def test_points_are_a_whole_number_from_one(quiz, right, points):
    slot = quiz.slots.get(position=1)
    with pytest.raises(Refused):
        rule(quiz, Kind.POINTS, scope=Scope.SLOT, slot=slot, values={"points": points})


def off_by_little(item):
    fields = right_fields(item)
    if item.position != 1:
        return fields
    return {name: str(float(text) + 0.02) for name, text in fields.items()}


def off_by_less(item):
    """Return right fields that miss the narrowest tolerance, with any numbers drawn."""
    fields = right_fields(item)
    if item.position != 1:
        return fields
    return dict.fromkeys(fields, f"{item.variant.solution['cosine'] + 0.0005:.5f}")


@pytest.mark.service
def test_a_wider_tolerance_is_kept_by_marking_again_and_ends_with_its_undoing(quiz, one_question):
    attempt = take_quiz(make_student(5), quiz, off_by_little)
    before = score(attempt)
    assert before[0] < 6
    wider = widen(quiz)
    assert score(attempt) == (6, 6)
    prove()
    assert not rule(quiz, Kind.REGRADE, never_lower=False).lines.exists()
    assert score(attempt) == (6, 6)
    undo(wider)
    assert score(attempt) == before
    prove()


def store_another_solution(attempt):
    """Change the stored solution, as if the family had computed something else then."""
    variant = attempt.items.get(position=1).variant
    variant.solution = {step: value + 0.5 for step, value in variant.solution.items()}
    variant.save(update_fields=["solution"])


@pytest.mark.parametrize(("marked_again", "points"), [(False, 5), (True, 6)])
def test_a_tolerance_follows_a_changed_solution_only_where_marking_again_has(
    quiz, one_question, marked_again, points
):
    """The family computes something else by now, by which the answer would be right."""
    attempt = take_quiz(make_student(5), quiz, off_by_little)
    store_another_solution(attempt)
    if marked_again:
        rule(quiz, Kind.REGRADE)
    widen(quiz)
    assert score(attempt)[0] == points
    prove()


def test_where_a_changed_solution_leaves_a_mark_alone_the_lists_and_the_student_are_told(
    quiz, one_question, client
):
    attempt = take_quiz(make_student(5), quiz, off_by_little)
    store_another_solution(attempt)
    before, regrade = score(attempt), widen(quiz)
    assert score(attempt) == before
    assert regrade.summary["stored"] == 1
    client.force_login(get_user_model().objects.create_superuser("root@example.org"))
    page = client.get(f"/rulings/{regrade.pk}/").text
    assert "of 1 answer kept: the solution has changed since" in page
    client.force_login(attempt.student)
    results = f"/attempts/{attempt.pk}/results/"
    words = "the solution has changed since you were asked this question"
    assert words in client.get(results).text
    rule(quiz, Kind.REGRADE)
    assert words not in client.get(results).text
    prove()


def test_marking_again_takes_today_s_marks(quiz, right):
    """The case is that of a family whose marker was fixed."""
    Grade.objects.filter(answer__item__attempt=right, answer__item__position=1).update(points=0)
    grade = latest(right, 1)
    grade.steps = [{**step, "points": "0", "verdict": "wrong"} for step in grade.steps]
    grade.save()
    Attempt.objects.update(score=5)
    prove()
    rule(quiz, Kind.REGRADE)
    assert score(right) == (6, 6)
    prove()


@pytest.mark.service
def test_an_adjustment_by_hand_is_of_one_item(quiz, right, wrong):
    adjust(wrong, "0.5")
    assert (score(right), score(wrong)) == ((6, 6), (5.5, 6))
    assert Event.objects.get(verb="quizzes.ruling.applied").person_id == wrong.student_id
    prove()


@each("points", ["1.5", "-0.1", "x", ""])
def test_an_adjustment_stays_within_the_points(quiz, wrong, points):
    with pytest.raises(Refused):
        adjust(wrong, points)


def test_what_was_adjusted_by_hand_needs_a_tick(quiz, one_question, wrong):
    adjust(wrong, "0.5")
    assert rule(quiz, Kind.KEY, **of_key(one_question)).lines.get().outcome == "hand"
    assert score(wrong) == (5.5, 6)
    rule(quiz, Kind.KEY, **of_key(one_question, over_hand=True))
    assert score(wrong) == (6, 6)
    prove()


# Keys


def test_a_key_may_name_a_choice_that_was_removed(quiz, one_question, wrong):
    one_question.choices.get(key="b").delete()
    rule(quiz, Kind.KEY, **of_key(one_question))
    assert score(wrong) == (6, 6)


def test_a_key_names_no_choice_that_nobody_was_offered(quiz, one_question, wrong):
    with pytest.raises(Refused, match="offered"):
        rule(quiz, Kind.KEY, **of_key(one_question, values=key("also", ["zzz"])))


def test_a_regrade_has_a_reason(quiz, right):
    with pytest.raises(Refused, match="reason"):
        rule(quiz, Kind.VOID, reason="  ")


# Exactness


@pytest.mark.service
def test_thirds_are_added_up_exactly(quiz, right):
    """Ten times a tenth and a third of three are exact, despite floats."""
    for item in right.items.order_by("position")[:3]:
        adjust(right, "0.1", item.position)
    assert score(right) == (float(3 + 3 * Fraction("0.1")), 6)
    prove()


def test_a_step_keeps_its_exact_part_of_an_adjustment(quiz, right):
    item = next(
        i for i in right.items.order_by("position") if i.variant and len(i.shown["steps"]) > 1
    )
    adjust(right, "0.7", item.position)
    grade = latest(right, item.position)
    assert sum(Fraction(step["points"]) for step in grade.steps) == Fraction("0.7")


# The dry run


def test_a_dry_run_changes_no_mark(quiz, one_question, right, wrong):
    draft = drafted(quiz, Kind.KEY, **of_key(one_question))
    assert draft.state == Ruling.State.DRAFT
    line = draft.lines.get()
    assert (line.attempt_id, line.grade_before.points, line.points) == (wrong.pk, 0, 1)
    assert score(wrong) == (5, 6)
    assert not Grade.objects.filter(revision=2).exists()


def test_a_dry_run_tells_passes_gained_and_lost(quiz, one_question, right, wrong):
    quiz.pass_mark = 95
    quiz.save()
    draft = drafted(quiz, Kind.KEY, **of_key(one_question))
    assert (draft.summary["gained"], draft.summary["lost"]) == (1, 0)
    assert draft.summary["before"] == pytest.approx(11 / 12)
    assert draft.summary["after"] == 1
    more = of_key(one_question, values=key("instead"), never_lower=False)
    draft = drafted(quiz, Kind.KEY, **more)
    assert (draft.summary["gained"], draft.summary["lost"]) == (1, 1)
    assert draft.lines.get(attempt=right).passing == -1


@pytest.mark.service
def test_a_dry_run_is_refused_once_a_mark_has_changed(quiz, one_question, wrong):
    draft = drafted(quiz, Kind.KEY, **of_key(one_question))
    adjust(wrong, "0.5")
    with pytest.raises(Stale):
        accept_regrade(regrade=draft, by=None)
    assert [line.attempt_id for line in stale_lines(draft)] == [wrong.pk]
    renewed = renew_dry_run(regrade=draft)
    assert renewed.lines.get().outcome == "hand"
    accept_regrade(regrade=renewed, by=None)


def test_a_dry_run_is_refused_once_somebody_else_is_marked(quiz, one_question, wrong):
    draft = drafted(quiz, Kind.KEY, **of_key(one_question))
    take_quiz(make_student(9), quiz, choose("b"))
    with pytest.raises(Stale):
        accept_regrade(regrade=draft, by=None)


def test_a_draft_can_be_discarded_and_nothing_else(quiz, one_question, wrong):
    discard_regrade(regrade=drafted(quiz, Kind.KEY, **of_key(one_question)))
    assert not RulingLine.objects.exists()
    made = rule(quiz, Kind.KEY, **of_key(one_question))
    with pytest.raises(Refused):
        discard_regrade(regrade=made)
    with pytest.raises(Refused):
        renew_dry_run(regrade=made)


# Concurrency


def test_the_same_regrade_twice_changes_nothing_more(quiz, one_question, wrong):
    rule(quiz, Kind.KEY, **of_key(one_question))
    again = rule(quiz, Kind.KEY, **of_key(one_question))
    assert not again.lines.exists()
    assert Grade.objects.filter(revision__gt=1).count() == 1
    undo(again)
    assert score(wrong) == (6, 6)
    prove()


@pytest.mark.service
def test_the_same_draft_is_accepted_once_and_another_waits_for_it(quiz, one_question, wrong):
    draft = drafted(quiz, Kind.KEY, **of_key(one_question))
    other = drafted(quiz, Kind.VOID)
    accept_regrade(regrade=draft, by=None)
    with pytest.raises(Refused, match="Wait"):
        accept_regrade(regrade=other, by=None)
    with pytest.raises(Refused):
        accept_regrade(regrade=draft, by=None)


# Undoing


def test_undoing_appends_what_stood_before(quiz, one_question, wrong):
    made = rule(quiz, Kind.KEY, **of_key(one_question))
    undo(made)
    assert refresh(made).state == Ruling.State.UNDONE
    grade = latest(wrong, CONCEPT)
    assert (grade.revision, grade.verdict, grade.mistake) == (3, "mistake", "b")
    assert score(wrong) == (5, 6)
    prove()
    with pytest.raises(Refused):
        draft_undo(regrade=made, by=None, reason="Again.")


@pytest.mark.service
def test_undoing_leaves_what_was_regraded_since(quiz, one_question, right, wrong):
    void = rule(quiz, Kind.VOID, scope=Scope.QUESTION, question=one_question)
    rule(quiz, Kind.KEY, **of_key(one_question))
    slot = quiz.slots.get(position=CONCEPT)
    assert score(wrong) == (5, 5)
    undo(void)
    assert score(wrong) == (6, 6)
    rule(quiz, Kind.POINTS, scope=Scope.SLOT, slot=slot, values={"points": "2"})
    assert score(wrong) == (7, 7)
    prove()


def test_undoing_leaves_a_later_adjustment_by_hand(quiz, one_question, wrong):
    made = rule(quiz, Kind.KEY, **of_key(one_question))
    adjust(wrong, "0.25")
    undo(made)
    assert score(wrong) == (5.25, 6)
    prove()


# Workers


@pytest.mark.service
def test_a_worker_that_dies_between_batches_leaves_the_rest_to_others(
    quiz, right, wrong, monkeypatch
):
    monkeypatch.setattr(services, "BATCH_SIZE", 4)  # an attempt's lines stay together
    draft = drafted(quiz, Kind.VOID, never_lower=False)
    accept_regrade(regrade=draft, by=None)
    services._apply_batch()
    prove()
    dies = mock.patch.object(services, "write_totals", side_effect=KeyboardInterrupt)
    with dies, pytest.raises(KeyboardInterrupt):
        apply_waiting_regrades()
    prove()
    assert (refresh(draft).lines_done, draft.lines_to_do) == (6, 12)
    apply_all()
    assert (refresh(draft).state, draft.lines_done) == ("applied", 12)
    assert score(right) == score(wrong) == (0, 0)
    prove()


@pytest.mark.service
def test_a_line_whose_mark_has_changed_is_left_out(quiz, one_question, wrong):
    draft = drafted(quiz, Kind.KEY, **of_key(one_question))
    accept_regrade(regrade=draft, by=None)
    grade = latest(wrong, CONCEPT)
    other = rule_by_force(quiz)
    Grade.objects.create(
        answer=grade.answer, revision=2, points=0, out_of=1, verdict="mistake", mistake="b",
        steps=grade.steps, core_version="1", ruling=other
    )  # fmt: skip
    apply_all()
    assert draft.lines.get().outcome == "stale"
    assert score(wrong) == (5, 6)
    prove()


def rule_by_force(quiz):
    made = regrade_over(quiz, Kind.REGRADE, state="applied", accepted_at=timezone.now())
    made.save()
    return made


# Later marks


def test_what_is_marked_later_is_marked_under_the_regrades_that_stand(quiz, one_question, right):
    rule(quiz, Kind.KEY, **of_key(one_question))
    rule(quiz, Kind.VOID, scope=Scope.SLOT, slot=quiz.slots.get(position=1))
    late = take_quiz(make_student(7), quiz, choose("b"))
    assert score(late) == (5, 5)
    assert [
        grade.revision for grade in latest(late, CONCEPT).answer.grades.order_by("revision")
    ] == [1, 2]
    prove()


@pytest.mark.service
def test_what_is_marked_while_a_regrade_is_applied_is_marked_under_it(quiz, one_question, wrong):
    accept_regrade(regrade=drafted(quiz, Kind.KEY, **of_key(one_question)), by=None)
    assert score(take_quiz(make_student(7), quiz, choose("b"))) == (6, 6)
    assert score(wrong) == (5, 6)
    apply_all()
    assert score(wrong) == (6, 6)
    prove()


def test_what_is_marked_later_is_marked_again_under_a_tolerance_that_stood_by_then(quiz, student):
    """Marking itself knows the tolerance of the variant alone."""
    attempt = take_quiz(student, quiz, off_by_less)
    narrow = {"scope": Scope.FAMILY, "family": "cosine", "values": {"tolerance": "0.000001"}}
    rule(quiz, Kind.TOLERANCE, **narrow)  # and nobody's mark is lowered
    assert score(attempt)[0] == score(attempt)[1]
    rule(quiz, Kind.REGRADE, never_lower=False)
    before = latest(attempt, 1)
    assert before.verdict != "right"

    answered = reopen_attempt(attempt=attempt, until=timezone.now() + timedelta(minutes=5))
    answer_everything(answered, off_by_less)
    submit_and_mark(answered)

    after = latest(attempt, 1)
    assert (after.points, after.verdict) == (before.points, before.verdict)
    prove()


@pytest.mark.service
def test_undoing_undoes_what_was_marked_later_too(quiz, one_question, right):
    made = rule(quiz, Kind.KEY, **of_key(one_question))
    late = take_quiz(make_student(7), quiz, choose("b"))
    undo(made)
    assert score(late) == (5, 6)
    assert score(take_quiz(make_student(8), quiz, choose("b"))) == (5, 6)
    prove()


@pytest.mark.service
def test_a_reopened_attempt_is_regraded_when_it_is_handed_in_again(quiz, one_question, wrong):
    draft = drafted(quiz, Kind.VOID, scope=Scope.QUESTION, question=one_question)
    accept_regrade(regrade=draft, by=None)
    reopened = reopen_attempt(attempt=wrong, until=timezone.now() + timedelta(minutes=5))
    apply_all()
    assert score(wrong) == (None, 6)
    assert draft.lines.get().outcome == "stale"
    submit_and_mark(reopened)
    assert score(wrong) == (5, 5)
    prove()


def test_an_undone_void_is_no_more_when_a_reopened_attempt_is_handed_in(quiz, one_question, wrong):
    made = rule(quiz, Kind.VOID, scope=Scope.QUESTION, question=one_question)
    assert score(wrong) == (5, 5)
    reopened = reopen_attempt(attempt=wrong, until=timezone.now() + timedelta(minutes=5))
    undo(made)
    submit_and_mark(reopened)
    assert score(wrong) == (5, 6)
    prove()


def test_another_sitting_is_not_regraded(quiz, one_question, wrong):
    sitting = Sitting.objects.create(quiz=quiz, given_in="Elsewhere", open_to_all=False)
    rule(quiz, Kind.KEY, sitting=sitting, **of_key(one_question))
    assert score(wrong) == (5, 6)
    rule(quiz, Kind.KEY, sitting=None, **of_key(one_question))
    assert score(wrong) == (6, 6)


def test_practice_is_not_regraded(quiz, wrong):
    Attempt.objects.update(mode="practice", deadline=None)
    assert not rule(quiz, Kind.VOID, never_lower=False).lines.exists()


# A solution that has changed


def test_marking_again_lets_a_changed_solution_count(quiz, attempt):
    answer_everything(attempt)
    variant = attempt.items.get(position=1).variant
    step = next(iter(variant.solution))
    type(variant).objects.filter(pk=variant.pk).update(solution={**variant.solution, step: 99.0})
    submit_and_mark(attempt)
    assert Submission.objects.get().state == "attention"
    draft = drafted(quiz, Kind.REGRADE)
    assert draft.summary["in_need"] == 1
    accept_regrade(regrade=draft, by=None)
    grade_waiting()
    assert Submission.objects.get().state == "graded"
    assert score(attempt) == (6, 6)
    prove()


# Replay


@pytest.mark.service
def test_a_score_that_is_not_the_sum_of_its_grades_is_found(quiz, right, capsys):
    Attempt.objects.update(score=5.5)
    with pytest.raises(CommandError, match="1 of 1"):
        prove()
    assert f"attempt {right.pk}" in capsys.readouterr().err


@pytest.mark.service
def test_a_grade_that_no_regrade_appended_is_found(quiz, right):
    grade = latest(right, 1)
    Grade.objects.create(
        answer=grade.answer, revision=2, points=1, out_of=1, verdict="right", steps=grade.steps,
        core_version="1"
    )  # fmt: skip
    with pytest.raises(CommandError):
        prove()
