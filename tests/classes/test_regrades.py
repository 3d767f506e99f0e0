"""Regrading in a class: who may, which attempts, and what pages and students see."""

import re

import pytest
from django.contrib.auth import get_user_model

from audit.models import Event
from classes.models import Membership
from outbox.models import Message
from quizzes.delivery.services.taking import start_attempt
from quizzes.models import Answer, Attempt, ConceptQuestion, Grade, Ruling, Sitting
from quizzes.regrades.services import draft_regrade
from quizzes.reports.services import report_item
from tests.each import each as for_each
from tests.quizzes.reading import Page
from tests.quizzes.regrades.regrade_over import apply_all
from tests.world import (
    answer_everything,
    copy_attempt_to_students,
    found_in,
    make_user,
    missing_in,
    refresh,
    right_fields,
    rules,
    start_assigned_quiz,
    submit_and_mark,
    visible_text,
)

pytestmark = pytest.mark.django_db
RULES = rules(attempts_allowed=None)
CONCEPT = 5


@pytest.fixture
def assignment(quiz, assignment):
    ConceptQuestion.objects.filter(key="why-softmax-2").update(published=False)
    return assignment


@pytest.fixture
def base(course):
    return f"/teach/{course.pk}/rulings/"


def marked_choosing(member, chosen="b"):
    def fields(item):
        return {"answer-choice": chosen} if item.position == CONCEPT else right_fields(item)

    attempt = start_assigned_quiz(member)
    answer_everything(attempt, fields)
    return submit_and_mark(attempt)


@pytest.fixture
def ann(assignment, add_member):
    return marked_choosing(add_member("Ann", section="A"))


@pytest.fixture
def sent(assignment, ann):
    question = ann.items.get(position=CONCEPT).question_id
    key = {"kind": "key", "mode": "also", "accept": ["b"], "policy": "never"}
    of = {"sitting": assignment.sitting_id, "of": f"question-{question}"}
    return of | key | {"reason": "Both are <i>right</i>."}


def drafted(client, base, sent):
    answer = client.post(f"{base}new/", sent)
    assert answer.status_code == 302, Page(answer).text[:3000]
    return Ruling.objects.latest("pk")


def apply(client, url, **more):
    """Apply the dry run as its page shows it."""
    page = client.get(url.removesuffix("apply/"))
    shown = re.search('name="digest" value="([0-9a-f]+)"', page.text)
    return client.post(url, {"digest": shown[1]} if shown else {}, **more)


def applied(client, base, sent):
    draft = drafted(client, base, sent)
    assert apply(client, f"{base}{draft.pk}/apply/").url == f"{base}{draft.pk}/"
    apply_all()
    return refresh(draft)


def test_a_regrade_starts_from_a_report_with_a_dry_run(
    ines_client, ines, course, base, sent, ann, log_in
):
    item = ann.items.get(position=CONCEPT)
    item.attempt = ann
    report_item(item=item, sentence="Two are right.")
    direct = f"{base}new/?sitting={sent['sitting']}&amp;of={sent['of']}&amp;kind=key"
    link = f"{base}new/?item={item.pk}"
    assert missing_in(ines_client.get(f"/teach/{course.pk}/reports/").text, direct, link) == []
    assert f"of={sent['of']}" in ines_client.get(link).text
    assert "Right choices" in Page(ines_client.get(direct.replace("&amp;", "&"))).text
    draft = drafted(ines_client, base, sent)
    page = Page(ines_client.get(f"{base}{draft.pk}/")).text
    assert missing_in(page, "Ann", "No mark has changed yet.") == []
    assert "1 attempt goes from 83.33% to 100%" in page
    assert Attempt.objects.get(pk=ann.pk).score == 5
    apply(ines_client, f"{base}{draft.pk}/apply/")
    apply_all()
    assert Attempt.objects.get(pk=ann.pk).score == 6
    event = Event.objects.get(verb="quizzes.ruling.applied")
    assert (event.actor, event.scope, event.reason) == (ines, course.scope, sent["reason"])
    history = Page(ines_client.get(f"/teach/{course.pk}/history/")).text
    assert missing_in(history, "changed marks by a regrade", "marks higher: 1") == []


