"""Wordings are stored once, and shown again word for word."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

import attention_core
from attention_core.catalogue import problem_from_json
from attention_core.structure import step_dependencies
from quizzes import problems
from quizzes.delivery.services.item_selection import store_wordings
from quizzes.delivery.services.taking import Save, save_draft, start_attempt
from quizzes.models import ConceptQuestion, Grade, Item, Variant, wordings
from quizzes.models.wordings import wording_key
from tests.world import found_in, replace_wording, submit_and_mark

# Wordings exist already, but nothing refers to them.
BEFORE = [("quizzes", "0008_wordings")]
SOFTMAX, CONCEPT = 3, 5


def as_json(data):
    return json.loads(json.dumps(data, default=str))


def shown_by_the_family(variant):
    """Return what today's family itself shows, with all numbers computed."""
    problem = problem_from_json(variant)
    return {
        "kind": "numeric",
        "family": problem.family.key,
        "title": problem.family.title,
        "statement": problem.statement,
        "givens": [
            {
                "key": problem.fill_in(given.name) or given.key,
                "label": problem.fill_in(given.label),
                "labels": problem.labels(given.axes, problem.givens[given.key].shape)
                if given.axes
                else [],
                "values": value if isinstance(value, str) else value.tolist(),
            }
            for given, value in ((given, problem.shown(given)) for given in problem.family.givens)
        ],
        "steps": [
            {
                "key": step.key,
                "label": problem.fill_in(step.label),
                "labels": problem.labels(step.axes, problem.values[step.key].shape),
                "shape": problem.values[step.key].shape,
                "fixed": problem.fixed_cells(step.key),
                "decimals": step.decimals,
                "tolerance": problem.tolerance[step.key],
                "choices": problem.words[step.choices] if step.choices else [],
                "made_of": step_dependencies(problem.family, problem.options)[step.key],
            }
            for step in problem.family.steps
        ],
    }


@pytest.mark.slow
def test_a_wording_and_a_variant_are_all_that_the_family_says(subtests):
    for key in attention_core.families():
        with subtests.test(key=key):
            for number, options in enumerate(attention_core.family(key).combinations()[:2]):
                drawn = problems.draw_variant(problems.kind_of(key, options), f"wording {number}")
                wording, variant = as_json(problems.variant_wording(drawn)), as_json(drawn)
                shown = problems.shown(wording, variant=variant)
                assert as_json(shown) == as_json(shown_by_the_family(variant))


@pytest.mark.slow
def test_variants_of_a_kind_share_few_wordings(subtests):
    for key in attention_core.families():
        with subtests.test(key=key):
            drawn = [problems.draw_variant(problems.kind_of(key, {}), f"few {n}") for n in range(4)]
            assert len({wording_key(problems.variant_wording(each)) for each in drawn}) <= 2


def test_choices_stand_as_the_student_saw_them(attempt):
    item = attempt.items.get(position=CONCEPT)
    stored = [choice["key"] for choice in item.asked["choices"]]
    assert stored == list(item.question.choices.values_list("key", flat=True))
    Item.objects.filter(pk=item.pk).update(order="".join(map(str, reversed(range(len(stored))))))
    seen = Item.objects.get(pk=item.pk).shown["choices"]
    assert [choice["key"] for choice in seen] == stored[::-1]


def test_more_choices_than_digits_keep_their_order():
    order = problems.order_of(reversed(range(40)))
    assert problems.decode_order(range(40), order) == list(reversed(range(40)))


def test_what_was_asked_needs_no_family_any_more(attempt, monkeypatch):
    item = attempt.items.get(position=SOFTMAX)
    before = item.shown
    monkeypatch.setattr("attention_core.catalogue.family", None)
    assert Item.objects.get(pk=item.pk).shown == before
    assert before["statement"]


def test_an_edited_question_is_asked_in_a_wording_of_its_own(attempt, quiz, other_student):
    asked = attempt.items.get(position=CONCEPT).question
    ConceptQuestion.objects.exclude(pk=asked.pk).filter(topic=asked.topic).delete()
    ConceptQuestion.objects.filter(pk=asked.pk).update(prompt="Edited?")
    later = start_attempt(student=other_student, quiz=quiz)
    prompts = {
        each.items.get(question=asked).shown["prompt"] == "Edited?" for each in (attempt, later)
    }
    assert prompts == {False, True}


def test_a_save_reads_no_numbers_and_no_wording_twice(attempt):
    save_draft(attempt=attempt, position=SOFTMAX, save=Save({"weights-0-0": "0.5"}, 0, "once"))
    with CaptureQueriesContext(connection) as asked:
        save_draft(attempt=attempt, position=SOFTMAX, save=Save({"weights-0-0": "0.6"}, 1, "twice"))
    read = "".join(query["sql"] for query in asked.captured_queries)
    assert "quizzes_item" in read
    assert found_in(read, "quizzes_variant", "quizzes_wording") == []


def test_a_process_reads_the_wordings_of_a_page_at_once(client, attempt, as_student):
    wordings._cache.clear()
    with CaptureQueriesContext(connection) as asked:
        client.get(reverse("quizzes:attempt", args=[attempt.pk]))
    read = [query["sql"] for query in asked.captured_queries]
    assert sum("quizzes_wording" in sql for sql in read) == 1
    assert sum("quizzes_variant" in sql for sql in read) == 1


def test_only_so_many_wordings_are_kept_at_hand(db, monkeypatch):
    monkeypatch.setattr(wordings, "MAX_CACHED", 3)
    monkeypatch.setattr(wordings, "_cache", {})
    for number in range(5):
        store_wordings([{"kind": "choice", "key": f"{number}"}])
    assert len(wordings._cache) == 2


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_migrating_back_and_forth_loses_nothing_of_what_was_shown(attempt, migrate):
    submit_and_mark(attempt)
    edited, gone, odd = attempt.items.exclude(variant=None)[:3]
    replace_wording(edited, edited.shown | {"statement": "Mended by hand: {word}."})
    Variant.objects.filter(pk=gone.variant_id).update(family="gone", kind="gone/1/{}")
    replace_wording(odd, {})
    expected = {item.pk: as_json(item.shown) for item in Item.objects.all()}
    steps = dict(Grade.objects.values_list("pk", "steps"))
    numbers = dict(Variant.objects.values_list("pk", "fingerprint"))

    earlier = migrate(BEFORE)
    assert dict(earlier.get_model("quizzes", "Item").objects.values_list("pk", "shown")) == expected
    assert dict(earlier.get_model("quizzes", "Grade").objects.values_list("pk", "steps")) == steps
    for variant in earlier.get_model("quizzes", "Variant").objects.all():
        assert variant.fingerprint == problems.fingerprint_of(variant.givens)
    # On the way forward some wordings exist and others do not.
    kept = earlier.get_model("quizzes", "Wording").objects
    assert kept.count() > 4
    kept.filter(pk__in=list(kept.values_list("pk", flat=True)[::2])).delete()
    migrate()
    assert {item.pk: as_json(item.shown) for item in Item.objects.all()} == expected
    assert all(item.asked.get("to_fill") for item in Item.objects.exclude(variant=None)[3:])
    assert Item.objects.get(pk=gone.pk).asked == expected[gone.pk]
    assert dict(Grade.objects.values_list("pk", "steps")) == steps
    assert dict(Variant.objects.values_list("pk", "fingerprint")) == numbers
