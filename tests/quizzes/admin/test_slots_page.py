"""The slots on a quiz's page in the admin: input that is kept, refused and added up."""

import re

import pytest
from django.urls import reverse

from quizzes import problems
from quizzes.authoring.services.publishing import count_fit_questions, find_question_faults
from quizzes.models import SLOT_COUNT, Choice, ConceptQuestion, Quiz, Slot, Topic
from tests.each import each
from tests.quizzes.admin.test_admin import change_url
from tests.world import admin_form, missing_in, refresh

pytestmark = pytest.mark.django_db

MANY_DIGITS = "9" * 5_000
COSINE = {"family": "cosine"}


@pytest.fixture
def form(instructor_client, quiz):
    """The data that a browser would post from a draft's page."""
    Quiz.objects.update(published=False)
    return admin_form(instructor_client.get(change_url(quiz)))


@pytest.fixture
def post_slots(instructor_client, quiz):
    return lambda posted: instructor_client.post(change_url(quiz), posted)


@pytest.fixture
def check(instructor_client, quiz):
    """Return a function that returns the page's check of posted data while it is edited."""
    url = f"{reverse('admin:quizzes_quiz_slots')}?quiz={quiz.pk}"
    return lambda posted: instructor_client.post(url, posted).text


def card(page, index):
    """Return the text of one card, without tags."""
    text = page if isinstance(page, str) else page.text
    found = text.split(f'id="slots-{index}" data-card')[1].split('<li class="qs-card"')[0]
    return " ".join(re.sub(r"<[^>]*>", " ", found).split())


def positions(quiz):
    return [slot.position for slot in quiz.slots.order_by("position")]


# Saving


def test_a_page_that_is_saved_as_it_is_changes_no_slot_and_a_check_nothing(
    post_slots, check, form, quiz
):
    check(form | {"title": "Other", "published": "on", "slots-0-points": "9", "minutes": "9"})
    assert (refresh(quiz).title, quiz.published) == ("Foundations", False)
    assert (quiz.slots.first().points, quiz.own_sitting.minutes) == (1, 23)
    before = list(Slot.objects.order_by("pk").values())
    assert post_slots(form).status_code == 302
    assert list(Slot.objects.order_by("pk").values()) == before


def test_slots_exchange_their_places(post_slots, form, quiz):
    first, *_, last = quiz.slots.order_by("position")
    assert post_slots(form | {"slots-0-position": 6, "slots-5-position": 1}).status_code == 302
    assert [quiz.slots.first(), quiz.slots.last()] == [last, first]


def test_the_places_behind_one_that_is_removed_move_up(post_slots, form, quiz):
    gone = quiz.slots.first()
    assert post_slots(form | {"slots-0-DELETE": "on"}).status_code == 302
    assert gone not in quiz.slots.all()
    assert positions(quiz) == list(range(1, 6))


def test_a_size_is_chosen_and_a_topic_takes_the_place_of_a_family(post_slots, form, quiz):
    topic = {"slots-0-family": "", "slots-0-topic": "keys"}
    assert post_slots(form | topic | {"slots-1-size-width": "4"}).status_code == 302
    assert quiz.slots.get(position=2).options == {"width": 4}
    assert quiz.slots.get(position=4).options == {}  # the default is left out
    slot = quiz.slots.first()
    assert (slot.family, slot.topic, slot.options) == ("", "keys", {})


def test_another_family_keeps_as_much_of_the_sizes_as_it_offers(post_slots, form, quiz):
    assert post_slots(form | {"slots-0-family": "score_matrix"}).status_code == 302
    kind = problems.kind_of("score_matrix", quiz.slots.first().options)
    assert kind == problems.kind_of("score_matrix", {"width": 2})
    lost = {"slots-1-family": "swiglu", "slots-1-size-width": "4"}
    assert post_slots(form | lost).status_code == 302
    kind = problems.kind_of("swiglu", quiz.slots.get(position=2).options)
    assert kind == problems.kind_of("swiglu", {})


def test_a_new_quiz_has_fifteen_places_of_which_the_empty_ones_are_no_slots(
    instructor_client, questions
):
    url = reverse("admin:quizzes_quiz_add")
    page = instructor_client.get(url)
    assert page.text.count("Nothing is asked here yet.") == SLOT_COUNT
    posted = admin_form(page) | {"title": "New", "slug": "new"}
    posted |= {"slots-3-family": "cosine", "slots-7-topic": "keys", "slots-7-points": "2"}
    assert instructor_client.post(url, posted).status_code == 302
    quiz = Quiz.objects.get(slug="new")
    slots = quiz.slots.values_list("position", "family", "topic", "points")
    assert list(slots.order_by("position")) == [(1, "cosine", "", 1), (2, "", "keys", 2)]
    # Nobody outside a class takes or practises it unless its author says so.
    assert (quiz.own_sitting.open_to_all, quiz.own_sitting.practice) == (False, False)


