"""The builder of problems in the admin: written, shown, saved, proven, published and withdrawn."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from quizzes.admin.written.builder import Builder
from quizzes.admin.written.forms import EXAMPLE_TITLES, read_example
from quizzes.admin.written.proofs import proof_context
from quizzes.models import ProblemProof, WrittenProblem
from quizzes.written.services.proving import run_waiting_proofs
from scripts.bootstrap import ROOT
from tests.page_forms import form_with
from tests.quizzes.written.rows import publish_row
from tests.world import found_in, make_quiz, make_user, missing_in, take_quiz, wrong_fields

pytestmark = pytest.mark.django_db

ADD = "/admin/quizzes/writtenproblem/add/"
SOUND = read_example("z_scores")
BROKEN = SOUND.replace("mean(x)", "avg(x)", 1)


def change_of(problem):
    return reverse("admin:quizzes_writtenproblem_change", args=[problem.pk])


@pytest.fixture
def draft(instructor_client):
    """A draft that the instructor has saved."""
    instructor_client.post(ADD, {"text": SOUND, "_save": "1"})
    return WrittenProblem.objects.get()


@pytest.fixture
def page(instructor_client, draft):
    """Return a function that posts the draft's page, with changes applied to its form."""

    def post(**changed):
        typed = form_with(instructor_client.get(change_of(draft)).text, "opened")
        return instructor_client.post(change_of(draft), typed | changed)

    return post


def test_the_first_page_offers_examples_and_begins_with_one(instructor_client):
    text = instructor_client.get(ADD).text
    assert missing_in(text, "Attention in three steps", "Mean and z-scores", "Upload") == []
    shown = instructor_client.post(ADD, {"example": "z_scores"})
    assert shown.status_code == 200
    assert "mu = mean(x)" in shown.text
    assert "as a student sees it" in shown.text
    assert not WrittenProblem.objects.exists()


def test_the_examples_are_those_of_the_page_that_teaches_the_language():
    page = (ROOT / "docs" / "formulas.md").read_text()
    for name in EXAMPLE_TITLES:
        assert f"```text\n{read_example(name)}```" in page


def test_a_variant_is_shown_with_its_mistakes_and_nothing_is_saved(instructor_client):
    text = instructor_client.post(ADD, {"text": SOUND, "show": "1"}).text
    expected = ("Variant 1,", "Not proven yet", "<code>by_range</code>", "You divided by the range")
    assert missing_in(text, *expected, "mu: a number", "z: 5", "7 cells") == []
    assert "Variant 2," in instructor_client.post(ADD, {"text": SOUND, "another": "1"}).text
    assert not WrittenProblem.objects.exists()


def test_a_fault_is_shown_at_its_line_and_what_was_typed_stays(instructor_client):
    answer = instructor_client.post(ADD, {"text": BROKEN, "show": "1"})
    line = BROKEN[: BROKEN.index("avg")].count("\n") + 1
    shown = (f"Line {line}.", "There’s no function avg", f'<li class="pw-faulty">{line}</li>')
    assert missing_in(answer.text, *shown, "mu = avg(x)") == []
    assert "as a student sees it" not in answer.text


def test_a_draft_with_a_fault_is_saved_and_not_proven(instructor_client):
    answer = instructor_client.post(ADD, {"text": BROKEN, "_save": "1"}, follow=True)
    problem = WrittenProblem.objects.get()
    assert problem.text == BROKEN.strip()
    assert "has a fault, so it isn’t proven yet" in answer.text
    assert not ProblemProof.objects.exists()


def test_publishing_a_text_with_a_fault_is_refused_and_keeps_what_was_typed(page, draft):
    answer = page(text=BROKEN, _publish="1")
    assert answer.status_code == 400
    assert missing_in(answer.text, "It can’t be published yet", "mu = avg(x)") == []
    draft.refresh_from_db()
    assert draft.text == SOUND.strip()


def test_a_sound_draft_is_proven_and_published_by_a_worker(page, draft):
    assert [each.publishes for each in ProblemProof.objects.all()] == [False]
    answer = page(_publish="1")
    assert (answer.status_code, answer.headers["Location"]) == (302, change_of(draft))
    assert ProblemProof.objects.filter(publishes=True).count() == 1


