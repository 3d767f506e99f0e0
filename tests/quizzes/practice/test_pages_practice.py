"""The pages of practice: checks, feedback, further variants, and access."""

import re

import pytest

from quizzes.items.skills import Skill
from quizzes.marking.services import grade_waiting
from quizzes.models import Attempt, ConceptQuestion, Submission
from quizzes.notifiers import grading_notifier
from quizzes.practice.services import practise_quiz, practise_skill, replace_variant
from tests.each import each
from tests.fixtures import SOME, WHOLE
from tests.quizzes.reading import Page
from tests.world import missing_in, refresh, right_fields, save_answer, wrong_fields

COSINE = "/practice/family/cosine/"
TOPIC = "/practice/topic/why-softmax/"
ASKS = [*SOME[:4], WHOLE[10], *SOME[4:]]
ATTENTION, CONCEPT = 5, 6


@pytest.fixture(autouse=True)
def rings(monkeypatch):
    """The wake-ups of graders; test_notifier.py tests the notifier itself."""
    heard = []
    monkeypatch.setattr(grading_notifier, "wake_after_commit", lambda: heard.append("rung"))
    monkeypatch.setattr(grading_notifier, "wake_again", lambda: heard.append("again"))
    return heard


@pytest.fixture
def practice(quiz, student, client):
    client.force_login(student)
    return practise_quiz(student=student, quiz=quiz)


def post_item(client, item, fields, **button):
    """Post the page's form."""
    own = f"item-{item.position}"
    typed = {f"{own}-{field}": text for field, text in fields.items()}
    hidden = {f"{own}-revision": item.revision, f"{own}-token": item.token}
    url = f"/practice/{item.attempt_id}/{item.position}/"
    return client.post(url, typed | hidden | (button or {"check": ""}))


def checked(client, item, fields):
    """Return the page after a check that has been marked."""
    answer = post_item(client, item, fields)
    grade_waiting()
    return Page(client.get(answer.url))


def test_a_visitor_sees_what_a_skill_is_and_is_asked_to_log_in(client, db):
    page = Page(client.get(COSINE))
    assert "Cosine similarity" in page.text
    assert page.all("a", href="/accounts/login/?next=%2Fpractice%2Ffamily%2Fcosine%2F")
    assert client.post(COSINE).url.startswith("/accounts/login/")


@each("url", ["/practice/family/none/", "/practice/topic/x/", "/practice/a/b/"])
def test_what_cannot_be_practised_is_not_found(client, db, url):
    assert client.get(url).status_code == 404


@each("of", ["mistakes", "today", "anything"])
def test_a_topic_opens_under_its_own_address_alone(client, questions, of):
    assert client.get("/practice/topic/keys/").status_code == 200
    assert client.get(f"/practice/{of}/keys/").status_code == 404
    assert client.post(f"/practice/{of}/keys/").status_code == 404


def test_a_skill_starts_with_one_item(client, questions, as_student):
    for url in (COSINE, TOPIC):
        page = client.post(url, follow=True)
        assert page.redirect_chain[-1][0].endswith("/1/")
        assert len(Page(page).all("fieldset", inside="practice")) == 1


def test_a_quiz_is_practised_from_its_page(client, quiz, as_student):
    (form,) = Page(client.get("/quizzes/foundations/")).all(
        "form", action="/quizzes/foundations/practise/"
    )
    page = client.post(form["action"], follow=True)
    assert len(Page(page).all("a", inside="main", aria_current="page")) == 1


def test_a_check_rings_and_waits_until_it_is_marked(client, practice, rings):
    item = practice.items.first()
    answer = post_item(client, item, right_fields(item))
    assert answer.url == f"/practice/{practice.pk}/1/"
    page = Page(client.get(answer.url))
    assert rings == ["rung", "again"]
    assert "Being marked" in page.text
    url = f"/practice/{practice.pk}/1/status/"
    assert page.all("p", data_status=url)
    assert client.get(url).json() == {"state": "waiting"}
    grade_waiting()
    assert client.get(url).json() == {"state": "graded"}


