"""Corrections of written problems: given answers are marked by a later version that is named."""

import pytest
from django.urls import reverse

from audit.models import Event
from outbox.models import Message
from quizzes import problems
from quizzes.certificates.services import make_certificate
from quizzes.errors import Refused
from quizzes.models import Ruling, Variant
from quizzes.regrades.presenters import describe_values
from quizzes.regrades.queries.versions import offered_versions
from quizzes.regrades.rules import accepted_answer
from quizzes.regrades.services import accept_regrade
from sharing.models import Access, new_share
from tests.each import each
from tests.quizzes.reading import Page
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
from tests.quizzes.written.published import publish
from tests.world import (
    answer_everything,
    found_in,
    html_in_one_line,
    make_instructor_user,
    make_quiz,
    missing_in,
    refresh,
    rules,
    start_assigned_quiz,
    submit_and_mark,
    take_quiz,
    visible_text,
)

pytestmark = pytest.mark.django_db

KEY = "own_scaled_score"
WRONG = """title: A scaled score
sizes: d = 4
q, k: tenths(d, low=1, high=9)
statement: Score the key by the query.
score = q @ k / d
    label: The scaled score
    how: Divide the dot product by the width.
double = 2 * score
    label: Twice the score
"""
TRUE = WRONG.replace("q @ k / d", "q @ k / sqrt(d)").replace("by the width", "by the root")
OTHER_STEPS = TRUE.replace("double = 2 * score", "triple = 3 * score")
OTHER_GIVENS = TRUE.replace("q, k: tenths", "q, p: tenths").replace("@ k", "@ p")
CORRECTED = "The problem was corrected"
WORKED = "Divide the dot product by the root."


@pytest.fixture
def quiz(db):
    """A quiz of one written problem in its first version, whose first step is wrong."""
    publish(KEY, WRONG)
    return make_quiz("written", {"family": KEY, "family_version": 1, "points": 2})


@pytest.fixture
def true(quiz):
    """An attempt by the true formula, at which version 1 marks the first step wrong."""
    return take_quiz(make_student(1), quiz, truly)


@pytest.fixture
def followed(quiz):
    """An attempt by the wrong formula, which version 1 marks right."""
    return take_quiz(make_student(2), quiz)


@pytest.fixture
def blank(quiz):
    return take_quiz(make_student(3), quiz, lambda item: {})


@pytest.fixture
def corrected(quiz, true, followed, blank):
    """Version 2, which is published once three students were marked by version 1."""
    return publish(KEY, TRUE, 2, corrects=True)


def truly(item):
    """Return the fields of an answer by the true formula, to two decimals more than asked."""
    q, k = item.variant.givens["q"], item.variant.givens["k"]
    scaled = sum(a * b for a, b in zip(q, k, strict=True)) / 2
    return {"score-0-0": f"{scaled:.3f}", "double-0-0": f"{2 * scaled:.3f}"}


def correct(quiz, **more):
    of = {"scope": Scope.FAMILY, "family": KEY, "values": {"version": 2}}
    return rule(quiz, Kind.REGRADE, **of | more)


def points(*attempts):
    return [score(attempt)[0] for attempt in attempts]


def results_of(client, attempt):
    client.force_login(attempt.student)
    return client.get(reverse("quizzes:results", args=[attempt.pk]))


# Marks


def test_given_answers_keep_their_marks_until_a_regrade_names_the_version(
    quiz, true, followed, blank, corrected
):
    assert points(true, followed, blank) == [1, 2, 0]
    assert [latest(true, 1).steps[n]["verdict"] for n in (0, 1)] != ["right", "right"]
    rule(quiz, Kind.REGRADE, scope=Scope.FAMILY, family=KEY)
    assert points(true, followed, blank) == [1, 2, 0]
    prove()


def test_the_dry_run_shows_who_changes(quiz, true, followed, blank, corrected):
    of = {"scope": Scope.FAMILY, "family": KEY, "values": {"version": 2}}
    draft = drafted(quiz, Kind.REGRADE, **of)
    assert dict(draft.lines.values_list("attempt", "outcome")) == {
        true.pk: "higher",
        followed.pk: "kept",
    }
    assert points(true, followed, blank) == [1, 2, 0]


