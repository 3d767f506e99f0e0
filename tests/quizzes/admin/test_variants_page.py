"""The admin's pages of twenty variants, and of withdrawn numbers."""

import re

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse

from quizzes import problems
from quizzes.admin import variants
from quizzes.admin.variants import PAGE_SIZE
from quizzes.items.queries import draw_unsaved_variant
from quizzes.items.services.withdrawal import withdraw_variant
from quizzes.models import ConceptQuestion, Quiz, StruckOut, Variant
from quizzes.practice.services import practise_quiz
from quizzes.reports.services import report_item
from tests.each import each
from tests.world import missing_in

pytestmark = pytest.mark.django_db

ADD = reverse("admin:quizzes_struckout_add")


@pytest.fixture
def slot(db, monkeypatch):
    """A slot whose page shows three variants: to draw all twenty takes a second."""
    monkeypatch.setattr(variants, "PAGE_SIZE", 3)
    quiz = Quiz.objects.create(slug="attention", title="Attention", published=True)
    return quiz.slots.create(position=1, family="attention", options={"width": 2})


def address_of(slot):
    return reverse("admin:quizzes_slot_variants", args=[slot.pk])


def shown(client, address, **sent):
    return client.get(address, sent)


def test_twenty_are_shown_with_solution_mistakes_and_spread(instructor_client, slot, monkeypatch):
    monkeypatch.setattr(variants, "PAGE_SIZE", PAGE_SIZE)
    answer = shown(instructor_client, address_of(slot))
    drawn = answer.context["variants"]
    assert len(drawn) == 20
    assert len({variant["asked"] for variant in drawn}) == 20
    assert all(len(variant["steps"]) == 4 for variant in drawn)
    expected = ("<code>unscaled</code>", "divide by", "Worked solution", "How they differ")
    assert missing_in(answer.text, *expected) == []
    assert [name for name, *_ in answer.context["spread"]][:2] == ["Cells to fill in", "Minutes"]


def test_a_mistake_shows_what_it_would_give(instructor_client, slot):
    (first, *_) = shown(instructor_client, address_of(slot)).context["variants"]
    variant = draw_unsaved_variant(problems.kind_of("attention", {"width": 2}), "1.1")
    unscaled = next(each for each in first["mistakes"] if each["key"] == "unscaled")
    scores = variant.solution["scores"]
    assert unscaled["matrix"].rows[0][0].text == f"{scores[0][0]:.3f}".replace("-", "−")


def test_the_address_alone_says_what_is_shown(instructor_client, slot):
    def numbers(**sent):
        found = shown(instructor_client, address_of(slot), **sent).context["variants"]
        return [variant["asked"] for variant in found]

    again = numbers(seed="abc", page="3")
    assert numbers(seed="abc", page="3") == again
    assert not set(again) & {*numbers(seed="abc", page="4"), *numbers(seed="abd", page="3")}


def test_no_exam_can_give_them(instructor_client, slot):
    kind = problems.kind_of(slot.family, slot.options)
    for number in (1, 2, 3):
        assert not draw_unsaved_variant(kind, f"1.{number}").for_exams
    shown(instructor_client, address_of(slot))
    assert not Variant.objects.exists()


@each(
    "sent",
    [
        *({"seed": "é"}, {"seed": "x" * 41}, {"seed": "a b"}, {"seed": "\0"}, {"page": "0"}),
        *({"page": "x"}, {"page": "501"}, {"page": "9" * 5000}, {"page": "-1", "seed": "<"}),
    ],
)
def test_a_seed_or_page_that_is_none_gets_a_sentence(instructor_client, slot, sent):
    answer = shown(instructor_client, address_of(slot), **sent)
    assert answer.status_code == 400
    assert "There’s nothing to show here" in answer.text


def test_what_cannot_be_drawn_gets_a_sentence(instructor_client, slot):
    slot.options = {"width": 99}
    slot.save()
    answer = shown(instructor_client, address_of(slot))
    assert answer.status_code == 400
    assert "width" in answer.text


def test_a_family_needs_no_slot(instructor_client):
    address = reverse("admin:quizzes_family_variants")
    answer = shown(instructor_client, address, family="softmax_row", tokens="4", page="2")
    assert answer.context["variants"][0]["number"] == 21
    assert answer.context["kind"] == 'softmax_row/1/{"tokens": 4}'
    assert "family=softmax_row" in re.search(r'href="\?([^"]*page=3[^"]*)"', answer.text)[1]
    for wrong in ({}, {"family": "none"}, {"family": "cosine", "width": "x"}, {"family": "\0"}):
        assert shown(instructor_client, address, **wrong).status_code == 400


@pytest.mark.slow
@each("family", problems.family_keys())
def test_every_family_can_be_shown(instructor_client, family):
    answer = shown(instructor_client, reverse("admin:quizzes_family_variants"), family=family)
    assert answer.status_code == 200
    assert all(variant["mistakes"] for variant in answer.context["variants"])


