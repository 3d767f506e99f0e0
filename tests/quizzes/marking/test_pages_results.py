"""After submitting: the receipt while it waits, and the review when it is marked."""

import copy
from datetime import timedelta
from html import unescape

import numpy as np
import pytest
from django.utils import timezone

from attention_core import draw
from attention_core.catalogue import problem_from_json, problem_to_json
from attention_core.problems import family
from attention_core.problems.rounding import CAREFUL, Way
from lessons.models import Lesson
from quizzes.delivery.presenters.scores import format_score
from quizzes.delivery.queries.secrecy import ShownMarks
from quizzes.delivery.services.taking import start_attempt, submit_attempt
from quizzes.marking import views
from quizzes.marking.services import grade_waiting
from quizzes.models import (
    Attempt,
    ConceptQuestion,
    Grade,
    Item,
    Quiz,
    Sitting,
    Submission,
    Topic,
    Variant,
)
from quizzes.notifiers import grading_notifier
from tests.fixtures import WHOLE
from tests.quizzes.reading import Page
from tests.world import (
    found_in,
    item_at,
    missing_in,
    replace_wording,
    right_fields,
    save_answer,
    wording_for,
    wrong_fields,
)

pytestmark = pytest.mark.usefixtures("as_student")

ASKS = [WHOLE[index] for index in (0, 4, 6, 7, 9, 10, 11, 12)]
SCORES, SOFTMAX, CAUSAL, ATTENTION, CONCEPT = 2, 4, 5, 6, 7
# The attributes of an unfolding solution.
SOLUTION = {"class": "worked"}


@pytest.fixture(autouse=True)
def rings(monkeypatch):
    """The wake-ups by the page; test_notifier.py tests the notifier itself."""
    heard = []
    monkeypatch.setattr(grading_notifier, "wake_again", lambda: heard.append("again"))
    return heard


def hand_in_right(attempt, answers=None):
    """Submit right answers, apart from those in `answers`."""
    for each in attempt.items.select_related("variant"):
        save_answer(each, (answers or {}).get(each.position, right_fields(each)))
    return submit_attempt(attempt=attempt)


def marked(client, url, attempt, answers=None):
    hand_in_right(attempt, answers)
    grade_waiting()
    return Page(client.get(url))


def section(page, position):
    """Return the text of one question of the review."""
    start = page.html.index(f'id="item-{position}"')
    end = page.html.find(f'id="item-{position + 1}"', start)

    class Response:
        content = page.html[start:end].split(">", 1)[1].encode()

    return Page(Response).text


# Waiting


def test_an_open_attempt_has_no_results_yet(client, attempt, url):
    assert client.get(url).url == f"/attempts/{attempt.pk}/"


def test_what_waits_says_so_and_rings_again(client, attempt, url, rings):
    hand_in_right(attempt)
    page = Page(client.get(url))
    assert "Waiting to be marked" in page.text
    assert page.all("meta", http_equiv="refresh")
    assert page.all("p", data_status=f"/attempts/{attempt.pk}/status/")
    assert rings == ["again"]


def test_what_needs_attention_says_so_honestly(client, attempt, url):
    hand_in_right(attempt)
    Submission.objects.update(state="attention", trouble="ValueError: secret detail")
    page = Page(client.get(url))
    assert "Someone needs to look at this" in page.text
    assert "secret detail" not in page.text
    assert not page.all("meta", http_equiv="refresh")


@pytest.mark.parametrize(
    "rules",
    [
        {"release": Sitting.Release.BY_HAND},
        {"release": Sitting.Release.AFTER_CLOSE, "closes_at": timezone.now() + timedelta(days=1)},
        {"release": Sitting.Release.AFTER_CLOSE},
    ],
    ids=["by hand", "after the close", "after a close not yet set"],
)
def test_before_release_there_is_a_receipt_and_no_mark_anywhere(client, attempt, url, rules):
    Sitting.objects.update(**rules)
    page = marked(client, url, attempt)
    assert "Your answers have been submitted" in page.text
    assert page.all("a", inside="main", href="/learning/")
    for place in (url, "/attempts/", "/quizzes/foundations/"):
        text = Page(client.get(place)).text
        assert found_in(text, "8 of 8", "passed") == []
        assert "marked" not in text.partition("State Score")[2]