def test_the_student_reads_both_marks_the_reason_and_the_corrected_key(
    ines_client, base, sent, ann, log_in
):
    applied(ines_client, base, sent)
    page = log_in(ann.student).get(f"/attempts/{ann.pk}/results/")
    text = Page(page).text
    assert missing_in(text, "Points: 0 of 1 at first, now 1 of 1.", "Both are <i>right</i>.") == []
    assert "your choice, right since the answer key was corrected" in text
    assert found_in(text, "Feedback to b", "Change marks for") == []
    assert "<i>right" not in page.text


def test_where_every_choice_is_accepted_nobodys_is_shown_as_wrong(
    ines_client, base, sent, ann, log_in
):
    everybody = {name: value for name, value in sent.items() if name != "accept"}
    applied(ines_client, base, everybody | {"mode": "everybody"})
    text = Page(log_in(ann.student).get(f"/attempts/{ann.pk}/results/")).text
    assert "your choice, accepted since the answer key was corrected" in text
    assert "Feedback to b" not in text


def test_who_keeps_a_mark_reads_that_the_key_was_corrected(
    ines_client, base, sent, assignment, add_member, log_in, ann
):
    bob = marked_choosing(add_member("Bob"), "a")
    made = applied(ines_client, base, sent | {"mode": "instead"})
    assert made.lines.get(attempt=bob).outcome == "kept"
    text = Page(log_in(bob.student).get(f"/attempts/{bob.pk}/results/")).text
    assert "The answer key was corrected. Your mark hasn’t changed." in text
    assert "your choice, right until the answer key was corrected" in text
    assert Attempt.objects.get(pk=bob.pk).score == 6


def test_the_instructor_sees_both_marks_too(ines_client, course, base, sent, ann):
    applied(ines_client, base, sent)
    text = Page(ines_client.get(f"/teach/{course.pk}/attempts/{ann.pk}/")).text
    assert "Points: 0 of 1 at first, now 1 of 1." in text
    assert "Change marks for this question" in text


def test_nobody_reads_of_marks_before_their_release(
    ines_client, base, sent, assignment, ann, log_in
):
    assignment.sitting.release = "by_hand"
    assignment.sitting.save()
    applied(ines_client, base, sent | {"tells": "on"})
    assert "Both are" not in Page(log_in(ann.student).get(f"/attempts/{ann.pk}/results/")).text
    assert not Message.objects.filter(kind="quizzes.marks_ruled").exists()


def test_each_student_gets_one_letter_with_the_reason(ines_client, base, sent, ann):
    applied(ines_client, base, sent | {"tells": "on"})
    message = Message.objects.get(kind="quizzes.marks_ruled")
    assert (message.to, message.payload["reason"]) == (ann.student, sent["reason"])


def test_what_if_follows_the_values_and_writes_nothing(ines_client, base, sent, ann):
    asked = {**sent, "accept": ["c"], "reason": ""}
    assert "No mark would change." in Page(ines_client.get(f"{base}new/", asked)).text
    assert "Ann" in Page(ines_client.get(f"{base}new/", asked | {"accept": ["b"]})).text
    assert not Ruling.objects.exists()
    assert not Grade.objects.filter(revision=2).exists()


def test_of_two_instructors_who_undo_at_once_the_second_gets_an_error(
    ines_client, base, sent, ann, course, log_in
):
    made, eve = applied(ines_client, base, sent), make_user("Eve")
    Membership.objects.create(course=course, user=eve, role="instructor")
    both, drafts = (ines_client, log_in(eve)), []
    for each in both:
        each.post(f"{base}{made.pk}/undo/", {"reason": "It was wrong after all."})
        drafts.append(f"{base}{Ruling.objects.latest('pk').pk}/apply/")
    apply(ines_client, drafts[0])
    assert "Wait until it has finished." in Page(apply(both[1], drafts[1], follow=True)).text
    apply_all()
    again = f"{base}{made.pk}/undo/"
    for answer in (apply(both[1], drafts[1], follow=True), both[1].get(again, follow=True)):
        assert "Someone has already undone this regrade." in Page(answer).text
    assert Ruling.objects.filter(undoes=made, state=Ruling.State.APPLIED).count() == 1
    assert Event.objects.filter(verb="quizzes.ruling.undone").count() == 1


