"""The machine's page: a sentence in the address, and the machine's numbers for it."""

import html
import json
import re
import subprocess
import sys

import numpy as np
import pytest
from django.core.cache import cache

from attention_core.machine.lens import lens
from attention_core.machine.measures import draw_held_out, where_heads_look
from attention_core.machine.model import Change, machine
from attention_core.machine.replays import AS_BUILT, RUNS, replay
from attention_core.machine.scoring import score, score_maps
from attention_core.machine.tokens import tokens_of
from attention_core.machine.words import VOCABULARY
from design.matrix import format_number
from lessons.machine.forms import EXAMPLES, FIRST, MAX_LENGTH
from lessons.machine.heads import heads_by_name
from lessons.machine.presenters import TARGETS
from lessons.machine.small_map import heats
from tests.lessons.conftest import CONTENT

pytestmark = pytest.mark.django_db

ADDRESS = "/machine/"
ONE_SCORE = {"text": "the keys near the old box", "head": "1.3", "at": "5", "to": "2"}


@pytest.fixture(autouse=True)
def nobody_asked_before():
    cache.clear()


def page(client, status=200, **asked):
    response = client.get(ADDRESS, asked)
    assert response.status_code == status
    return response.text


def part(shown, name):
    """Return the section with this heading."""
    return shown.split(f'id="{name}"')[1].split("</section>")[0]


def test_without_a_sentence_it_shows_the_first_example(client):
    assert part(page(client), "numbers") == part(page(client, text=FIRST), "numbers")


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
    assert format_number(float(probabilities[best]), 3) in shown


def test_every_head_of_every_layer_has_a_small_map(client):
    shown = part(page(client), "heads")
    assert shown.count("<svg viewBox=") == len(machine().layers) * machine().heads
    assert "Layer 0, head 0" in shown


def test_descriptions_of_heads_are_what_was_measured():
    measured = where_heads_look(machine(), draw_held_out(7, 1000))
    found = {place: {} for place in heads_by_name()}
    for look, weights in measured.items():
        for place in found:
            if weights[place] >= 0.5:
                found[place][look] = weights[place]
    message = {place: [str(look).replace("’", "'") for look in TARGETS[place]] for place in TARGETS}
    found = {place: looks for place, looks in found.items() if looks}
    assert message == {place: sorted(found[place], key=found[place].get)[::-1] for place in found}


def test_its_contents_lead_to_every_part_that_follows(client):
    contents, rest = page(client).split('aria-label="On this page"')[1].split("</nav>")
    titles = re.findall(r'<h2 id="(\w+)">(.+)</h2>', rest)
    assert re.findall(r'<a href="#(\w+)">(.+)</a>', contents) == titles


def test_a_map_leads_to_its_numbers(client):
    assert "head=1.2#numbers" in page(client)
    shown = part(page(client, head="1.2"), "numbers")
    assert "Layer 1, head 2</caption>" in shown
    weights = machine().read(tokens_of(FIRST)).weights[1, 2]
    assert format_number(float(weights[5, 2]), 3) in shown


def test_a_score_is_written_out_from_its_query_and_its_key(client):
    one = score(machine().read(tokens_of(ONE_SCORE["text"])), 1, 3, 5, 2)
    shown = part(page(client, **ONE_SCORE), "score")
    for number in (one.dot, one.score, one.weight, *one.q, *one.k, *one.products):
        assert format_number(float(number), 3) in shown
    assert "the query of <strong>5: old</strong> meets the key of <strong>2: keys</strong>" in shown


def test_a_head_has_its_maps_from_dot_products_to_weights_with_the_one_score_framed(client):
    one = score(machine().read(tokens_of(ONE_SCORE["text"])), 1, 3, 5, 2)
    maps = part(page(client, **ONE_SCORE), "score").split('machine-stages">')[1].split("</ol>")[0]
    assert re.findall(r'"machine-one" x="(\d)" y="(\d)"', maps) == [("2", "5")] * 3
    expected = [format_number(float(number), 3) for number in (one.dot, one.score, one.weight)]
    assert re.findall(r'"meta">([^<]*)<', maps) == expected