def test_once_released_the_results_are_there(client, attempt, url):
    now = timezone.now()
    by_hand = {"release": Sitting.Release.BY_HAND, "released": False}
    tomorrow = now + timedelta(days=1)
    after = {"release": Sitting.Release.AFTER_CLOSE, "released": False, "closes_at": tomorrow}
    marked(client, url, attempt)
    closed = {"closes_at": now - timedelta(seconds=1)}
    for before, opened in ((by_hand, {"released": True}), (after, closed)):
        for rules, there in ((before, False), (opened, True)):
            Sitting.objects.update(**rules)
            assert ("8 of 8 points" in Page(client.get(url)).text) == there


def test_a_mark_that_comes_while_the_page_is_made_is_whole(client, attempt, url, monkeypatch):
    hand_in_right(attempt)
    read = views.last_submission

    def read_after_the_worker(own):
        grade_waiting()
        return read(own)

    monkeypatch.setattr(views, "last_submission", read_after_the_worker)
    assert "8 of 8 points" in Page(client.get(url)).text


# The review


def test_all_right_is_passed_and_keeps_solutions_folded(
    client, attempt, url, django_assert_max_num_queries
):
    hand_in_right(attempt)
    grade_waiting()
    with django_assert_max_num_queries(16):
        answer = client.get(url)
    page = Page(answer)
    assert missing_in(page.text, "8 of 8 points", "Passed, with 100%") == []
    assert "Mistakes worth knowing" not in page.text
    folded = page.all("details", **{"class": "item-more"})
    assert len(folded) == attempt.items.count()
    assert not any("open" in each for each in folded)
    assert f'<span class="only-print"><bdi>{attempt.student}</bdi> · </span>' in " ".join(
        page.html.split()
    )


def test_the_pass_mark_is_not_reached_by_rounding(client, attempt, url):
    Quiz.objects.update(pass_mark=88)
    page = marked(client, url, attempt, {CONCEPT: {}})
    assert "87.5%, not passed: the pass mark is 88%" in page.text


@pytest.mark.parametrize(
    ("points", "pass_mark", "message"),
    [(1.5, 60, "7.9"), (11.398, 60, "59.9"), (11.4, 60, "60"), (18.995, 60, "99.9")],
)
def test_a_percentage_is_rounded_unless_that_would_reach_the_pass_mark_or_all(
    points, pass_mark, message
):
    assert format_score(ShownMarks(points, 19), Quiz(pass_mark=pass_mark)).percent == message


def test_a_named_mistake_is_shown_first_and_at_its_question(client, attempt, url):
    page = marked(client, url, attempt, {SOFTMAX: unnormalised(attempt)})
    feedback = "divide each by their sum"
    assert feedback in section(page, SOFTMAX)
    assert page.text.index("A mistake worth knowing") < page.text.index(feedback)
    assert "it cost 1 point" in page.text
    assert page.all("div", inside=f"item-{SOFTMAX}", data_mistake="unnormalised")


def test_programs_read_what_an_item_and_each_of_its_steps_earned(client, attempt, url):
    right = right_fields(item_at(attempt, ATTENTION))
    page = marked(client, url, attempt, {ATTENTION: right | {"output-0-0": "77"}})
    (found,) = page.all("section", id=f"item-{ATTENTION}")
    names = ("data-family", "data-verdict", "data-points", "data-out-of")
    grade = Grade.objects.get(answer__item__position=ATTENTION)
    assert [found[name] for name in names[:2]] == ["attention", "partial"]
    assert float(found["data-points"]) == pytest.approx(grade.points, abs=1e-4)
    assert float(found["data-out-of"]) == grade.out_of
    steps = page.all("div", inside=f"item-{ATTENTION}", **{"class": "reviewed-step"})
    earned = [float(step["data-points"]) for step in steps]
    assert sum(earned) == pytest.approx(grade.points, abs=1e-3)
    assert earned[0] == float(steps[0]["data-out-of"])


def transposed(attempt):
    """Return a right answer with rows and columns exchanged."""
    right = right_fields(item_at(attempt, SCORES))
    return {"{0}-{2}-{1}".format(*field.split("-")): text for field, text in right.items()}


def test_numbers_that_a_mistake_leaves_right_earn_their_share_and_it_says_so(client, attempt, url):
    text = section(marked(client, url, attempt, {SCORES: transposed(attempt)}), SCORES)
    feedback = "Any numbers that are still right earn their share of the points."
    assert missing_in(text, "0.5 of 1 point", "✓ right", feedback) == []