# Refused input, which stays


REFUSED = [
    # An option that the family lacks, and sizes that it does not offer.
    ({"slots-0-size-rows": "2"}, 0, "has no option rows"),
    ({"slots-0-size-width": "7"}, 0, "width is one of"),
    ({"slots-0-size-width": MANY_DIGITS}, 0, "at most 20 characters"),
    ({"slots-0-size-width": "🦊"}, 0, "width is one of"),
    ({"slots-2-points": MANY_DIGITS}, 2, "Enter a whole number"),
    ({"slots-2-points": ""}, 2, "This field is required"),
    ({"slots-4-position": MANY_DIGITS}, 4, "whole number"),
    ({"slots-4-position": ""}, 4, "This field is required"),
    ({"slots-4-position": "6"}, 5, "Another slot also has position 6"),
    ({"slots-1-family": "gone"}, 1, "There’s no longer a family “gone”"),
    ({"slots-0-family": "", "slots-0-topic": "nowhere"}, 0, "There’s no topic “nowhere”"),
    # A family and a topic, and neither.
    ({"slots-0-topic": "values"}, 0, "Choose one"),
    ({"slots-0-family": ""}, 0, "Choose one"),
    ({"slots-3-id": "999999"}, 3, "Someone changed or removed"),
]


def test_a_slot_whose_family_is_gone_says_so_without_the_list_of_all(post_slots, form, quiz):
    Slot.objects.filter(quiz=quiz, position=2).update(family="gone", options={}, topic="")
    answer = post_slots(form | {"slots-1-family": "gone", "slots-1-topic": ""})
    assert "There’s no longer a family “gone”. Choose one from the list." in card(answer, 1)
    assert "softmax_row" not in card(answer, 1).split("Choose one from the list.")[0]


@each("typed, index, reason", REFUSED)
def test_errors_are_shown_at_their_slot_and_all_that_was_typed_stays(
    post_slots, form, quiz, typed, index, reason
):
    before = list(Slot.objects.order_by("pk").values())
    posted = form | {"title": "Typed", "slots-3-points": "7"} | typed
    answer = post_slots(posted)
    assert answer.status_code == 200
    assert reason in card(answer, index)
    again = admin_form(answer)
    kept = {name: str(value) for name, value in posted.items() if name.startswith("slots-")}
    assert {name: str(again.get(name, "")) for name in kept} == kept
    assert list(Slot.objects.order_by("pk").values()) == before


def test_a_size_of_a_family_that_is_gone_stays_on_the_page(post_slots, form):
    page = post_slots(form | {"slots-0-family": "gone", "slots-0-size-width": "2"}).text
    assert missing_in(page, 'value="gone" selected', 'name="slots-0-size-width"') == []


def test_cards_that_are_refused_stay_in_the_order_they_were_given(post_slots, form):
    moved = {"slots-5-position": "1", "slots-0-position": "6", "slots-3-points": "x"}
    shown = re.findall(r'id="slots-(\d+)" data-card', post_slots(form | moved).text)
    assert shown == ["5", *map(str, range(1, 5)), "0", *map(str, range(6, len(shown)))]


@each("total", ["-1", MANY_DIGITS, "1000000", "", "three"])
def test_a_wrong_count_of_forms_loses_nothing(post_slots, form, quiz, total):
    points = 3 + quiz.slots.first().points  # other points each time
    wrong = {"slots-TOTAL_FORMS": total, "slots-INITIAL_FORMS": total, "slots-0-points": points}
    assert post_slots(form | wrong).status_code == 302
    assert (quiz.slots.count(), quiz.slots.first().points) == (6, points)


@pytest.mark.slow
def test_two_hundred_slots_are_too_many_and_are_all_still_there(post_slots, form, quiz):
    more = {
        f"slots-{index}-{name}": value
        for index in range(6, 200)
        for name, value in {"family": "cosine", "points": "1", "position": index + 1}.items()
    }
    page = post_slots(form | more).text
    assert "A draft can have at most 30 slots." in page
    assert page.count('<li class="qs-card"') == 200
    assert quiz.slots.count() == 6


def test_one_slot_cannot_be_saved_twice(post_slots, form, quiz):
    twice = {"slots-1-id": form["slots-0-id"]}
    assert "This slot appears twice" in card(post_slots(form | twice), 1)


# The publishing check