def test_what_a_mask_hides_is_minus_infinity_in_the_second_map_and_blank(client):
    dots, masked, weights = score_maps(machine().read(tokens_of("the king has")), 0, 0)
    ahead = np.triu(np.ones(dots.shape, dtype=bool), k=1)
    assert np.isneginf(masked[ahead]).all()
    assert np.isfinite(masked[~ahead]).all()
    assert not weights[ahead].any()
    assert heats(masked, float(dots.min()), float(dots.max()))[1] == "0"


def test_a_score_that_lies_ahead_is_taken_out(client):
    expected = "the causal mask removes the score"
    assert expected in page(client, at="2", to="4")
    assert expected not in page(client, at="4", to="2")


def test_a_word_chosen_in_a_longer_sentence_is_chosen_no_more(client):
    shown = page(client, text="the king", at="9", to="9")
    assert "the query of <strong>2: king</strong>" in shown


def test_an_empty_choice_is_the_first_one(client):
    empty = dict.fromkeys(("head", "at", "to", "replayed", "watched", "step"), "")
    assert part(page(client, **empty), "score") == part(page(client), "score")


def test_all_numbers_of_a_head_are_there_when_asked_for(client):
    assert "V, the values" not in page(client, head="2.1")
    shown = part(page(client, head="2.1", vectors="on"), "score")
    layer = machine().read(tokens_of(FIRST)).layers[2]
    for vectors in (layer.Q, layer.K, layer.V):
        for number in vectors[1].ravel():
            assert format_number(float(number), 2) in shown


def test_each_token_says_what_would_follow_it_after_each_layer(client):
    found = lens(machine(), machine().read(tokens_of(FIRST)))
    shown = part(page(client), "stream")
    for row in found.swapaxes(0, 1):
        cells = ""
        for stage in row:
            word = re.escape(VOCABULARY[int(stage.argmax())])
            word = word.replace("<", "&lt;").replace(">", "&gt;")
            cells += rf'<td><(?:strong|span) lang="en">{word}</(?:strong|span)>\s+'
            cells += rf'<span class="meta">{format_number(float(stage.max()), 2)}</span></td>\s*'
        assert re.search(cells, shown)


def test_training_is_replayed_at_a_step_in_every_run(client):
    step, head, (layer, of_head) = 400, "1.0", (1, 0)
    shown = part(page(client, step=step, watched=head, replayed="2"), "training")
    runs = [json.loads(html.unescape(run)) for run in re.findall(r'data-run="([^"]+)"', shown)]
    assert len(runs) == len(RUNS)
    place = replay(AS_BUILT).kept_at(step)
    for key, run in zip(RUNS, runs, strict=True):
        record = replay(key)
        weights = record.maps[2][record.kept_at(step), layer, of_head]
        assert run[place][0] == heats(weights)
        loss = format_number(float(record.held_out_loss[record.asked_at(step)]), 2)
        assert run[place][3] == loss
        assert f"<td>{loss}</td>" in shown


def test_a_run_that_was_ended_stays_as_it_was(client):
    shown = part(page(client, step=replay(AS_BUILT).kept[-1]), "training")
    for key in RUNS:
        assert f"<td>{replay(key).kept[-1]}</td>" in shown


def test_what_is_drawn_from_can_be_cut(client):
    assert "1.000" in page(client, text="the", top_k="1")
    assert page(client, text="the", seed="1") != page(client, text="the", seed="2")
    assert page(client, text="the", seed="3") == page(client, text="the", seed="3")