def test_a_number_rounded_too_early_costs_its_own_part_and_it_says_so(client, attempt, url):
    each = item_at(attempt, SOFTMAX)
    typed = right_fields(each)
    first = next(iter(typed))
    typed[first] = f"{float(typed[first]) + 3 * each.variant.tolerance['weights']:.4f}"
    text = section(marked(client, url, attempt, {SOFTMAX: typed}), SOFTMAX)
    assert "you rounded some values too early" in text
    assert f"You have {len(typed) - 1} of {len(typed)} numbers right. Each earns its share" in text


def test_how_far_off_what_follows_is_right_is_kept_where_it_was_worked_out(client, attempt, url):
    each = item_at(attempt, ATTENTION)
    typed = right_fields(each)
    typed["output-0-0"] = f"{float(typed['output-0-0']) + 3 * each.variant.tolerance['output']:.4f}"
    marked(client, url, attempt, {ATTENTION: typed})
    kept = {step["key"]: step["tolerance"] for step in Grade.objects.get(answer__item=each).steps}
    assert kept["output"] >= each.variant.tolerance["output"]
    assert kept["scores"] is kept["scaled"] is kept["weights"] is None


def test_a_grade_of_an_earlier_rule_is_shown_as_it_was_given(client, attempt, url):
    marked(client, url, attempt, {SCORES: transposed(attempt)})
    grade = Grade.objects.get(answer__item__position=SCORES)
    (step,) = grade.steps
    del step["tolerance"]
    grade.pk, grade.revision, grade.points = None, 2, 0
    grade.steps = [step | {"points": "0"}]
    grade.save(force_insert=True)
    text = section(Page(client.get(url)), SCORES)
    assert "0 of 1 point" in text
    assert "Numbers that happen to be right earn nothing here." in text


def test_cells_have_a_sign_and_a_word(client, attempt, url):
    typed = right_fields(item_at(attempt, CAUSAL))
    first, second, third, *_ = typed
    typed |= {first: "77", second: "", third: "1.2.3"}
    text = section(marked(client, url, attempt, {CAUSAL: typed}), CAUSAL)
    assert missing_in(text, "77 ✗ wrong", "– blank", "1.2.3 ? unreadable", "✓ right") == []
    assert missing_in(text, "This has two separators", "You have 2 of 5 numbers right") == []


def test_unreadable_answers_are_not_called_a_wrong_method(client, attempt, url):
    typed = dict.fromkeys(right_fields(item_at(attempt, CAUSAL)), "1.2.3")
    text = section(marked(client, url, attempt, {CAUSAL: typed}), CAUSAL)
    assert "None of these entries can be read" in text
    assert "a mistake we recognise" not in text


def test_what_follows_from_an_own_wrong_step_is_explained(client, attempt, url):
    typed = right_fields(item_at(attempt, ATTENTION))
    scores = [[1.5, -0.5], [0.25, 2.0]]
    root = 2**0.5
    for row in range(2):
        for column in range(2):
            typed[f"scores-{row}-{column}"] = str(scores[row][column])
            typed[f"scaled-{row}-{column}"] = f"{scores[row][column] / root:.4f}"
    text = section(marked(client, url, attempt, {ATTENTION: typed}), ATTENTION)
    assert (
        missing_in(text, "follows", "given your own earlier step. This step earns all its points")
        == []
    )
    assert "Continuing correctly from your own earlier numbers gives: From your own" in text
    assert f"{1.5 / root:.3f}" in text  # typed to more decimals


def test_the_worked_solution_has_this_variants_numbers(client, attempt, url):
    page = marked(client, url, attempt, {SOFTMAX: {}})
    each = item_at(attempt, SOFTMAX)
    text = section(page, SOFTMAX)
    for weight in each.variant.solution["weights"]:
        assert f"{weight:.3f}" in text
    assert "<math" in page.html
    assert "You didn’t enter anything here." in text
    assert not page.all("div", **{"class": "slip"})  # no number is wrong on its own


