"""Results lead on: the score against the pass mark, what to practise, the next lesson."""

import re

import pytest

from lessons.models import Section
from lessons.pages.services import mark_as_read
from quizzes.delivery.services.previews import start_preview
from quizzes.delivery.services.taking import start_attempt
from quizzes.errors import NotOpen
from quizzes.items.skills import Skill
from quizzes.models import Attempt, ConceptQuestion, Grade, Quiz, Sitting
from quizzes.practice.services import practise_mistakes
from tests.fixtures import WHOLE
from tests.quizzes.reading import Page
from tests.world import (
    make_lesson,
    missing_in,
    right_fields,
    save_answer,
    submit_and_mark,
    wrong_fields,
)

ASKS = [WHOLE[index] for index in (0, 1, 3, 5, 7, 11, 14)]
SCALE, SOFTMAX, CONCEPT = 4, 5, 6
WRONG = (1, 2, SOFTMAX, CONCEPT)
PRACTISE = "Practise what wasn’t right"
LEFT_OUT = "is left out: a quiz may still ask it"


@pytest.fixture
def attempt(quiz, student, client):
    """A marked attempt with four wrong questions, one of them a choice."""
    client.force_login(student)
    return mark_with_mistakes(start_attempt(student=student, quiz=quiz), WRONG)


def practice_made():
    return Attempt.objects.get(mode=Attempt.Mode.PRACTICE)


@pytest.fixture
def practise(attempt):
    return f"/attempts/{attempt.pk}/practise/"


def mark_with_mistakes(attempt, wrong=(), others=None):
    """Mark right answers, wrong ones at some positions, and at others these fields."""
    for each in attempt.items.select_related("variant"):
        usual = (wrong_fields if each.position in wrong else right_fields)(each)
        save_answer(each, (others or {}).get(each.position, usual))
    submit_and_mark(attempt)
    return Attempt.objects.get(pk=attempt.pk)


def skills(attempt, positions=range(1, 8)):
    """Return the skills of an attempt by position."""
    items = attempt.items.select_related("variant").order_by("position")
    return [str(Skill.of_item(item.asked)) for item in items if item.position in positions]


# The score


def test_the_score_stands_against_the_pass_mark(client, attempt, url):
    Quiz.objects.update(pass_mark=80)
    page = Page(client.get(url))
    (bar,) = page.all("svg", **{"class": "score-bar"})
    assert bar["aria-label"] == "42.9%, with the pass mark at 80%"
    assert page.all("line", x1="80%", x2="80%")
    assert page.all("rect", width="42.9%", **{"class": "score-short"})
    assert "42.9%, not passed: the pass mark is 80%" in page.text


def test_it_counts_what_was_right_near_and_mistaken(client, quiz, student, as_student):
    attempt = start_attempt(student=student, quiz=quiz)
    item = attempt.items.select_related("variant").get(position=SCALE)
    near = {field: f"{float(text) + 0.0045:.4f}" for field, text in right_fields(item).items()}
    mark_with_mistakes(attempt, WRONG, {SCALE: near})
    text = Page(client.get(f"/attempts/{attempt.pk}/results/")).text
    assert missing_in(text, "2 right, 1 nearly right, 4 with mistakes", PRACTISE) == []
    client.post(f"/attempts/{attempt.pk}/practise/")
    made = practice_made()
    assert skills(made) == skills(attempt, sorted([*WRONG, SCALE]))


def test_what_was_left_blank_is_counted_by_itself_and_folded(client, quiz, student, as_student):
    Quiz.objects.update(pass_mark=60)
    attempt = start_attempt(student=student, quiz=quiz)
    mark_with_mistakes(attempt, (1,), {2: {}, 3: {}})
    page = Page(client.get(f"/attempts/{attempt.pk}/results/"))
    assert missing_in(page.text, "4 right, 1 with mistakes, 2 left blank", PRACTISE) == []
    (more,) = page.all("details", inside="item-2", **{"class": "item-more"})
    assert "open" not in more


def test_an_answer_that_was_begun_and_left_is_partial_and_shown(client, quiz, student, as_student):
    attempt = start_attempt(student=student, quiz=quiz)
    item = next(each for each in attempt.items.all() if len(each.asked.get("steps", ())) > 1)
    first = item.asked["steps"][0]["key"]
    begun = {field: text for field, text in right_fields(item).items() if field.startswith(first)}
    mark_with_mistakes(attempt, others={item.position: begun})
    page = Page(client.get(f"/attempts/{attempt.pk}/results/"))
    assert missing_in(page.text, "6 right, 1 with mistakes", "partly right") == []
    assert not page.all("details", inside=f"item-{item.position}", **{"class": "item-more"})


