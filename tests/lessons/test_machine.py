"""The page of the machine: a sentence in the address, and what the machine makes of it."""

import re
import subprocess
import sys

import pytest
from django.core.cache import cache
from django.urls import reverse

from attention_core.machine.model import Change, machine
from attention_core.machine.tokens import tokens_of
from attention_core.machine.words import VOCABULARY
from design.matrix import number_text
from lessons.machine.forms import EXAMPLES, FIRST, LONGEST
from tests.lessons.conftest import CONTENT

pytestmark = pytest.mark.django_db

ADDRESS = "/machine/"


@pytest.fixture(autouse=True)
def nobody_asked_before():
    cache.clear()


def page(client, status=200, **asked):
    response = client.get(ADDRESS, asked)
    assert response.status_code == status
    return response.content.decode()


def test_it_has_an_address_of_its_own():
    assert reverse("lessons:machine") == ADDRESS


def test_without_a_sentence_it_shows_the_first_example(client):
    numbers = re.compile(r"<option data-weights=[^>]+>")
    assert numbers.findall(page(client)) == numbers.findall(page(client, text=FIRST)) != []


@pytest.mark.parametrize("text", EXAMPLES)
def test_every_example_is_read(client, text):
    shown = page(client, text=text)
    for word in tokens_of(text)[1:]:
        assert f'<span lang="en">{word}</span>' in shown


def test_the_next_words_are_those_of_the_core(client):
    probabilities = machine().read(tokens_of("paris is the capital of")).probabilities()
    shown = page(client, text="Paris is the capital of")
    best = int(probabilities.argmax())
    assert VOCABULARY[best] in shown
    assert number_text(float(probabilities[best]), 3) in shown


def test_every_head_of_every_layer_has_a_small_map(client):
    shown = page(client)
    assert shown.count("<svg viewBox=") == len(machine().layers) * machine().heads
    assert "Layer 0, head 0" in shown


def test_a_map_leads_to_its_numbers(client):
    assert "head=1.2#numbers" in page(client)
    shown = page(client, head="1.2")
    assert re.search(r"<option data-weights=\"[^\"]+\">Layer 1, head 2</option>", shown)
    first = re.search(r"<option[^>]*>(Layer \d, head \d)</option>", shown.split("map-heads")[1])
    assert first[1] == "Layer 1, head 2"


def test_what_is_drawn_from_can_be_cut(client):
    likely = page(client, text="the", top_k="1")
    assert "1.000" in likely
    assert page(client, text="the", seed="1") != page(client, text="the", seed="2")
    assert page(client, text="the", seed="3") == page(client, text="the", seed="3")


@pytest.mark.parametrize(
    "taken", [{"silent": "2.0"}, {"empty": "4"}, {"swapped": "1", "other": "ben"}]
)
def test_what_is_taken_away_changes_the_next_word(client, taken):
    assert "of the probability went" not in page(client)
    assert "of the probability went" in page(client, **taken)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"text": "the elephant sleeps"}, "The machine does not know “elephant”. Try one of these"),
        ({"text": ""}, "There is no word to read."),
        ({"text": "  "}, "There is no word to read."),
        ({"text": "the " * 24}, "up to 23 words; these are 24"),
        ({"text": "the king" * LONGEST}, "at most 300 characters"),
        ({"text": "the \0king"}, "Null characters"),
        ({"text": "<script>alert(1)</script>"}, "&lt;"),
        ({"temperature": "0"}, "greater than or equal to 0.1"),
        ({"temperature": "nan"}, "Enter a number"),
        ({"temperature": "hot"}, "Enter a number"),
        ({"top_k": "0"}, "greater than or equal to 1"),
        ({"top_p": "1.5"}, "less than or equal to 1"),
        ({"seed": "-1"}, "greater than or equal to 0"),
        ({"seed": "9" * 5000}, ""),
        ({"silent": "9.9"}, "Select a valid choice"),
        ({"empty": "99"}, "Select a valid choice"),
        ({"empty": "-1"}, "Select a valid choice"),
        ({"swapped": "1", "other": "unicorn"}, "does not know “unicorn”"),
        ({"swapped": "1", "other": "the king"}, "Type one word"),
        ({"swapped": "1"}, "There is no word to read."),
        ({"head": "x"}, "Select a valid choice"),
    ],
)
def test_what_cannot_be_read_is_told_and_never_breaks(client, asked, told):
    shown = page(client, 400, **asked)
    assert told in shown
    assert "<script>alert" not in shown
    assert 'aria-invalid="true"' in shown or "head" in asked


def test_a_sentence_is_a_link_that_search_engines_leave_alone(client):
    assert "noindex" not in page(client)
    assert "noindex" in page(client, text="the king")


def test_many_in_a_short_time_are_asked_to_wait(client):
    # What is told wrong is quick, and counts as well.
    statuses = [client.get(ADDRESS, {"text": "ant"}).status_code for _ in range(301)]
    assert statuses == [400] * 300 + [429]
    assert "Wait a minute" in page(client, 429)


def test_the_weights_are_read_when_they_are_first_needed():
    code = "import attention_core.machine.model as m, lessons; "
    code += "import sys; sys.exit(m.machine.cache_info().currsize)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_the_site_leads_there(client):
    assert f'href="{ADDRESS}"' in client.get("/").content.decode()


@pytest.mark.parametrize(("silent", "is_sure"), [((), True), ((2, 0), True), ((1, 0), False)])
def test_what_a_lesson_says_of_silencing_is_so(silent, is_sure):
    lesson = (CONTENT / "lessons" / "learning-how-to-mix.md").read_text()
    text = "mary says red dog two and jack says red"
    assert f"(/machine/?text={text.replace(' ', '+')})" in lesson
    change = Change(heads=frozenset([silent] if silent else []))
    found = machine().read(tokens_of(text), change=change).probabilities()
    assert bool(found[VOCABULARY.index("dog")] > 0.95) is is_sure
    assert (VOCABULARY[int(found.argmax())] == "dog") is is_sure


def test_every_link_of_the_lessons_to_the_machine_is_read(client, db):
    found = set()
    for path in (CONTENT / "lessons").glob("*.md"):
        found |= set(re.findall(r"\]\((/machine/[^)]*)\)", path.read_text()))
    assert len(found) >= 3
    for url in found:
        assert client.get(url).status_code == 200, url