@each("position", [1, CONCEPT])
def test_a_check_of_nothing_says_so_and_marks_nothing(client, practice, position):
    answer = post_item(client, practice.items.get(position=position), {})
    assert "nothing to check yet" in Page(client.get(answer.url)).text
    assert not Submission.objects.exists()


def test_a_check_is_not_taken_while_an_entry_cannot_be_read(client, practice, rings):
    item = practice.items.get(position=ATTENTION)
    fields = right_fields(item)
    first, second = list(fields)[1:3]
    typed = fields | {first: "1/2+x", second: "1.2.3"}
    answer = post_item(client, item, typed)
    # A browser focuses the cell that the address ends with.
    assert answer.url == f"/practice/{practice.pk}/{ATTENTION}/#item-{ATTENTION}-{first}"
    page = Page(client.get(answer.url))
    assert "can’t be read, so nothing was checked" in page.text
    assert "This isn’t a number." in page.text
    invalid = page.all("input", aria_invalid="true")
    assert [each["value"] for each in invalid] == ["1/2+x", "1.2.3"]
    assert refresh(item).draft == typed
    assert not Submission.objects.exists()
    assert rings == []


def test_practice_says_which_check_counts(client, practice):
    for url in ("/practice/", COSINE, f"/practice/{practice.pk}/1/"):
        assert "Your first check of each question counts" in Page(client.get(url)).text


def marked_cells(page):
    classes = [tag.get("class", "") for tag in page.all("td", inside="practice")]
    return [names.split()[-1] for names in classes if "is-" in names]


def test_each_cell_bears_its_mark(client, practice):
    item = practice.items.get(position=ATTENTION)
    fields = right_fields(item) | {"output-0-0": "99"}
    marks = marked_cells(checked(client, item, fields))
    assert (marks.count("is-wrong"), marks.count("is-right")) == (1, len(fields) - 1)


def test_the_first_wrong_number_is_shown_and_folds_away_the_right_one(client, practice):
    item = practice.items.get(position=ATTENTION)
    assert "Worked solution" not in Page(client.get(f"/practice/{practice.pk}/{ATTENTION}/")).text
    page = checked(client, item, right_fields(item) | {"scaled-0-1": "77"})
    (slip,) = page.all("div", **{"class": "slip"})
    assert slip["data-slip"] == "scaled"
    # More may be between the two: for a right value of 0.77, that this is a hundred times as much.
    assert re.search(r"You: 77 \. .*?Show the right value It should be ", page.text)


def test_marks_go_when_something_else_is_typed(client, practice):
    item = practice.items.get(position=ATTENTION)
    checked(client, item, wrong_fields(item))
    answer = post_item(client, refresh(item), right_fields(item), save="")
    page = Page(client.get(answer.url))
    assert "is-wrong" not in marked_cells(page)
    assert "This feedback is on the answer you last checked" in page.text


def test_a_wrong_choice_gets_its_reason_before_the_right_one_is_unfolded(client, practice):
    item = practice.items.get(position=CONCEPT)
    page = checked(client, item, wrong_fields(item))
    chosen = wrong_fields(item)["answer-choice"]
    assert f"Feedback to {chosen} of {item.shown['key']}." in page.text
    (unfolds,) = page.all("details", inside="feedback")
    assert "open" not in unfolds


def test_a_wrong_choice_is_shown_again_and_named_as_the_readers(client, practice):
    item = practice.items.get(position=CONCEPT)
    page = checked(client, item, wrong_fields(item))
    assert len(page.all("li", inside="feedback", **{"class": "is-wrong"})) == 1
    assert "your choice" in page.text


def test_the_verdict_of_a_single_step_is_shown_once(client, practice):
    item = practice.items.get(position=3)
    assert not checked(client, item, wrong_fields(item)).all("p", **{"class": "step-verdict"})