def test_nobody_loses_unless_one_says_so_and_undoing_brings_the_old_marks_back(
    quiz, true, followed, blank, corrected
):
    made = correct(quiz)
    assert points(true, followed, blank) == [2, 2, 0]
    assert latest(true, 1).verdict == "right"
    prove()
    undo(made)
    assert points(true, followed, blank) == [1, 2, 0]
    made = correct(quiz, never_lower=False)
    assert points(true, followed, blank) == [2, 1, 0]  # the second step still follows
    undo(made)
    assert points(true, followed, blank) == [1, 2, 0]
    prove()


@each("scope", [Scope.SLOT, Scope.VARIANT, Scope.ITEM])
def test_narrower_scopes_name_a_version_too(quiz, true, followed, corrected, scope):
    item = true.items.get()
    part = {Scope.SLOT: item.slot, Scope.VARIANT: item.variant, Scope.ITEM: item}[scope]
    correct(quiz, scope=scope, family="", **{str(scope): part})
    assert points(true, followed) == [2, 2]


def test_answers_given_later_to_the_old_version_are_marked_by_the_new_one(quiz, corrected):
    correct(quiz)
    late = take_quiz(make_student(4), quiz, truly)
    assert late.items.get().variant.version == 1
    assert points(late) == [2]
    # Marking again changes nothing then.
    rule(quiz, Kind.REGRADE, never_lower=False)
    assert points(late) == [2]
    prove()


def test_the_tolerance_is_that_of_the_new_version(quiz, true, corrected):
    item = true.items.get()
    Variant.objects.filter(pk=item.variant_id).update(tolerance={"score": 0.0, "double": 0.0})
    variant = Variant.objects.get(pk=item.variant_id)
    restated = problems.restate_variant(vars(variant), 2)
    assert all(0 < each < 0.01 for each in restated["tolerance"].values())
    assert restated["solution"]["double"] == 2 * restated["solution"]["score"]
    assert (restated["version"], restated["givens"]) == (2, variant.givens)
    correct(quiz)
    assert points(true) == [2]


@each("order", ["tolerance first", "correction first"])
def test_a_wider_tolerance_and_a_correction_hold_together(quiz, true, followed, corrected, order):
    def roughly(item):
        return {field: f"{float(text) + 0.02:.3f}" for field, text in truly(item).items()}

    rough = take_quiz(make_student(5), quiz, roughly)
    both = [(Kind.TOLERANCE, {"tolerance": "0.05"}), (Kind.REGRADE, {"version": 2})]
    for kind, values in both if order == "tolerance first" else reversed(both):
        made = rule(*(quiz, kind), scope=Scope.FAMILY, family=KEY, values=values, never_lower=False)
    assert points(rough, true, followed) == [2, 2, 1]
    later = take_quiz(make_student(6), quiz, roughly)
    assert points(later) == [2]
    undo(made)
    assert points(true, followed) == ([1, 2] if order == "tolerance first" else [2, 1])
    prove()


def test_two_versions_of_a_problem_are_marked_together_each_by_its_own(quiz, true, corrected):
    old = Variant.objects.get(pk=true.items.get().variant_id)
    new = problems.restate_variant(vars(old), 2)
    raw = {key: f"{value:.3f}" for key, value in new["solution"].items()}
    marked = problems.mark_numeric([(vars(old), raw, 2), (new, raw, 2), (vars(old), raw, 2)])
    assert [float(mark.points) for mark in marked] == [1, 2, 1]
    assert not any(mark.solution_changed for mark in marked)


# Refusals


@each(
    "text", [OTHER_STEPS, OTHER_GIVENS, TRUE.replace("twice", "").replace("2 * score", "score + q")]
)
def test_a_version_that_asks_for_something_else_is_refused(quiz, true, text):
    publish(KEY, text, 2)
    with pytest.raises(Refused, match="has different givens or steps"):
        correct(quiz)
    assert points(true) == [1]


@each("version, state", [(2, "draft"), (2, "withdrawn"), (3, "none"), ("2", "text"), (0, "none")])
def test_only_a_published_version_is_taken(quiz, true, corrected, version, state):
    changed = {"draft": {"published_at": None}, "withdrawn": {"withdrawn_at": corrected.saved_at}}
    type(corrected).every.filter(pk=corrected.pk).update(**changed.get(state, {}))
    with pytest.raises(Refused, match="can’t be used"):
        correct(quiz, values={"version": version})


