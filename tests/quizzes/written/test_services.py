"""Writing problems: drafts and versions, and publishing what workers have proved."""

import re
import threading
from datetime import timedelta

import numpy as np
import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from audit.models import Event
from outbox.models import Message
from quizzes import problems
from quizzes.models import ProblemProof, QuizShare, Slot, WrittenProblem
from quizzes.written.services import proving as proofs
from quizzes.written.services import writing as services
from quizzes.written.services.proving import run_waiting_proofs
from quizzes.written.services.writing import (
    CannotPublish,
    SavedMeanwhile,
    delete_draft,
    queue_proof,
    save_problem,
    withdraw_version,
)
from tests.quizzes.written.rows import SCORES, publish_row

WRONG = SCORES.replace("sqrt(d_k)", "d_k")


def save(text, by, problem=None, *, corrects=False, revision=None):
    revision = revision if revision is not None else problem.revision if problem else 0
    return save_problem(problem=problem, text=text, corrects=corrects, revision=revision, by=by)


def prove(problem, by, *, publishes=False):
    proof = queue_proof(problem=problem, by=by, publishes=publishes)
    while run_waiting_proofs():
        pass
    proof.refresh_from_db()
    problem.refresh_from_db()
    return proof


@pytest.fixture
def draft(ines):
    return save(SCORES, ines)


def test_a_draft_takes_its_key_and_its_lists_from_its_text(draft, ines):
    assert (draft.key, draft.version, draft.title) == (
        "own_scores_of_a_query", 1, "Scores of a query",
    )  # fmt: skip
    assert save(SCORES, ines).key == "own_scores_of_a_query_2"
    assert WrittenProblem.objects.editable_by(ines).filter(pk=draft.pk).exists()


def test_a_text_with_faults_is_kept_but_not_proved(draft, ines):
    broken = save(SCORES + "more = (q\n", ines, draft)
    assert broken.text.endswith("more = (q\n")
    with pytest.raises(problems.FormulaError) as caught:
        queue_proof(problem=broken, by=ines)
    assert caught.value.line == SCORES.count("\n") + 1


def test_the_second_of_two_authors_is_refused(draft, ines):
    mine = save(SCORES.replace("query", "word"), ines, draft)
    with pytest.raises(SavedMeanwhile) as caught:
        save(WRONG, ines, draft, revision=0)
    assert caught.value.current.text == mine.text


@pytest.mark.django_db(transaction=True)
def test_of_two_authors_at_once_one_is_refused(ines):
    draft = save(SCORES, ines)
    both, results = threading.Barrier(2), []

    def author(n):
        both.wait()
        try:
            save(SCORES + f"# {n}\n", ines, draft, revision=0)
            results.append("saved")
        except SavedMeanwhile:
            results.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=author, args=(n,)) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == ["refused", "saved"]


def test_saving_a_draft_proves_twenty_variants_and_publishes_nothing(draft, ines):
    proof = prove(draft, ines)
    assert (proof.state, proof.result["variants"]) == (ProblemProof.State.DONE, 20)
    assert draft.is_draft
    assert not problems.is_family(draft.key)


def test_only_the_last_proof_is_kept(draft, ines):
    prove(draft, ines)
    last = prove(draft, ines)
    assert [*draft.proofs.values_list("pk", flat=True)] == [last.pk]


def test_a_proven_version_is_published_drawn_and_marked_with_follow_through(draft, ines):
    proof = prove(draft, ines, publishes=True)
    assert (proof.state, proof.result["variants"], proof.trouble) == ("done", 200, "")
    assert draft.published_by == ines
    kind = problems.kind_of(draft.key, {"tokens": 2})
    assert kind.startswith(f"{draft.key}/1/")
    variant = problems.draw_variant(kind, "a seed", for_exams=True)
    wrong = next(each for each in problems.mistakes_of(variant) if each.key == "unscaled")
    own = wrong.values
    # Right from the student's own scores.
    powers = np.exp(np.round(own, 3))
    raw = {
        "scores": [f"{x:.3f}" for x in own],
        "weights": [f"{x:.3f}" for x in powers / powers.sum()],
    }
    (mark,) = problems.mark_numeric([(variant, raw, 2)])
    assert [(step["verdict"], step["mistake"]) for step in mark.steps] == [
        ("mistake", "unscaled"), ("follows", ""),
    ]  # fmt: skip
    event = Event.objects.filter(verb=services.PUBLISHED).get()
    assert event.after == {"version": 1}


def test_facts_come_from_the_proof_and_never_from_a_request(draft, ines, monkeypatch):
    prove(draft, ines, publishes=True)
    for name in ("variety._variety", "structure._makes", "formulas.family.try_mistakes"):
        monkeypatch.setattr(f"attention_core.{name}", None)
    kind = problems.kind_of(draft.key, {})
    assert problems.cost_of_kind(kind).cells == 6
    assert problems.exam_capacity(kind) > 1000
    assert problems.smallest_sizes(draft.key)["tokens"] == 2
    variant = problems.draw_variant(kind, "a seed", for_exams=True)
    assert problems.variant_wording(variant)["steps"][0]["made_of"]