def test_what_keeps_it_from_being_published_is_there_before_anybody_asks(instructor_client, quiz):
    ConceptQuestion.objects.filter(topic="keys").update(published=False)
    page = instructor_client.get(change_url(quiz)).text
    expected = "Topic “keys” is asked once (slot 6) but has no usable question."
    verdict = page.split('id="slots-verdict"')[1].split("</section>")[0]
    topic = f'{reverse("admin:quizzes_conceptquestion_changelist")}?topic=keys"'
    assert missing_in(verdict, expected, 'href="#slots-5"', topic) == []
    question = ConceptQuestion.objects.filter(topic="why-softmax").first()
    mend = reverse("admin:quizzes_conceptquestion_change", args=[question.pk])
    assert f'href="{mend}#id_section"' in verdict
    assert expected in card(page, 5)
    assert expected not in card(page, 4)


def test_the_sums_follow_what_is_typed(check, form):
    def typical(page):
        return float(re.search(r"Typical minutes</dt>\s*<dd><b>([\d.]+)", page)[1])

    before, after = check(form), check(form | {"slots-3-DELETE": "on", "slots-0-points": "4"})
    assert "<b>6</b> of 15" in before
    assert "<b>5</b> of 15" in after
    assert re.search(r"Points</dt>\s*<dd><b>8</b>", after)
    cost = problems.variant_cost("causal_attention", {}).typical_minutes
    assert typical(before) - typical(after) == pytest.approx(cost, abs=0.11)


def test_too_much_is_described_in_words(check, form):
    dear = {"slots-0-family": "encoder_block", "slots-1-family": "multi_head", "minutes": "20"}
    page = check(form | dear)
    assert "min more than the time limit." in page
    assert "A typical prepared student takes" in page
    assert "min more than the time limit." not in check(form | {"minutes": "90"})


def test_what_is_refused_is_reckoned_nowhere_and_named(check, form):
    page = check(form | {"slots-4-points": "x"})
    assert missing_in(page, "First fix what’s wrong in:", 'href="#slots-4">slot 5') == []


def test_only_the_check_may_take_its_time_over_numbers(
    instructor_client, quiz, check, form, monkeypatch, student
):
    monkeypatch.setattr(problems, "exam_capacity", lambda kind: 0)
    assert "has new numbers for 0" in check(form)
    assert "has new numbers for 0" not in instructor_client.get(change_url(quiz)).text


def test_the_page_asks_the_database_no_more_for_more_slots(
    instructor_client, quiz, django_assert_max_num_queries
):
    with django_assert_max_num_queries(24):
        instructor_client.get(change_url(quiz))


# Without a script


def test_the_sizes_of_another_family_are_shown_before_anything_is_saved(post_slots, form, quiz):
    answer = post_slots(form | {"slots-0-family": "softmax_row", "arrange": "sizes-0"})
    assert answer.status_code == 200
    assert "Please correct" not in answer.text
    assert 'name="slots-0-size-tokens"' in answer.text
    assert 'name="slots-0-size-width"' not in answer.text
    assert quiz.slots.first().family == "cosine"


def test_a_slot_is_added_duplicated_and_moved_without_saving(post_slots, form, quiz):
    added = admin_form(post_slots(form | {"arrange": "add"}))
    assert (added["slots-15-position"], added["slots-15-points"]) == ("16", "1")
    twice = admin_form(post_slots(form | {"slots-1-points": "5", "arrange": "duplicate-1"}))
    copied = [twice[f"slots-15-{name}"] for name in ("family", "points", "position")]
    assert copied == ["score_matrix", "5", "3"]
    assert (twice["slots-2-position"], twice["slots-14-position"]) == ("4", "16")
    assert not twice.get("slots-15-id")
    down = admin_form(post_slots(form | {"arrange": "down-0"}))
    assert (down["slots-0-position"], down["slots-1-position"]) == ("2", "1")
    assert admin_form(post_slots(form | {"arrange": "up-0"}))["slots-0-position"] == "1"
    assert positions(quiz) == list(range(1, 7))


def test_a_copy_on_the_page_becomes_a_slot_of_its_own(post_slots, form, quiz):
    assert post_slots(admin_form(post_slots(form | {"arrange": "duplicate-0"}))).status_code == 302
    first, second = quiz.slots.order_by("position")[:2]
    assert second.asks == first.asks == (1, "cosine", None, {"width": 2}, "")
    assert quiz.slots.count() == 7