def test_a_mistake_worth_knowing_says_what_it_was_made_in_and_offers_practice(client, attempt, url):
    page = client.get(url)
    assert "What you miss comes back a day later, with new numbers" in Page(page).text
    (start_here,) = re.findall(r'<section class="insights".*?</section>', page.text, re.DOTALL)
    assert re.search(r"<h3>[^<]+</h3>", start_here)
    assert "You chose: " in start_here
    assert re.search(r'formaction="/practice/(family|topic)/[a-z_-]+/"', start_here)


@pytest.mark.parametrize(
    ("wrong", "pass_mark", "button", "link"),
    [
        (WRONG, 40, PRACTISE, "Next lesson: Second"),
        (WRONG, 90, PRACTISE, "Read again: First"),
        ((), 40, "Next lesson: Second", ""),
    ],
)
def test_one_button_says_what_to_do_next(
    client, quiz, student, as_student, wrong, pass_mark, button, link
):
    first = make_lesson("first", "opening", order=1)
    make_lesson("second", "opening", order=2)
    Quiz.objects.update(lesson=first, pass_mark=pass_mark)
    attempt = mark_with_mistakes(start_attempt(student=student, quiz=quiz), wrong)
    html = client.get(f"/attempts/{attempt.pk}/results/").text
    buttons = re.findall(r'class="[^"]*button-primary"[^>]*>([^<]+)<', html)
    assert buttons == [button]
    assert link in html


def test_whoever_has_all_right_has_nothing_to_practise(client, student, quiz, as_student):
    attempt = mark_with_mistakes(start_attempt(student=student, quiz=quiz))
    page = Page(client.get(f"/attempts/{attempt.pk}/results/"))
    assert missing_in(page.text, "Passed, with 100%. Well done.", "7 right") == []
    assert not page.all("form", action=f"/attempts/{attempt.pk}/practise/")


def test_a_question_that_no_longer_counts_is_no_mistake(client, attempt, url):
    Grade.objects.filter(answer__item__position=1).update(out_of=0, points=0)
    assert "3 right, 3 with mistakes" in Page(client.get(url)).text


# The questions


def test_of_what_was_right_the_solution_alone_is_folded(client, attempt, url):
    page = Page(client.get(url))
    for position in range(1, 8):
        folded = page.all("details", inside=f"item-{position}", **{"class": "item-more"})
        assert bool(folded) is (position not in WRONG)
        html = page.html.split(f'id="item-{position}"')[1]
        assert 'class="statement"' in html.partition("<details")[0]


# Practising what was not right


def test_practice_asks_exactly_what_was_not_right(client, attempt, practise):
    answer = client.post(practise)
    made = practice_made()
    assert answer.url == made.get_absolute_url()
    assert skills(made) == skills(attempt, WRONG)
    old = set(attempt.items.exclude(variant=None).values_list("variant", flat=True))
    assert not old & set(made.items.values_list("variant", flat=True))
    assert not made.items.exclude(slot=None).exists()
    page = Page(client.get(answer.url, follow=True))
    assert page.text.count("Questions to fix: Foundations") == 2  # the title, and the heading
    assert page.all("a", href=f"/attempts/{attempt.pk}/results/")
    assert LEFT_OUT not in page.text


def test_it_says_how_many_questions_a_quiz_keeps_from_practice(client, attempt, practise):
    ConceptQuestion.objects.update(reserved=True)
    page = Page(client.post(practise, follow=True))
    assert f"1 question that wasn’t right {LEFT_OUT}" in page.text
    assert skills(practice_made()) == skills(attempt, WRONG[:3])


def test_pressed_again_it_goes_on_where_it_was_left(client, attempt, practise):
    assert client.post(practise).url == client.post(practise).url
    assert Attempt.objects.filter(mode=Attempt.Mode.PRACTICE).count() == 1