def test_a_published_version_never_changes_and_the_next_one_is_a_draft(draft, ines):
    prove(draft, ines, publishes=True)
    later = save(WRONG, ines, draft)
    draft.refresh_from_db()
    assert (draft.text, draft.newest) == (SCORES, False)
    assert (later.key, later.version, later.is_draft) == (draft.key, 2, True)
    assert problems.known_family(draft.key).version == 1
    delete_draft(problem=later)
    draft.refresh_from_db()
    assert draft.newest


def test_a_version_with_other_givens_or_steps_is_another_problem(ines):
    first = publish_row(owner=ines)
    later = save(SCORES.replace("q:", "r:").replace("@ q", "@ r"), ines, first)
    with pytest.raises(CannotPublish, match="q, K"):
        queue_proof(problem=later, by=ines, publishes=True)


def test_a_text_saved_while_its_proof_runs_is_not_published(draft, ines):
    proof = queue_proof(problem=draft, by=ines, publishes=True)
    run_waiting_proofs(seconds=0)
    save(SCORES + "# later\n", ines, draft)
    while run_waiting_proofs():
        pass
    proof.refresh_from_db()
    draft.refresh_from_db()
    assert proof.state == ProblemProof.State.FAILED
    assert "has changed" in proof.trouble
    assert draft.is_draft


def test_a_proof_that_fails_says_where_and_why(ines):
    text = SCORES.replace("<= 1", "<= 1\nkeep max(abs(q)) <= 0")
    proof = prove(save(text, ines), ines, publishes=True)
    assert proof.state == ProblemProof.State.FAILED
    assert "draws at tokens = 3, width = 4, no variant was fit to ask." in proof.trouble
    assert "bounds" in proof.trouble or "keep" in proof.trouble


def test_a_proof_of_a_text_without_sizes_names_none(ines):
    text = "title: Sums\nsummary: A sum.\nx: tenths(3)\nkeep max(x) > 5\ns = sum(x)\n"
    proof = prove(save(text, ines), ines, publishes=True)
    assert re.search(r"In \d+ draws, no variant was fit to ask\.\n", proof.trouble)


def test_a_worker_that_dies_costs_one_chunk(draft, ines, monkeypatch):
    proof = queue_proof(problem=draft, by=ines)
    run_waiting_proofs(seconds=0)
    with monkeypatch.context() as patched:
        patched.setattr(proofs, "_next_part", lambda proof: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run_waiting_proofs(seconds=0)
    assert not run_waiting_proofs()  # its claim still holds
    proof.refresh_from_db()
    assert len(proof.parts) == 1
    ProblemProof.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    while run_waiting_proofs():
        pass
    proof.refresh_from_db()
    assert proof.state == ProblemProof.State.DONE


def test_a_text_that_kills_every_worker_is_given_up(draft, ines, monkeypatch):
    proof = queue_proof(problem=draft, by=ines)
    monkeypatch.setattr(proofs, "_next_part", lambda proof: 1 / 0)
    for _ in range(proofs.MAX_TRIES):
        with pytest.raises(ZeroDivisionError):
            run_waiting_proofs(seconds=0)
        ProblemProof.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    run_waiting_proofs()
    proof.refresh_from_db()
    assert proof.state == ProblemProof.State.FAILED
    assert "more than once" in proof.trouble


def test_marking_comes_before_proving(draft, ines, monkeypatch):
    queue_proof(problem=draft, by=ines)
    monkeypatch.setattr(proofs, "_students_wait", lambda: True)
    assert run_waiting_proofs(seconds=60)
    assert len(ProblemProof.objects.get().parts) == 1


def test_a_withdrawn_version_is_asked_no_more_and_still_marked(ines):
    row = publish_row(owner=ines)
    variant = problems.draw_variant(problems.kind_of(row.key, {}), "seed", for_exams=True)
    withdraw_version(problem=row, by=ines)
    services.forget_newest()
    assert not problems.is_family(row.key)
    (mark,) = problems.mark_numeric([(variant, {}, 1)])
    assert mark.verdict == "blank"


def test_owners_of_quizzes_that_ask_a_corrected_version_are_notified(ines, quiz):
    first = publish_row(WRONG, owner=ines)
    QuizShare.objects.create(quiz=quiz, user=ines, access="own")
    Slot.objects.filter(quiz=quiz, position=1).update(family=first.key, family_version=1, topic="")
    later = save(SCORES, ines, first, corrects=True)
    prove(later, ines, publishes=True)
    (message,) = Message.objects.filter(kind=services.LETTER)
    assert message.to == ines
    assert message.payload["quiz"] == quiz.title
    assert message.payload["version"] == 2


def test_administrators_are_notified_for_quizzes_without_an_owner(ines, quiz, root):
    first = publish_row(WRONG, owner=ines)
    Slot.objects.filter(quiz=quiz, position=1).update(family=first.key, family_version=1, topic="")
    prove(save(SCORES, ines, first, corrects=True), ines, publishes=True)
    (message,) = Message.objects.filter(kind=services.LETTER)
    assert (message.to, message.payload["quiz"]) == (root, quiz.title)


def test_the_database_keeps_versions_apart(ines):
    row = publish_row(owner=ines)
    for columns in (
        {"key": row.key, "version": 1, "newest": False},
        {"key": row.key, "version": 2, "newest": True},
        {"key": "cosine"},
        {"key": "own_unproved", "published_at": timezone.now()},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            WrittenProblem.every.create(text="", title="", **columns)