def test_ticks_and_words_go_into_the_text(instructor_client, draft):
    sent = form_with(instructor_client.get(change_of(draft)).text, "opened")
    assert "on-variance.mean_of_squares" not in sent  # the text leaves it out
    del sent["on-z.by_range"]
    reworded = next(name for name in sent if name.startswith("says-mu."))
    sent |= {"on-variance.mean_of_squares": ["on"], reworded: ["Divide\r\nby all."]}
    page = instructor_client.post(change_of(draft), sent | {"apply": ["1"]})
    typed = form_with(page.text, "opened")["text"][0]
    assert f"    reword {reworded.partition('.')[2]}: Divide by all." in typed
    assert "without: by_range" in typed
    assert "without: mean_of_squares" not in typed
    assert WrittenProblem.objects.get().text == SOUND.strip()
    # Words put in before stay as they are, whatever is changed next.
    sent = form_with(page.text, "opened") | {"apply": ["1"]}
    again = form_with(instructor_client.post(change_of(draft), sent).text, "opened")
    assert again["text"] == [typed]


@pytest.mark.parametrize("button", ["show", "another", "_save", "_publish"])
def test_changed_mistakes_are_put_into_the_text_whatever_button_is_pressed(
    instructor_client, draft, button
):
    sent = form_with(instructor_client.get(change_of(draft)).text, "opened")
    del sent["on-z.by_range"]
    typed = sent["text"][0].replace("A small sample", "Five numbers")
    page = instructor_client.post(
        change_of(draft), sent | {"text": [typed], button: ["1"]}, follow=True
    )
    (shown,) = form_with(page.text, "opened")["text"]
    assert missing_in(shown, "Five numbers", "without: by_range") == []


def test_what_the_text_says_by_now_outlives_ticks_that_were_not_touched(instructor_client, draft):
    sent = form_with(instructor_client.get(change_of(draft)).text, "opened")
    typed = sent["text"][0].replace("    without: mean_of_squares\n", "")
    page = instructor_client.post(change_of(draft), sent | {"text": [typed], "show": ["1"]})
    assert form_with(page.text, "opened")["text"] == [typed]


def test_the_script_is_answered_with_the_changed_text(instructor_client, draft):
    sent = form_with(instructor_client.get(change_of(draft)).text, "opened")
    variant = reverse("admin:quizzes_writtenproblem_variant")
    assert "pw-edited" not in instructor_client.post(variant, sent).text
    del sent["on-z.by_range"]
    answer = instructor_client.post(variant, sent).text
    assert missing_in(answer, "pw-edited", "without: by_range") == []


def test_what_has_no_title_is_saved_but_not_published(instructor_client):
    page = instructor_client.post(
        ADD, {"text": "x: tenths(3)\ntotal = sum(x)", "_publish": "1"}, follow=True
    )
    assert missing_in(page.text, "Give it a title first", "total = sum(x)") == []
    assert not ProblemProof.objects.exists()


@pytest.mark.parametrize("button", ["example", "upload"])
def test_neither_an_example_nor_a_file_takes_the_place_of_a_text(instructor_client, button):
    page = instructor_client.post(ADD, {"text": "x: tenths(2)", button: "z_scores"})
    assert missing_in(page.text, "There’s already a text here", "x: tenths(2)") == []
    assert found_in(page.text, "mu = mean(x)", "Please correct") == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (r"    label: The mean $\foo$", "unknown command"),
        ("    label: The mean $x", "One “$” is missing"),
    ],
)
def test_a_formula_that_no_page_can_show_is_a_fault_of_its_line(instructor_client, line, words):
    text = SOUND.replace(r"    label: The mean $\mu$", line)
    page = instructor_client.post(ADD, {"text": text, "show": "1"})
    assert missing_in(page.text, words, 'data-line="9"') == []
    published = instructor_client.post(ADD, {"text": text, "_publish": "1"})
    assert published.status_code == 400


def test_a_mistake_that_gives_the_right_answer_says_so(instructor_client):
    text = 'x: tenths(3, 2)\ntotal = sum(x)\nturned: total = sum(x.T) : "Don’t turn it."'
    page = instructor_client.post(ADD, {"text": text, "show": "1"})
    assert "In this variant, it gives the right answer." in page.text


