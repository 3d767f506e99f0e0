"""Writing concept questions: pasting, preview, and warnings of what gives them away."""

import pytest
from django.urls import reverse

from lessons.errors import ContentError
from quizzes.items.pasted_questions import parse_questions
from quizzes.items.services.questions import new_key
from quizzes.items.tells import Option, find_giveaways
from quizzes.models import ConceptQuestion, Topic
from tests.world import missing_in

TEXT = """\
## Why divide by $\\sqrt{d_k}$?
Think of large vectors.

- [ ] To make it a cosine.
  A cosine divides by both lengths.
- [x] To keep the variance near one.
  Each product adds its own.
- [ ] To save time.
  It costs a division.
- [ ] To make every weight positive.
  Softmax does that.

> Large scores make softmax **saturate**.

## A second one
- [x] Yes
  Right.
- [ ] No
  Wrong.
- [ ] Maybe
  Wrong.
- [ ] Both
  Wrong.
"""


@pytest.fixture
def writer(client, author):
    client.force_login(author)
    return client


PASTE, PREVIEW = (reverse(f"admin:quizzes_conceptquestion_{name}") for name in ("paste", "preview"))


def test_a_text_holds_several_questions():
    first, second = parse_questions(TEXT)
    assert first.prompt[:2] == ["Why divide by $\\sqrt{d_k}$?", "Think of large vectors."]
    assert [choice.correct for choice in first.choices] == [False, True, False, False]
    assert first.choices[1].feedback == ["Each product adds its own."]
    assert first.explanation == ["Large scores make softmax **saturate**."]
    assert second.line == 15


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Before\n## A", 1),
        ("## A\n- [x] b\nnot indented", 3),
        ("## A\n- [x] $\\frac{1$", 2),
        ("## A\n\n- [ ] b\n  $\\frac{1$", 4),
        ("", None),
        ("## A\n" * 101, None),
        ("## A\n- [x] b\n- c", 3),
        ("## A\n- [x] b\n```\n# c\n```", 3),
        ("## A\n- [x] b\n\n> c\n>\n> $\\frac{1$", 6),
        ("## A\n- [x]\n  b", 2),
        ("## A\n\nb\n\n```\n## c\n- [x] d\n  e\n", 5),
    ],
)
def test_stray_lines_are_reported_with_their_number(text, line):
    with pytest.raises(ContentError) as caught:
        parse_questions(text)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("It keeps the variance of the scores near one", ["a", "b", "c"], "the longest"),
        ("Usually one", ["Two at once", "Three at once"], "hedges"),
        ("One of them", ["Always the two", "Never the two"], "absolute"),
        ("One of them", ["Usually two", "Three!!"], None),
    ],
)
def test_clues_to_the_right_choice_are_reported(right, wrong, message):
    found = find_giveaways([Option(right, True), *(Option(text, False) for text in wrong)])
    assert any(message in clue for clue in found) if message else found == []


def test_keys_go_on_from_the_last(db):
    for key in ("keys-1", "keys-9", "keys-old", "keysmith-20"):
        ConceptQuestion.objects.create(key=key, topic="keys", prompt="?")
    assert new_key("keys") == "keys-10"


def test_pasted_questions_are_shown_and_then_added_as_drafts(writer):
    sent = {"new_topic": "Scaling", "text": TEXT}
    shown = writer.post(PASTE, sent).text
    assert "The right choice is the longest" not in shown
    assert "<strong>saturate</strong>" in shown
    assert not ConceptQuestion.objects.exists()
    assert not Topic.objects.exists()
    assert writer.post(PASTE, sent | {"add": "1"}).status_code == 302
    first, second = ConceptQuestion.objects.order_by("key")
    assert (first.key, second.key, first.published) == ("scaling-1", "scaling-2", False)
    assert first.choices.get(correct=True).feedback == "Each product adds its own."
    assert Topic.objects.get().title == "Scaling"


def test_of_pasted_questions_all_are_added_or_none(writer):
    faulty = "\n## A third\n- [x] alone\n  Yes.\n\n## A fourth\n- [x] again\n"
    sent = {"new_topic": "Scaling", "text": TEXT + faulty}
    for button in ({}, {"add": "1"}):
        page = writer.post(PASTE, sent | button).text
        assert page.count("at least 4 choices") == 2
        assert missing_in(page, "A third", "A fourth", "Every choice needs feedback.") == []
    assert not ConceptQuestion.objects.exists()


def test_the_preview_shows_what_a_student_will_see(writer):
    sent = {
        "prompt": "Why $\\sqrt{d_k}$?",
        "choices-TOTAL_FORMS": "2",
        "choices-0-text": "Because it is the right one",
        "choices-0-correct": "on",
        "choices-0-feedback": "So it is.",
        "choices-1-text": "No",
    }
    shown = writer.post(PREVIEW, sent, headers={"accept": "application/json"}).json()["html"]
    assert missing_in(shown, "<msqrt>", 'type="radio"', "So it is.", "the longest") == []


@pytest.mark.parametrize(
    "sent",
    [
        {"choices-TOTAL_FORMS": "9" * 5000},
        {"choices-TOTAL_FORMS": "-1", "prompt": "$\\frac{"},
        {"choices-TOTAL_FORMS": "1", "choices-0-text": "\x00"},
    ],
)
def test_the_preview_shows_whatever_is_typed(writer, sent):
    assert writer.post(PREVIEW, sent).status_code == 200
    assert writer.get(PREVIEW).status_code == 200


def test_who_may_not_write_questions_gets_no_preview(client, as_student):
    assert client.post(PREVIEW, {"prompt": "?"}).status_code == 403