def test_new_numbers_take_the_place_and_keep_what_was_typed(client, practice):
    item = practice.items.get(position=3)
    answer = post_item(client, item, {"weights-0-0": "1.5"}, another="")
    assert answer.url == f"/practice/{practice.pk}/8/"
    assert refresh(item).draft["weights-0-0"] == "1.5"
    links = {tag["href"] for tag in Page(client.get(answer.url)).all("a", inside="main")}
    assert links >= {f"/practice/{practice.pk}/{position}/" for position in (3, 8)}


def test_a_heading_names_the_question_and_the_variant(client, student, practice):
    skill = practise_skill(student=student, skill=Skill("family", "cosine"))
    assert "Question 3 of 7 To 3 decimals" in Page(client.get(f"/practice/{practice.pk}/3/")).text
    assert "Variant 1 To 3 decimals" in Page(client.get(f"/practice/{skill.pk}/1/")).text
    replace_variant(attempt=practice, position=3)
    replace_variant(attempt=skill, position=1)
    assert "Question 3 of 7, variant 2" in Page(client.get(f"/practice/{practice.pk}/8/")).text
    assert "Variant 2 To 3 decimals" in Page(client.get(f"/practice/{skill.pk}/2/")).text


def test_once_all_is_right_the_main_button_leads_on(client, practice):
    item = practice.items.select_related("variant").get(position=ATTENTION)
    page = checked(client, item, wrong_fields(item))
    assert page.all("button", name="hint", form="practice")
    assert page.all("button", name="check", **{"class": "button-primary"})
    item.refresh_from_db()
    page = checked(client, item, right_fields(item))
    assert not page.all("button", name="check", **{"class": "button-primary"})
    assert page.all("a", **{"class": "button button-primary"})


def test_a_newer_answer_from_elsewhere_is_not_lost(client, practice):
    item = practice.items.get(position=3)
    save_answer(item, {"weights-0-0": "5"}, token="elsewhere")
    answer = post_item(client, item, {"weights-0-0": "1.5"})
    assert answer.status_code == 409
    page = Page(answer)
    assert "changed on another page" in page.text
    assert page.values(form="practice")["item-3-weights-0-0"] == "1.5"
    assert not Submission.objects.exists()


def test_practice_goes_on_at_the_first_place_that_is_not_right(client, practice):
    for position in (1, 2):
        item = practice.items.select_related("variant").get(position=position)
        checked(client, item, right_fields(item))
    assert client.get(f"/practice/{practice.pk}/").url == f"/practice/{practice.pk}/3/"


def test_the_skill_shows_what_was_met(client, student, questions, as_student):
    item = practise_skill(student=student, skill=Skill("family", "cosine")).items.get()
    checked(client, item, right_fields(item))
    assert missing_in(Page(client.get(COSINE)).text, "Variant 1", "right") == []


def test_a_refused_start_says_why(client, questions, as_student):
    ConceptQuestion.objects.filter(topic="why-softmax").update(published=False)
    assert client.post(TOPIC).status_code == 404


def test_somebody_elses_practice_is_not_found_and_gets_no_help(client, practice, other_student):
    client.force_login(other_student)
    for url in ("", "1/", "1/status/"):
        assert client.get(f"/practice/{practice.pk}/{url}").status_code == 404
    item = practice.items.first()
    for button in ({"check": ""}, {"hint": ""}):
        assert post_item(client, item, right_fields(item), **button).status_code == 404
    assert refresh(item).hints is None
    assert not Submission.objects.exists()


@pytest.mark.service
def test_an_exam_is_no_practice_and_practice_no_exam(client, practice, quiz):
    client.post("/quizzes/foundations/start/")
    exam = Attempt.objects.get(mode="graded")
    assert client.get(f"/practice/{exam.pk}/1/").status_code == 404
    for url in ("", "submit/", "results/"):
        assert client.get(f"/attempts/{practice.pk}/{url}").status_code == 404