def test_a_page_that_opens_while_its_proof_publishes_is_the_published_one(
    instructor_client, draft, page, monkeypatch
):
    def prove_first(problem):
        run_waiting_proofs(seconds=60)
        return proof_context(problem)

    page(_publish=["1"])
    monkeypatch.setattr("quizzes.admin.written.page.proof_context", prove_first)
    opened = instructor_client.get(change_of(draft))
    assert (opened.status_code, opened.headers.get("Location")) == (302, change_of(draft))
    assert "Write the next version" in instructor_client.get(change_of(draft)).text


def test_students_and_strangers_are_kept_out(client, student, draft, log_in_with_permissions):
    addresses = [
        change_of(draft),
        *(
            reverse(f"admin:quizzes_writtenproblem_{name}", args=[draft.pk])
            for name in ("version", "withdraw", "text", "proof")
        ),
    ]
    client.logout()
    client.force_login(student)
    assert {client.get(path).status_code for path in addresses} <= {302, 403, 404}
    variant = reverse("admin:quizzes_writtenproblem_variant")
    assert client.post(variant, {"text": SOUND}).status_code in (302, 403)
    log_in_with_permissions("view_writtenproblem")
    for path in addresses[1:]:
        assert client.get(path).status_code in (403, 404)


def test_the_text_is_downloaded(instructor_client, draft):
    answer = instructor_client.get(reverse("admin:quizzes_writtenproblem_text", args=[draft.pk]))
    assert answer.text == draft.text
    assert f"{draft.key}_v1.txt" in answer.headers["Content-Disposition"]


def test_the_list_names_the_state(instructor_client, draft):
    text = instructor_client.get("/admin/quizzes/writtenproblem/").text
    assert missing_in(text, draft.key, "Mean, variance and z-scores") == []
    text = instructor_client.get("/admin/quizzes/writtenproblem/?q=deviations").text
    assert draft.key in text
    assert (
        found_in(
            instructor_client.get("/admin/quizzes/writtenproblem/?state=published").text, draft.key
        )
        == []
    )


def prove():
    while run_waiting_proofs():
        pass


def test_a_proof_s_progress_and_its_result_are_on_the_page(instructor_client, draft):
    fragment = reverse("admin:quizzes_writtenproblem_proof", args=[draft.pk])
    waiting = instructor_client.get(fragment).text
    assert missing_in(waiting, "data-running", "<progress", "20 variants are being proven") == []
    prove()
    over = instructor_client.get(fragment).text
    assert missing_in(over, "Passed: 20 variants are fit to ask.", "n = 5", "7 cells") == []
    assert found_in(over, "data-running", "<progress") == []
    assert "Passed: 20 variants" in instructor_client.get(change_of(draft)).text


def test_a_draft_that_no_draw_fits_says_why(instructor_client):
    text = SOUND.replace("var(x) >= 0.5", "var(x) >= 50")
    answer = instructor_client.post(ADD, {"text": text, "_publish": "1"}, follow=True)
    assert "These numbers don’t meet your “keep” lines" in answer.text
    prove()
    draft = WrittenProblem.objects.get()
    assert draft.is_draft
    assert "It can’t be asked yet." in instructor_client.get(change_of(draft)).text


def test_a_published_version_is_read_continued_and_withdrawn(instructor_client, page, draft):
    page(_publish="1")
    prove()
    text = instructor_client.get(change_of(draft)).text
    assert missing_in(text, "Published", "Write the next version", "n = 5", "by_range") == []
    assert found_in(text, "pw-gutter", 'name="_save"', "on-z.by_range") == []
    assert instructor_client.post(f"{change_of(draft)[:-7]}delete/").status_code == 403
    begun = instructor_client.post(change_of(draft), {"next": "1"}, follow=True)
    newest = WrittenProblem.objects.get()
    assert (newest.version, newest.is_draft, newest.text) == (2, True, draft.text)
    shown = ("Draft of version 2", "corrects earlier marks", "This is the draft of version 2")
    assert missing_in(begun.text.lower(), *(each.lower() for each in shown)) == []
    listed = instructor_client.get("/admin/quizzes/writtenproblem/?state=published").text
    assert "draft of v2, published v1" in listed
    address = reverse("admin:quizzes_writtenproblem_withdraw", args=[draft.pk])
    assert "Withdraw version 1 of" in instructor_client.get(address).text
    assert "Withdrawn" in instructor_client.post(address, follow=True).text
    draft = WrittenProblem.every.get(pk=draft.pk)
    assert draft.withdrawn_at
    # The draft can go, and the version before it is the newest again.
    deleted = instructor_client.post(f"{change_of(newest)[:-7]}delete/", {"post": "yes"})
    assert deleted.status_code == 302
    assert WrittenProblem.objects.get() == draft