def test_a_version_is_offered_from_the_asked_one_up(quiz, true, corrected):
    publish(KEY, TRUE, 3)
    of = regrade_over(quiz, Kind.REGRADE, scope=Scope.FAMILY, family=KEY)
    assert [each.version for each in offered_versions(of)] == [1, 2, 3]
    assert not offered_versions(regrade_over(quiz, Kind.REGRADE))
    shipped = regrade_over(quiz, Kind.REGRADE, scope=Scope.FAMILY, family="cosine")
    assert not offered_versions(shipped)
    type(corrected).every.filter(version__gt=1).update(withdrawn_at=corrected.saved_at)
    assert not offered_versions(of)


def test_naming_the_asked_version_takes_a_correction_back(quiz, true, followed, corrected):
    correct(quiz, never_lower=False)
    correct(quiz, never_lower=False, values={"version": 1})
    assert points(true, followed) == [1, 2]
    prove()


def test_numbers_without_a_solution_stay_as_they_were_asked(quiz, true):
    publish(KEY, TRUE.replace("sqrt(d)", "(q[0] - 5)"), 2)
    variant = Variant.objects.get(pk=true.items.get().variant_id)
    variant.givens["q"][0] = 5
    variant.save()
    with pytest.raises(Refused, match="has no solution"):
        correct(quiz)
    assert problems.correct_variant(vars(variant), 2) is vars(variant)


# What students read


def test_the_results_show_the_new_solution_and_that_the_problem_was_corrected(
    client, quiz, true, followed, corrected
):
    before = visible_text(results_of(client, true).text)
    assert not found_in(before, WORKED, CORRECTED)
    made = correct(quiz, reason="It divided by the width.")
    words = visible_text(results_of(client, true).text)
    assert not missing_in(
        words,
        WORKED,
        f"{CORRECTED}. Points: 1 of 2 at first, now 2 of 2",
        "It divided by the width.",
    )
    assert "by the width. " not in words.replace("It divided by the width.", "")
    words = visible_text(results_of(client, followed).text)
    assert not missing_in(words, WORKED, f"{CORRECTED}. Your mark hasn’t changed.")
    undo(made)
    assert WORKED not in visible_text(results_of(client, true).text)
    words = visible_text(results_of(client, followed).text)
    assert not found_in(words, WORKED, CORRECTED)


def test_feedback_on_mistakes_is_that_of_the_new_version(client, quiz, true, followed, corrected):
    correct(quiz, never_lower=False)
    grade = latest(followed, 1)
    assert grade.verdict != "right"
    known = problems.mistakes_of_family(KEY, 2)
    (first, _second) = grade.steps
    if first["mistake"]:
        assert (first["key"], first["mistake"]) in known
    page = results_of(client, followed)
    assert page.status_code == 200
    assert WORKED in visible_text(page.text)


def test_a_certificate_does_not_show_a_solution_that_was_corrected(
    client, quiz, followed, corrected
):
    shown = "One of the problems they solved"
    made = make_certificate(attempt=followed, name="Sam").get_absolute_url()
    assert shown in client.get(made).text
    correct(quiz)
    assert latest(followed, 1).revision == 1
    assert shown not in client.get(made).text


# The desk


@pytest.fixture
def owner(quiz):
    person = make_instructor_user("Olga")
    new_share(quiz, user=person, access=Access.OWN).save()
    return person


def sent(quiz, **more):
    of = {"sitting": quiz.own_sitting.pk, "of": f"family-{KEY}", "kind": "regrade"}
    return of | {"version": "2", "policy": "never", "reason": "The formula was wrong."} | more


def test_the_owner_of_the_quiz_chooses_the_version_and_sees_it_everywhere(
    client, quiz, true, followed, corrected, owner
):
    client.force_login(owner)
    base = reverse("quizzes:rulings")
    address = f"{base}new/?sitting={quiz.own_sitting.pk}&of=family-{KEY}&kind=regrade"
    page = Page(client.get(address))
    assert [each["value"] for each in page.all("option")] == ["", "1", "2"]
    preview = client.post(f"{base}new/", sent(quiz, preview="", reason=""))
    assert "answers with a higher mark" in visible_text(preview.text)
    assert client.post(f"{base}new/", sent(quiz, version="7")).status_code == 422
    made = client.post(f"{base}new/", sent(quiz), follow=True)
    assert "Marked again by version 2" in visible_text(made.text)
    draft = Ruling.objects.get()
    assert draft.values == {"version": 2}
    assert "version=2" in html_in_one_line(made)
    accept_regrade(regrade=draft, by=owner)
    apply_all()
    assert points(true) == [2]
    event = Event.objects.get(verb="quizzes.ruling.applied")
    assert event.after["version"] == 2
    assert "Marked again by version 2" in visible_text(client.get(base).text)