def test_each_attempt_has_its_own(client, attempt, practise, student, quiz):
    client.post(practise)
    other = mark_with_mistakes(start_attempt(student=student, quiz=quiz), (SOFTMAX,))
    client.post(f"/attempts/{other.pk}/practise/")
    made = Attempt.objects.filter(mode=Attempt.Mode.PRACTICE).order_by("pk")
    assert [skills(each) for each in made] == [skills(attempt, WRONG), skills(other, (SOFTMAX,))]


def test_nobody_else_may_practise_it(client, attempt, practise, other_student):
    client.force_login(other_student)
    assert client.post(practise).status_code == 404
    assert client.get(practise).status_code == 404
    assert not Attempt.objects.filter(mode=Attempt.Mode.PRACTICE).exists()


def test_who_is_not_logged_in_comes_back_to_the_results(client, attempt, practise, url, student):
    client.logout()
    assert client.post(practise).url == f"/accounts/login/?next={practise}"
    client.force_login(student)
    assert client.get(practise).url == url


def test_before_release_it_tells_nothing_of_what_was_wrong(client, attempt, practise):
    Sitting.objects.update(release=Sitting.Release.BY_HAND)
    assert client.post(practise).url.endswith("/results/")
    assert not Attempt.objects.filter(mode=Attempt.Mode.PRACTICE).exists()


def test_an_open_attempt_or_a_preview_offers_no_practice(client, student, quiz, as_student):
    running = start_attempt(student=student, quiz=quiz)
    with pytest.raises(NotOpen):
        practise_mistakes(attempt=running)
    preview = start_preview(author=student, quiz=quiz)
    assert client.post(f"/attempts/{preview.pk}/practise/").status_code == 404


def test_secret_questions_are_neither_counted_nor_practised(client, attempt, practise, url):
    other = Quiz.objects.create(slug="other", title="Other", published=True)
    other.slots.create(position=1, topic=attempt.items.get(position=CONCEPT).asked["topic"])
    Sitting.objects.filter(quiz=other).update(release=Sitting.Release.BY_HAND)
    assert "3 with mistakes" in Page(client.get(url)).text
    # Nor does it say that one is missing, which would tell that it's wrong.
    assert LEFT_OUT not in Page(client.post(practise, follow=True)).text
    assert skills(practice_made()) == skills(attempt, WRONG[:3])


def test_where_nothing_is_left_to_practise_no_button_and_no_empty_practice(
    client, student, quiz, as_student
):
    attempt = mark_with_mistakes(start_attempt(student=student, quiz=quiz), (CONCEPT,))
    ConceptQuestion.objects.update(published=False)
    assert PRACTISE not in Page(client.get(f"/attempts/{attempt.pk}/results/")).text
    client.post(f"/attempts/{attempt.pk}/practise/")
    assert not Attempt.objects.filter(mode=Attempt.Mode.PRACTICE).exists()


# The next lesson


@pytest.fixture
def lessons(attempt):
    made = [
        make_lesson(name, "opening", order=place, published=place != 2)
        for place, name in enumerate(("first", "second", "third", "fourth"), start=1)
    ]
    Quiz.objects.update(lesson=made[0], pass_mark=40)
    return made


def test_the_next_lesson_is_the_first_that_the_student_may_read_and_after_the_last_none(
    client, url, lessons, student
):
    page = Page(client.get(url))
    assert "Next lesson: Third" in page.text
    assert page.all("a", href=lessons[2].get_absolute_url())
    for section in Section.objects.exclude(lesson=lessons[0]):
        mark_as_read(student=student, section=section)
    assert "Next lesson" not in Page(client.get(url)).text


def test_what_was_tried_is_practised_before_what_was_left_blank(quiz, student):
    tried = (2, SOFTMAX)
    blank = {position: {} for position in range(1, 8) if position not in tried}
    attempt = mark_with_mistakes(start_attempt(student=student, quiz=quiz), tried, blank)
    practice = practise_mistakes(attempt=attempt)
    assert skills(practice)[:2] == skills(attempt, tried)
    assert len(skills(practice)) > 2


def test_what_another_quiz_asks_meanwhile_is_counted_as_withheld(client, attempt, url):
    assert "withheld" not in Page(client.get(url)).text
    running = Quiz.objects.create(slug="running", title="Running", published=True)
    for position in (1, 2):
        running.slots.create(position=position, topic="keys")
    start_attempt(student=attempt.student, quiz=running)
    assert "with mistakes, 1 withheld" in Page(client.get(url)).text