def test_undoing_asks_why_and_begins_as_a_dry_run(ines_client, base, sent, ann):
    made = applied(ines_client, base, sent)
    assert (
        "Enter a reason" in Page(ines_client.post(f"{base}{made.pk}/undo/", {"reason": " "})).text
    )
    ines_client.post(f"{base}{made.pk}/undo/", {"reason": "It was wrong after all."})
    undo = Ruling.objects.latest("pk")
    assert undo.undoes == made
    assert Attempt.objects.get(pk=ann.pk).score == 6
    apply(ines_client, f"{base}{undo.pk}/apply/")
    apply_all()
    assert Attempt.objects.get(pk=ann.pk).score == 5
    assert Event.objects.filter(verb="quizzes.ruling.undone").exists()
    assert "It’s been undone" in Page(ines_client.get(f"{base}{made.pk}/")).text


@pytest.mark.parametrize(
    "change", [{"accept": ["a", "b"]}, {"policy": "all"}, {"reason": "Another reason."}]
)
def test_a_draft_that_a_colleague_changed_is_not_applied_unseen(
    ines_client, base, sent, ann, course, log_in, change
):
    draft = drafted(ines_client, base, sent)
    url = f"{base}{draft.pk}/apply/"
    page = ines_client.get(f"{base}{draft.pk}/").text
    shown = re.search('name="digest" value="([0-9a-f]+)"', page)[1]
    eve = make_user("Eve")
    Membership.objects.create(course=course, user=eve, role="instructor")
    changed = log_in(eve).post(f"{base}new/", {**sent, **change, "draft": draft.pk})
    assert changed.status_code == 302
    answer = ines_client.post(url, {"digest": shown}, follow=True)
    assert "This dry run has changed since you saw it" in Page(answer).text
    assert refresh(draft).is_draft
    apply(ines_client, url)
    assert not refresh(draft).is_draft


def test_a_stale_dry_run_names_whose_mark_has_changed(ines_client, base, sent, ann):
    draft = drafted(ines_client, base, sent)
    item = ann.items.get(position=CONCEPT)
    by_hand = {"kind": "adjust", "of": f"item-{item.pk}", "points": "0.5", "reason": "Half."}
    applied(ines_client, base, {"sitting": sent["sitting"], **by_hand})
    assert (
        "Marks have changed since this dry run" in Page(ines_client.get(f"{base}{draft.pk}/")).text
    )
    assert "Run it again" in Page(apply(ines_client, f"{base}{draft.pk}/apply/", follow=True)).text
    assert Attempt.objects.get(pk=ann.pk).score == 5.5
    ines_client.post(f"{base}{draft.pk}/", {"renew": ""})
    assert "adjusted manually" in Page(ines_client.get(f"{base}{draft.pk}/")).text


def test_a_stale_dry_run_over_every_sitting_names_a_class_s_own_alone(
    ines_client, base, quiz, ann
):  # fmt: skip
    alone = get_user_model().objects.create_user("alone@example.org", name="Learns Alone")
    submit_and_mark(start_attempt(student=alone, quiz=quiz))
    draft = draft_regrade(
        regrade=Ruling(quiz=quiz, kind="void", reason="Wrong.", never_lower=False)
    )
    for answer in Answer.objects.filter(item__position=1):
        grade = answer.grades.get()
        grade.pk, grade.revision = None, 2
        grade.save()
    text = Page(ines_client.get(f"{base}{draft.pk}/")).text
    assert missing_in(text, "Marks have changed since this dry run", "Ann") == []
    assert "Learns Alone" not in text


def test_a_draft_is_changed_and_discarded(ines_client, base, sent, ann):
    draft = drafted(ines_client, base, sent)
    changed = drafted(ines_client, base, sent | {"draft": draft.pk, "accept": ["b", "c"]})
    assert (changed, changed.values["accept"]) == (draft, ["b", "c"])
    assert ines_client.post(f"{base}{draft.pk}/", {"discard": ""}).url == base
    assert not Ruling.objects.exists()


@for_each(
    "more",
    [{"accept": ["zzz"]}, {"accept": []}, {"mode": "x"}, {"policy": "x"}, {"draft": "9" * 18}]
    + [{"of": of} for of in ("question-999999999999999999", "slot-1' OR 1", "item-0")]
    + [{"reason": reason} for reason in ("", "x" * 2000, "\0")]
    + [{"sitting": sitting} for sitting in ("9" * 30, "x")]
    + [{"kind": "points"}, {"kind": "x"}, {"kind": "void", "accept": "\0"}, {"every": "1"}],
)
def test_bad_input_is_refused_and_never_an_error(ines_client, base, sent, ann, more):
    for ask in (ines_client.post, ines_client.get):
        assert ask(f"{base}new/", sent | more).status_code < 500
    if "draft" not in more:
        assert not Ruling.objects.exclude(kind="void").exists()