def test_what_was_typed_while_it_was_published_is_the_next_version(instructor_client, page, draft):
    sent = form_with(instructor_client.get(change_of(draft)).text, "opened")
    page(_publish="1")
    prove()
    instructor_client.post(change_of(draft), sent | {"text": BROKEN, "_save": "1"})
    newest = WrittenProblem.objects.get()
    assert (newest.version, newest.text) == (2, BROKEN)


def test_a_second_author_reads_what_the_first_saved_and_keeps_what_was_typed(
    instructor_client, draft
):
    sent = form_with(instructor_client.get(change_of(draft)).text, "opened")
    theirs = SOUND.replace("by hand", "by the first author")
    assert instructor_client.post(change_of(draft), sent | {"text": theirs}).status_code == 302
    mine = SOUND.replace("by hand", "by the second author")
    page = instructor_client.post(change_of(draft), sent | {"text": mine})
    assert form_with(page.text, "opened")["text"][0].split() == mine.split()
    assert missing_in(page.text, "to merge", "by the first author") == []


def test_markup_in_any_text_of_a_problem_is_inert(instructor_client):
    text = SOUND
    for piece in ("Mean, variance", "A small sample", "the measurements", "Standardise"):
        text = text.replace(piece, f"<xz> {piece}")
    for piece in ("The z-score", "How many standard", "You divided by"):
        text = text.replace(piece, f"<xz> {piece}")
    text = text.replace("    hint: <xz>", "    how: <xz> Subtract.\n    hint: <xz>")
    assert text.count("<xz>") == 8
    for sent in ({"show": "1"}, {"_save": "1"}, {"_publish": "1"}):
        page = instructor_client.post(ADD, {"text": text} | sent, follow=True).text
        assert "&lt;xz&gt;" in page
        assert "<xz>" not in page
    framed = Builder(text, 1, {}).frame
    assert missing_in(framed, "&lt;xz&gt; Standardise") == []
    assert "<xz>" not in framed


def test_a_file_is_uploaded_and_what_is_no_text_is_refused(instructor_client):
    file = SimpleUploadedFile("sums.txt", SOUND.encode())
    assert "mu = mean(x)" in instructor_client.post(ADD, {"upload": "1", "file": file}).text
    for content in (b"\xff\xfe\x00", b"x" * 40_000):
        file = SimpleUploadedFile("sums.txt", content)
        refused = instructor_client.post(ADD, {"upload": "1", "file": file})
        assert missing_in(refused.text, "This file isn’t the text of a problem") == []
        assert found_in(refused.text, "Please correct") == []
    assert "Choose a .txt file first" in instructor_client.post(ADD, {"upload": "1"}).text


def test_the_list_says_how_easy_five_people_found_it(instructor_client):
    row = publish_row(site=True)
    quiz = make_quiz("asking", {"family": row.key, "family_version": 1})
    listed = instructor_client.get("/admin/quizzes/writtenproblem/")
    people = [make_user(f"P{number}") for number in range(5)]
    for number, person in enumerate(people):
        (found,) = listed.context_data["cl"].result_list
        assert found.facility is None
        take_quiz(person, quiz, *([wrong_fields] if number < 3 else []))
        listed = instructor_client.get("/admin/quizzes/writtenproblem/")
    (found,) = listed.context_data["cl"].result_list
    assert found.facility == pytest.approx(2 / 5)
    assert "40%" in listed.text