@each("deed", ["up-99", "duplicate-", "down-x", f"up-{MANY_DIGITS}", "nonsense", "up-²"])
def test_a_deed_that_is_none_changes_nothing(post_slots, form, quiz, deed):
    answer = post_slots(form | {"arrange": deed})
    assert answer.status_code == 200
    again = admin_form(answer)
    assert [str(again[f"slots-{n}-position"]) for n in range(6)] == [str(n) for n in range(1, 7)]


# Choices


def test_topics_are_offered_by_title_with_the_questions_that_can_be_asked(instructor_client, quiz):
    Topic.objects.create(key="values", title="What a value is")
    ConceptQuestion.objects.filter(key="values-1").update(reserved=True)
    expected = "What a value is (2 questions, 1 only for quizzes)"
    assert expected in instructor_client.get(change_url(quiz)).text
    choices = instructor_client.get(reverse("admin:quizzes_quiz_choices")).text
    assert missing_in(choices, "What a value is", "2 questions, 1 only for quizzes") == []


def test_a_question_that_cannot_be_asked_is_not_counted(questions):
    Choice.objects.filter(question__key="keys-1", key="b").update(feedback=" ")
    Choice.objects.filter(question__key="values-1", correct=True).delete()
    ConceptQuestion.objects.filter(key="why-softmax-1").update(published=False)
    fit = dict.fromkeys(("keys", "values", "why-softmax"), (1, 0))
    assert count_fit_questions(ConceptQuestion.objects.all()) == fit
    for question in ConceptQuestion.objects.filter(published=True):
        assert question.key.endswith("2") is not bool(find_question_faults(question.choices.all()))


def test_a_family_is_offered_with_what_it_costs(instructor_client, questions):
    page = instructor_client.get(reverse("admin:quizzes_quiz_choices")).text
    cost = problems.variant_cost("attention", {})
    found = page.split('data-key="attention"')[1].split("</li>")[0]
    assert f"{cost.cells} cells, {cost.typical_minutes:.1f} min" in found
    assert problems.family_summary("attention") in found


def test_an_example_is_a_problem_at_these_sizes(instructor_client):
    page = instructor_client.get(reverse("admin:quizzes_quiz_example"), COSINE | {"width": "4"})
    shown = "Cosine similarity", "or more sets of numbers are kept for quizzes"
    assert missing_in(page.text, *shown) == []
    assert "script-src 'none'" in page.headers["Content-Security-Policy"]


@each("asked", [{}, {"family": "gone"}, COSINE | {"rows": "2"}, COSINE | {"width": MANY_DIGITS}])
def test_an_example_that_cannot_be_drawn_says_why(instructor_client, asked):
    page = instructor_client.get(reverse("admin:quizzes_quiz_example"), asked)
    assert page.status_code == 200
    assert 'class="notice"' in page.text


# Access


def test_who_may_only_look_sees_the_slots_and_changes_none(
    client, quiz, log_in_with_permissions, questions
):
    log_in_with_permissions("view_quiz")
    page = client.get(change_url(quiz)).text
    assert re.search(r'<fieldset class="qs"[^>]* disabled>', page)
    assert "Cosine similarity" in page
    assert "slot-choosing" not in page
    url = f"{reverse('admin:quizzes_quiz_slots')}?quiz={quiz.pk}"
    assert client.post(url, {}).status_code == 403
    assert client.post(change_url(quiz), {"title": "x"}).status_code == 403


@each("quiz_asked", ["999", "x", MANY_DIGITS])
def test_the_check_of_a_quiz_that_is_not_there_is_not_found(instructor_client, quiz, quiz_asked):
    url = f"{reverse('admin:quizzes_quiz_slots')}?quiz={quiz_asked}"
    assert instructor_client.post(url, {}).status_code == 404


# A copy of the whole quiz


def test_a_quiz_is_copied_once_its_author_says_so(instructor_client, quiz):
    url = reverse("admin:quizzes_quiz_duplicate", args=[quiz.pk])
    assert url in instructor_client.get(change_url(quiz)).text
    assert "Duplicate quiz" in instructor_client.get(url).text
    assert Quiz.objects.count() == 1
    answer = instructor_client.post(url)
    copy = Quiz.objects.get(slug="foundations-2")
    assert answer.headers["Location"] == change_url(copy)
    assert not copy.published


def test_pages_about_a_slot_are_linked_from_its_card(instructor_client, quiz, monkeypatch):
    monkeypatch.setattr(
        "quizzes.admin.quiz.QuizAdmin.slot_links", (("Its rows", "admin:quizzes_quiz_history"),)
    )
    page = instructor_client.get(change_url(quiz)).text
    slot = quiz.slots.first()
    assert f'href="{reverse("admin:quizzes_quiz_history", args=[slot.pk])}">Its rows' in page