def test_without_a_newer_version_or_for_other_families_none_is_asked(client, quiz, true, owner):
    client.force_login(owner)
    base = reverse("quizzes:rulings")
    for of in (f"family-{KEY}", "all", f"item-{true.items.get().pk}"):
        page = client.get(f"{base}new/?sitting={quiz.own_sitting.pk}&of={of}&kind=regrade")
        assert page.status_code == 200
        assert "Version of the problem" not in page.text
    client.post(f"{base}new/", sent(quiz, version=""))
    assert Ruling.objects.get().values == {}


def test_another_instructor_cannot_regrade_the_quiz(client, quiz, true, corrected, owner):
    other = make_instructor_user("Ivo")
    client.force_login(other)
    base = reverse("quizzes:rulings")
    assert client.post(f"{base}new/", sent(quiz)).status_code == 404
    draft = drafted(quiz, Kind.REGRADE, scope=Scope.FAMILY, family=KEY, values={"version": 2})
    for more in ("", "apply/"):
        assert client.post(f"{base}{draft.pk}/{more}").status_code == 404
    assert refresh(draft).is_draft
    assert points(true) == [1]


RULES = rules(attempts_allowed=None)


def test_a_class_corrects_its_own_marks_only_and_its_students_are_told(
    client, quiz, true, corrected, assignment, course, ines, add_member
):
    attempt = start_assigned_quiz(add_member("Ann"))
    answer_everything(attempt, truly)
    submit_and_mark(attempt)
    base, assigned = f"/teach/{course.pk}/rulings/", assignment.sitting_id
    client.force_login(make_instructor_user("Otto"))
    assert client.post(f"{base}new/", sent(quiz, sitting=assigned)).status_code == 404
    client.force_login(ines)
    assert client.post(f"{base}new/", sent(quiz)).status_code == 404
    client.post(f"{base}new/", sent(quiz, sitting=assigned, tells="on"))
    accept_regrade(regrade=Ruling.objects.get(), by=ines)
    apply_all()
    assert points(attempt, true) == [2, 1]
    assert Message.objects.get(kind="quizzes.marks_ruled").to == attempt.student
    history = visible_text(client.get(f"/teach/{course.pk}/history/").text)
    assert not missing_in(history, "changed marks by a regrade", "version: 2")
    review = visible_text(client.get(f"/teach/{course.pk}/attempts/{attempt.pk}/").text)
    assert not missing_in(review, WORKED, CORRECTED)


def test_accepted_answers_are_named_as_in_the_version_that_was_asked(quiz, true, followed):
    step, mistake = next(iter(problems.mistakes_of_family(KEY, 1)))
    # Its mistakes are kept by its number for good.
    publish(KEY, TRUE.replace("    label: The scaled score", "    label: The divided score"), 9)
    of = regrade_over(quiz, Kind.ACCEPT, scope=Scope.FAMILY, family=KEY)
    assert step == "score"
    of.values = {"accept": [accepted_answer(1, step, mistake)]}
    assert describe_values(of).startswith("The scaled score: ")
    of.values = {"accept": [accepted_answer(9, step, mistake)]}
    assert describe_values(of).startswith("The divided score: ")


def test_statistics_name_the_mistakes_of_the_version_that_marks(
    client, quiz, true, corrected, assignment, course, ines, add_member
):
    attempt = start_assigned_quiz(add_member("Ann"))
    answer_everything(attempt)
    submit_and_mark(attempt)
    correct(quiz, sitting=assignment.sitting, never_lower=False)
    (first, _second) = latest(attempt, 1).steps
    place = first["key"], first["mistake"]
    assert place not in problems.mistakes_of_family(KEY, 1)
    client.force_login(ines)
    address = reverse("classes:figures", args=[course.pk, assignment.pk])
    feedback = problems.mistakes_of_family(KEY, 2)[place].feedback
    words, _dollar, _formula = feedback.partition("$")
    assert words in visible_text(client.get(address).text)