def test_a_formula_stands_once_beside_the_first_wrong_number(client, attempt, url):
    typed = right_fields(item_at(attempt, SOFTMAX)) | {"weights-0-0": "77"}
    page = marked(client, url, attempt, {SOFTMAX: typed})
    shown = page.html.split(f'id="item-{SOFTMAX}"')[1].split("</section>")[0]
    assert shown.count('class="formula') == 1
    assert 'class="formula' in shown.partition("<details")[0]
    (folded,) = page.all("details", inside=f"item-{SOFTMAX}", **SOLUTION)
    assert "open" not in folded


def test_where_no_number_shows_what_was_asked_the_solution_is_open(client, attempt, url):
    typed = dict.fromkeys(right_fields(item_at(attempt, SOFTMAX)), "?")
    page = marked(client, url, attempt, {SOFTMAX: typed})
    (solution,) = page.all("details", inside=f"item-{SOFTMAX}", **SOLUTION)
    assert "open" in solution


def test_the_solution_tells_a_careful_rounder_s_numbers_and_a_program_gives_the_exact_ones(
    client, attempt, url
):
    each = item_at(attempt, ATTENTION)
    problem = problem_from_json(vars(each.variant))
    rounded = problem.family.solve(problem.givens, CAREFUL[0])
    page = marked(client, url, attempt)
    text = section(page, ATTENTION)
    for step, right in problem.solution.items():
        assert f"Marked right within ± {each.variant.tolerance[step]:.3f}" in text
        careful, exact = rounded[step].round(3), np.array(right).round(3)
        for value in careful[careful != exact]:
            assert f"{abs(value):.3f}" in text
    shown = page.html.split(f'id="item-{ATTENTION}"')[1].split("<pre")[1].split("<code>")[1]
    computed = {}
    exec(unescape(shown.split("</code>")[0]), computed)  # noqa: S102 - ours
    for step, right in problem.solution.items():
        np.testing.assert_allclose(computed[step], right, atol=1e-9)


def test_numbers_of_a_careful_rounder_that_differ_are_shown(client, attempt, url, monkeypatch):
    monkeypatch.setattr(family, "CAREFUL", (Way("coarse", decimals=1),))
    text = section(marked(client, url, attempt), ATTENTION)
    assert "gives this, which is also right: Rounded carefully" in text


def test_a_concept_question_shows_both_choices_with_their_feedback(client, attempt, url):
    page = marked(client, url, attempt, {CONCEPT: wrong_fields(item_at(attempt, CONCEPT))})
    shown = item_at(attempt, CONCEPT).shown
    text = section(page, CONCEPT)
    wrong = next(choice for choice in shown["choices"] if not choice["correct"])
    right = next(choice for choice in shown["choices"] if choice["correct"])
    assert f"{wrong['text']} ✗ your choice {wrong['feedback']}" in text
    assert f"{right['text']} ✓ the right choice {right['feedback']}" in text
    assert shown["explanation"] in text


def test_only_the_latest_grade_is_shown(client, attempt, url):
    marked(client, url, attempt)
    old = Grade.objects.get(answer__item__position=1)
    steps = copy.deepcopy(old.steps)
    steps[0] |= {"verdict": "wrong", "points": "0", "cells": "wrong"}
    new = {"revision": 2, "points": 0, "out_of": 1, "verdict": "wrong", "steps": steps}
    Grade.objects.create(answer=old.answer, **new)
    (question,) = Page(client.get(url)).all("section", data_item="1")
    assert question["data-verdict"] == "wrong"


def test_a_family_that_is_gone_still_shows_the_rest(client, attempt, url):
    marked(client, url, attempt)
    Variant.objects.filter(family="cosine").update(family="gone")
    page = Page(client.get(url))
    assert "there’s no worked solution to show" in section(page, 1)
    assert "✓ right" in section(page, 1)


def test_text_that_an_author_broke_does_not_take_the_page_with_it(client, attempt, url):
    each = item_at(attempt, CONCEPT)
    each.shown["explanation"] = "A broken $\\formula{$ <script>alert(1)</script>"
    each.shown["prompt"] = "<img src=x onerror=alert(1)> $\\frac{$"
    replace_wording(each, each.shown)
    assert client.get(f"/attempts/{attempt.pk}/").status_code == 200
    page = marked(client, url, attempt)
    assert not page.all("script", inside=f"item-{CONCEPT}")
    assert not page.all("img")