@pytest.mark.parametrize(
    "taken", [{"silent": "2.3"}, {"empty": "4"}, {"swapped": "1", "other": "ben"}]
)
def test_what_is_taken_away_changes_the_next_word(client, taken):
    assert "of the probability went" not in page(client)
    assert "of the probability went" in page(client, **taken)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            {"text": "the elephant sleeps"},
            "The machine doesn’t know “elephant”. All its words are listed below.",
        ),
        ({"text": ""}, "There’s no word to read."),
        ({"text": "  "}, "There’s no word to read."),
        ({"text": "the " * 24}, "up to 23 words, but this has 24"),
        ({"text": "the king" * MAX_LENGTH}, "at most 300 characters"),
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
        ({"swapped": "1", "other": "unicorn"}, "doesn’t know “unicorn”"),
        ({"swapped": "1", "other": "the king"}, "Type one word"),
        ({"swapped": "1"}, "There’s no word to read."),
        ({"head": "x"}, "Select a valid choice"),
        ({"replayed": "9"}, "Select a valid choice"),
        ({"watched": "head"}, "Select a valid choice"),
        ({"step": "-1"}, "Select a valid choice"),
    ],
)
def test_unreadable_sentences_get_an_error_and_never_break(client, asked, message):
    shown = page(client, 400, **asked)
    assert message in shown
    assert "<script>alert" not in shown
    # Choices further down need a sentence.
    below = {"head", "replayed", "watched", "step"}
    assert 'aria-invalid="true"' in shown or below & set(asked)


def test_a_sentence_is_a_link_that_search_engines_leave_alone(client):
    assert "noindex" not in page(client)
    assert "noindex" in page(client, text="the king")


def test_many_in_a_short_time_are_asked_to_wait(client, settings):
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "ask_machine": "3/m/ip"}
    # Refused sentences count as well.
    statuses = [client.get(ADDRESS, {"text": "ant"}).status_code for _ in range(4)]
    assert statuses == [400] * 3 + [429]
    assert "Wait a minute" in page(client, 429)


def test_the_weights_are_read_when_they_are_first_needed():
    code = "import attention_core.machine.model as m, lessons; "
    code += "import sys; sys.exit(m.machine.cache_info().currsize)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_the_site_leads_there(client):
    assert f'href="{ADDRESS}"' in client.get("/").text


@pytest.mark.parametrize(
    ("silent", "least", "most"), [((), 0.95, 1), ((1, 0), 0.95, 1), ((2, 2), 0.45, 0.55)]
)
def test_what_a_lesson_says_of_silencing_is_so(silent, least, most):
    lesson = (CONTENT / "lessons" / "learning-how-to-mix.md").read_text()
    text = "mary says red dog two and jack says red"
    assert f"(/machine/?text={text.replace(' ', '+')})" in lesson
    change = Change(heads=frozenset([silent] if silent else []))
    found = machine().read(tokens_of(text), change=change).probabilities()
    assert least < found[VOCABULARY.index("dog")] < most
    assert "Silence layer 1, head 0" in lesson
    assert "layer 2, head 2 instead, and it gives *dog* half as much" in lesson


def test_what_a_lesson_says_of_training_without_the_scale_is_so():
    lesson = (CONTENT / "lessons" / "attention-foundations.md").read_text()
    share = replay("without_the_scale").whose[-1]
    assert f"Without the division, the machine is right {100 * share:.0f} times in 100" in lesson
    assert replay(AS_BUILT).whose[-1] == 1


def test_what_the_front_page_says_of_the_machine_is_so(client, db):
    front = client.get("/").text
    assert f"knows {len(VOCABULARY) - 1} words" in front  # one token is no word: the start
    assert "After “box” it finds “are” over ten times as likely as “is”" in front
    reading = machine().read(tokens_of("the keys near the old box"))
    probabilities = dict(zip(VOCABULARY, reading.probabilities().tolist(), strict=True))
    assert probabilities["are"] > 10 * probabilities["is"]
    keys = reading.tokens.index("keys")
    assert reading.weights[..., -1, keys].max() > 0.9


def test_every_link_of_the_lessons_to_the_machine_is_read(client, db):
    found = set()
    for path in (CONTENT / "lessons").glob("*.md"):
        found |= set(re.findall(r"\]\((/machine/[^)]*)\)", path.read_text()))
    assert len(found) >= 3
    for url in found:
        assert client.get(url).status_code == 200, url