def test_an_observer_looks_on_and_a_section_s_assistant_does_not(
    log_in, add_member, ines_client, base, sent, ann
):
    draft = drafted(ines_client, base, sent)
    observer = log_in(add_member("Oda", role="observer").user)
    assert "Apply" not in Page(observer.get(f"{base}{draft.pk}/")).text
    abe = log_in(add_member("Abe", role="assistant", section="A").user)
    assert abe.get(base).status_code == 403


def test_another_class_s_regrades_are_nobody_s_business(
    ines_client, base, sent, ann, other_course, log_in
):
    draft = drafted(ines_client, base, sent)
    otto = log_in(get_user_model().objects.get(name="Otto"))
    elsewhere = f"/teach/{other_course.pk}/rulings/"
    assert otto.get(f"{elsewhere}{draft.pk}/").status_code == 404
    assert otto.post(f"{elsewhere}{draft.pk}/apply/").status_code == 404
    assert otto.post(f"{elsewhere}new/", sent).status_code == 404
    item = ann.items.get(position=CONCEPT)
    assert otto.get(f"{elsewhere}new/?item={item.pk}").status_code == 404
    # The site's own desk does not show a class's regrades to its instructors either.
    assert log_in(draft.by).get(f"/rulings/{draft.pk}/").status_code == 404


def test_an_administrator_s_regrade_over_all_sittings_is_seen_and_not_changed_in_a_class(
    ines_client, base, assignment, ann, quiz
):  # fmt: skip
    everywhere = draft_regrade(regrade=Ruling(quiz=quiz, kind="void", reason="All of it."))
    assert "All of it." in Page(ines_client.get(base)).text
    assert ines_client.post(f"{base}{everywhere.pk}/apply/").status_code == 403


# Choosing


def parts_found(client, address, **asked):
    """Return the scopes that the page offers, in its order."""
    return re.findall(
        r'<a href="[^"]+&amp;of=([a-z]+-?[a-z0-9_]*)"', client.get(address, asked).text
    )


@for_each(
    "search, found",
    [
        ("about why-softmax", ["question"]),
        ("WHY-SOFTMAX", ["slot", "question"]),
        ("question 4", ["slot"]),
        ("score matrix", ["slot", "family"]),
        ("score_matrix", ["slot", "family"]),
        ("nothing of this name", []),
    ],
)
def test_a_quiz_is_searched_by_text_number_and_family(ines_client, base, sent, ann, search, found):
    asked = {"sitting": sent["sitting"], "search": search}
    offered = parts_found(ines_client, f"{base}new/", **asked)
    assert sorted(of.split("-")[0] for of in offered) == sorted(found), offered


def test_without_a_search_reported_questions_come_first_and_the_rest_on_pages(
    ines_client, base, sent, ann, monkeypatch
):
    monkeypatch.setattr("quizzes.regrades.views.MAX_PARTS", 5)
    item = ann.items.get(position=CONCEPT)
    item.attempt = ann
    report_item(item=item, sentence="Two are right.")
    first = parts_found(ines_client, f"{base}new/", sitting=sent["sitting"])
    assert first[:3] == [f"slot-{item.slot_id}", sent["of"], first[2]]
    assert len(first) == 5
    assert "1 open report" in Page(ines_client.get(f"{base}new/?sitting={sent['sitting']}")).text
    last = parts_found(ines_client, f"{base}new/", sitting=sent["sitting"], page="99")
    assert last[-1] == "all"


def test_what_stands_out_comes_first_with_its_figure_then_by_slot(
    ines_client, base, course, sent, ann
):
    copy_attempt_to_students(course, ann, 12)
    page = ines_client.get(f"{base}new/", {"sitting": sent["sitting"]}).text
    hits = [visible_text(each) for each in page.partition('scopes">')[2].split("<li>")[1:]]
    assert missing_in(hits[0], f"Question {CONCEPT}", "Facility 0%") == []
    assert missing_in(hits[1], "Question 1 about why-softmax", "Facility 0%") == []
    assert missing_in(hits[1], f"question {CONCEPT}, concept question") == []
    numbers = [
        int(found[1]) for each in hits[2:] if (found := re.match(r"Question (\d) (?!about)", each))
    ]
    assert numbers == sorted(numbers)
    assert found_in(" ".join(hits[2:]), "Facility") == []
    assert "Every question" in hits[-1]