def test_every_question_leads_to_what_teaches_it_and_to_practice_of_its_kind(client, url, attempt):
    lesson = Lesson.objects.create(slug="foundations", title="Foundations", published=True)
    home = lesson.sections.create(slug="why", title="Why softmax?", families="scale, softmax_row")
    Topic.objects.create(key="values", title="What values are")
    page = marked(client, url, attempt)
    assert "Read again: Why softmax?" in section(page, SOFTMAX)
    assert "Read again" not in section(page, ATTENTION)
    links = {
        position: [way for way in page.addresses(f"item-{position}") if way[0] == "/"]
        for position in (SOFTMAX, CONCEPT + 1)
    }
    assert set(links[SOFTMAX]) == {home.get_absolute_url(), "/practice/family/softmax_row/"}
    assert links[CONCEPT + 1] == ["/practice/topic/values/"]
    assert "What values are" in section(page, CONCEPT + 1)


def test_what_can_no_longer_be_practised_is_not_offered(client, attempt, url):
    marked(client, url, attempt)
    Variant.objects.filter(family="softmax_row").update(family="gone")
    ConceptQuestion.objects.update(published=False)
    page = Page(client.get(url))
    for position in (SOFTMAX, CONCEPT):
        assert not page.all("a", inside=f"item-{position}")


def test_the_time_used_is_shown_with_the_time_limit(client, attempt, url):
    marked(client, url, attempt)
    ended = attempt.started_at + timedelta(minutes=12)
    Attempt.objects.filter(pk=attempt.pk).update(submitted_at=ended)
    assert "12 of 23 minutes" in Page(client.get(url)).text


# The first number that is not right


def slips(page):
    return [slip["data-slip"] for slip in page.all("div", f"item-{ATTENTION}", **{"class": "slip"})]


def lost_sign(each, step, *, negative):
    """Return a right answer without one sign, of the first number that is (not) `negative`."""
    typed = right_fields(each)
    field = next(
        field
        for field, text in typed.items()
        if field.startswith(step) and abs(float(text)) > 0.1 and (float(text) < 0) == negative
    )
    return typed | {field: f"{-float(typed[field]):.3f}"}, float(typed[field])


def scores_with_both_signs(attempt):
    """Return an item whose scores include a negative and a positive one."""
    each = item_at(attempt, SCORES)
    problem = next(
        drawn
        for drawn in (draw("score_matrix", seed, width=2) for seed in range(20))
        if drawn.values.scores.min() < -0.2 and drawn.values.scores.max() > 0.2
    )
    variant = Variant.objects.create(kind=each.variant.kind, **problem_to_json(problem))
    Item.objects.filter(pk=each.pk).update(variant=variant, wording=wording_for(variant))
    return item_at(attempt, SCORES)


@pytest.mark.parametrize(
    ("negative", "says"),
    [(True, "The sign was lost."), (False, "There’s one minus sign too many.")],
)
def test_a_wrong_sign_is_described_in_words(client, attempt, url, negative, says):
    typed, right = lost_sign(scores_with_both_signs(attempt), "scores", negative=negative)
    text = section(marked(client, url, attempt, {SCORES: typed}), SCORES)
    own, here = (f"{x:.3f}".replace("-", "−") for x in (-right, right))
    assert f"You: {own} ; it should be {here} . {says}" in text


def test_the_first_wrong_number_is_worked_out_at_its_step_alone(client, attempt, url):
    typed = right_fields(item_at(attempt, ATTENTION))
    typed |= {"scores-0-1": "77", "output-0-0": "77"}
    page = marked(client, url, attempt, {ATTENTION: typed})
    assert slips(page) == ["scores"]
    first, second = item_at(attempt, ATTENTION).shown["steps"][0]["labels"]
    assert f"{first[0]}, {second[1]}: You: 77 ; it should be " in section(page, ATTENTION)


def test_a_number_ten_times_too_large_is_described_as_such(client, attempt, url):
    typed = right_fields(item_at(attempt, SOFTMAX))
    first = max(typed, key=lambda field: float(typed[field]))
    typed[first] = f"{10 * float(typed[first]):.2f}"
    text = section(marked(client, url, attempt, {SOFTMAX: typed}), SOFTMAX)
    assert "That’s 10 times too large." in text


def few_decimals(attempt):
    """Return the softmax weights with one rounded to one decimal."""
    typed = right_fields(item_at(attempt, SOFTMAX))
    field = next(field for field, text in typed.items() if f"{float(text):.1f}" not in text)
    return typed | {field: f"{float(typed[field]):.1f}"}