def test_a_topic_shows_its_pool_as_students_see_it(instructor_client, quiz):
    ConceptQuestion.objects.filter(key="keys-2").update(reserved=True)
    text = shown(instructor_client, address_of(quiz.slots.get(position=6))).text
    message = ("one of these 2 questions", "Question 1 about keys", "Feedback to a of keys-2.")
    assert missing_in(text, *message, "Reserved for quizzes.") == []
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))


def test_a_topic_without_questions_says_so(instructor_client, quiz):
    ConceptQuestion.objects.all().update(published=False)
    text = shown(instructor_client, address_of(quiz.slots.get(position=6))).text
    assert "There’s no question to ask" in text


# Withdrawal


def test_one_that_is_shown_is_struck_out_with_a_reason(root_client, slot):
    page = shown(root_client, address_of(slot)).text
    way = re.search(rf'href="({ADD}\?[^"]+)"', page)[1].replace("&amp;", "&")
    assert "Withdraw these numbers?" in root_client.get(way).text
    assert root_client.post(way, {"reason": " "}).status_code == 400
    assert not StruckOut.objects.exists()
    root_client.post(way, {"reason": "It reads like a slip"})
    withdrawal = StruckOut.objects.get()
    assert (withdrawal.reason, withdrawal.by.email) == ("It reads like a slip", "root@example.org")
    assert shown(root_client, address_of(slot)).text.count("It reads like a slip") == 1
    listed = root_client.get(reverse("admin:quizzes_struckout_changelist")).text
    assert "It reads like a slip" in listed


def test_undone_it_is_gone_from_the_list(root_client, slot):
    drawn = [draw_unsaved_variant(problems.kind_of("cosine", {}), seed) for seed in "12"]
    one, other = (withdraw_variant(variant=each, by=None, reason="odd") for each in drawn)
    delete = reverse("admin:quizzes_struckout_delete", args=[one.pk])
    assert root_client.get(delete).status_code == 200
    root_client.post(delete, {"post": "yes"})
    assert StruckOut.objects.get() == other
    chosen = {"action": "delete_selected", "_selected_action": [other.pk], "post": "yes"}
    root_client.post(reverse("admin:quizzes_struckout_changelist"), chosen)
    assert not StruckOut.objects.exists()
    assert not Variant.objects.exclude(struck_at=None).exists()


@each(
    "sent",
    [
        *({"variant": number} for number in ("0", "x", "9" * 40, "²")),
        {"kind": "cosine"},
        *({"kind": f"cosine/1/{options}", "seed": "1"} for options in ("{", "[" * 9000, "[]")),
        {"kind": "none/1/{}", "seed": "1"},
    ],
)
def test_what_is_no_variant_is_not_found(root_client, sent):
    assert root_client.get(ADD, sent).status_code == 404


def test_without_numbers_the_list_says_where_they_are(root_client):
    answer = root_client.get(ADD, follow=True)
    assert "You can withdraw numbers wherever they’re shown" in answer.text


def test_an_attempt_in_the_admin_leads_there(root_client, attempt):
    change = reverse("admin:quizzes_attempt_change", args=[attempt.pk])
    variant = attempt.items.get(position=1).variant
    way = f"{ADD}?variant={variant.pk}"
    assert way in root_client.get(change).text
    page = root_client.get(way).text
    assert missing_in(page, "Quiz numbers.", "In use: 1 graded attempt,") == []
    root_client.post(way, {"reason": "odd"})
    after = root_client.get(change).text
    assert f'{way}"' not in after
    assert "withdrawn" in after


def test_a_report_leads_there(root_client, quiz, student):
    item = practise_quiz(student=student, quiz=quiz).items.get(position=1)
    report_item(item=item, sentence="odd numbers")
    reports = reverse("quizzes:reports")
    assert f"{ADD}?variant={item.variant_id}" in root_client.get(reports).text
    withdraw_variant(variant=item.variant, by=None, reason="odd")
    assert "These numbers are withdrawn" in root_client.get(reports).text


def test_instructors_read_what_was_struck_out_and_are_led_nowhere(instructor_client, slot):
    first = draw_unsaved_variant(problems.kind_of("attention", {"width": 2}), "1.1")
    withdrawal = withdraw_variant(variant=first, by=None, reason="It reads like a slip")
    page = shown(instructor_client, address_of(slot)).text
    assert "It reads like a slip" in page
    assert "/struckout/" not in page
    assert instructor_client.get(ADD, {"variant": withdrawal.variant_id}).status_code == 403


def test_whoever_may_only_look_sees_variants_and_strikes_out_nothing(
    client, slot, log_in_with_permissions
):
    person = log_in_with_permissions()
    assert client.get(address_of(slot)).status_code == 403
    person.user_permissions.add(Permission.objects.get(codename="view_quiz"))
    assert ADD not in client.get(address_of(slot)).text
    variant = draw_unsaved_variant(problems.kind_of("cosine", {}), "1")
    variant.save()
    assert client.get(ADD, {"variant": variant.pk}).status_code == 403
    assert client.post(f"{ADD}?variant={variant.pk}", {"reason": "odd"}).status_code == 403
    assert not StruckOut.objects.exists()