def test_two_slots_of_one_family_differ_by_number_and_sizes(ines_client, base, course, sent, ann):
    quiz = Sitting.objects.get(pk=sent["sitting"]).quiz
    quiz.slots.filter(position=2).update(family="softmax_row", topic="", options={"tokens": 2})
    quiz.slots.filter(position=3).update(family="softmax_row", topic="", options={})
    page = Page(ines_client.get(f"{base}new/", {"sitting": sent["sitting"], "search": "softmax"}))
    wanted = "Question 2 Softmax of a row, tokens 2", "everywhere in the quiz: questions 2, 3"
    assert missing_in(page.text, *wanted) == []


def test_one_search_finds_questions_in_every_quiz_of_the_class_and_of_no_other(
    ines_client, base, sent, ann, other_course, log_in
):
    page = ines_client.get(f"{base}new/", {"search": "about why-softmax"}).text
    address = f"{base}new/?sitting={sent['sitting']}&amp;of={sent['of']}"
    assert address in page
    otto = log_in(get_user_model().objects.get(name="Otto"))
    elsewhere = f"/teach/{other_course.pk}/rulings/new/"
    assert parts_found(otto, elsewhere, search="about why-softmax") == []


def test_a_single_quiz_need_not_be_chosen(ines_client, base, sent, ann):
    assert sent["of"] in parts_found(ines_client, f"{base}new/")


def test_a_link_can_name_the_answer_to_accept(ines_client, base, sent, ann):
    asked = {name: sent[name] for name in ("sitting", "of", "kind", "accept")}
    page = ines_client.get(f"{base}new/", asked)
    assert missing_in(Page(page).text, "Ann", "0 of 1", "1 of 1") == []
    assert "Enter a reason" not in page.text
    assert re.search(r'value="b"[^>]* checked', page.text)


# Counts


def test_the_counts_say_of_how_many(ines_client, base, sent, ann, add_member):
    marked_choosing(add_member("Bob"), "a")
    marked_choosing(Membership.objects.get(user=ann.student), "a")
    counts = ("1 of 2: students whose marks change", "1 of 3: attempts whose points change")
    counts += ("1 of 3: answers with a higher mark", "0 of 3: answers with a lower mark")
    counts += (
        "all graded attempts, not only those whose score counts",
        "Of the 2 attempts that count",
    )
    previewed = Page(ines_client.get(f"{base}new/", sent)).text
    assert missing_in(previewed, *counts) == []
    draft = drafted(ines_client, base, sent)
    page = Page(ines_client.get(f"{base}{draft.pk}/")).text
    assert missing_in(page, *counts, "1 of the 3 answers that this applies to") == []


def test_lists_are_sorted_filtered_and_paged(ines_client, base, sent, ann):
    made = applied(ines_client, base, sent)
    assert "Both are" in Page(ines_client.get(f"{base}?state=applied&kind=key&order=most")).text
    assert "No matches" in Page(ines_client.get(f"{base}?state=draft")).text
    assert "Ann" in Page(ines_client.get(f"{base}{made.pk}/?outcome=higher&order=gain&page=x")).text
    assert "No matches" in Page(ines_client.get(f"{base}{made.pk}/?outcome=lost")).text
    assert "Both are" in Page(ines_client.get(f"{base}?state=x&kind=x&order=x")).text
    assert "Ann" in Page(ines_client.get(f"{base}{made.pk}/?outcome=x&order=x")).text


def test_a_preview_without_a_script_posts_and_keeps_nothing(ines_client, ann, base):
    scope = {"sitting": ann.sitting_id, "of": "all"}
    page = ines_client.get(f"{base}new/", scope | {"kind": "void"})
    assert "formmethod" not in page.text  # what is typed, and the form's token, stay in the body
    asked = scope | {"kind": "void", "policy": "drop", "preview": ""}
    assert ines_client.post(f"{base}new/", asked).status_code == 200
    assert not Ruling.objects.exists()