def test_a_number_right_to_fewer_decimals_than_asked_is_described_as_such(client, attempt, url):
    text = section(marked(client, url, attempt, {SOFTMAX: few_decimals(attempt)}), SOFTMAX)
    assert "Right to 1 decimal: give 3." in text
    assert "mistake we recognise" not in text


def test_a_named_mistake_wins_over_decimals(client, attempt, url):
    marked(client, url, attempt, {SOFTMAX: few_decimals(attempt)})
    grade = Grade.objects.get(answer__item=item_at(attempt, SOFTMAX))
    grade.steps[0] |= {"verdict": "mistake", "mistake": "unnormalised"}
    Grade.objects.filter(pk=grade.pk).update(steps=grade.steps)
    text = section(Page(client.get(url)), SOFTMAX)
    assert "divide each by their sum" in text
    assert "Right to 1 decimal" not in text


def test_a_typed_sum_is_shown_with_its_value(client, attempt, url):
    typed = right_fields(item_at(attempt, SOFTMAX)) | {"weights-0-0": "exp(2)"}
    text = section(marked(client, url, attempt, {SOFTMAX: typed}), SOFTMAX)
    assert "You: exp(2) (read as 7.389); it should be " in text


def test_an_entry_that_cannot_be_read_says_what_it_did_to_the_steps_after_it(client, attempt, url):
    typed = right_fields(item_at(attempt, ATTENTION))
    typed |= {"scores-0-0": "1.2.3", "scaled-0-0": "77", "output-0-0": "77"}
    page = marked(client, url, attempt, {ATTENTION: typed})
    text = section(page, ATTENTION)
    assert "One entry couldn’t be read and counts as wrong." in text
    assert text.count("couldn’t be read, so its exact values were used here.") == 1
    assert slips(page) == ["scaled"]


def test_an_incomplete_step_says_what_it_did_to_the_steps_after_it(client, attempt, url):
    typed = right_fields(item_at(attempt, ATTENTION)) | {"scores-0-0": "", "scaled-0-0": "77"}
    text = section(marked(client, url, attempt, {ATTENTION: typed}), ATTENTION)
    assert "isn’t complete, so its exact values were used here." in text


# Several attempts


def unnormalised(attempt):
    """Return the answer with the mistake of this name."""
    scores = item_at(attempt, SOFTMAX).variant.givens["scores"]
    powers = [2.718281828459045**score for score in scores]
    return {f"weights-0-{place}": f"{power:.3f}" for place, power in enumerate(powers)}


def test_a_mistake_that_was_made_before_is_marked_as_repeated(client, attempt, url, student, quiz):
    first = marked(client, url, attempt, {SOFTMAX: unnormalised(attempt)})
    assert "made in attempt" not in first.text
    again = start_attempt(student=student, quiz=quiz)
    page = marked(client, f"/attempts/{again.pk}/results/", again, {SOFTMAX: unnormalised(again)})
    assert "it cost 1 point · also made in attempt 1" in page.text
    assert "made in attempt" not in Page(client.get(url)).text


def test_a_mistake_of_somebody_else_is_not_marked_as_repeated(
    client, attempt, url, other_student, quiz
):
    other = start_attempt(student=other_student, quiz=quiz)
    hand_in_right(other, {SOFTMAX: unnormalised(other)})
    Attempt.objects.filter(pk=attempt.pk).update(number=2)
    page = marked(client, url, attempt, {SOFTMAX: unnormalised(attempt)})
    assert "made in attempt" not in page.text


@pytest.mark.parametrize(("rule", "counting"), [("best", 1), ("last", 2)])
def test_the_quiz_lists_attempts_with_the_one_that_counts(
    client, attempt, url, student, quiz, rule, counting
):
    marked(client, url, attempt)
    again = start_attempt(student=student, quiz=quiz)
    Sitting.objects.update(counts=rule)
    marked(client, url, again, {SOFTMAX: {}})
    page = Page(client.get("/quizzes/foundations/"))
    assert f"The {rule} attempt counts." in page.text
    assert page.all("svg", aria_label="100%, 88%")
    lines = page.text[page.text.index("State Score") :].split("Attempt ")[1:]
    which = {int(line[0]): "counts" in line for line in lines}
    assert which == {counting: True, 3 - counting: False}
