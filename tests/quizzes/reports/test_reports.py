"""Reports of questions: made where the question is asked, answered once, shown to one student."""

import re
from threading import Barrier

import pytest
from django.contrib.auth import get_user_model
from django.utils import timezone

from accounts.personal import export_personal_data, forget
from audit.models import Event
from outbox.letters import LetterSender
from outbox.models import Message
from quizzes.delivery.services.taking import start_attempt, submit_attempt
from quizzes.errors import Refused, ReportChanged
from quizzes.items.services.questions import write_question
from quizzes.items.skills import Skill
from quizzes.models import ConceptQuestion, Report, Sitting
from quizzes.practice.services import practise_skill, replace_variant
from quizzes.reports import services
from quizzes.reports.queries import reports_of_site
from quizzes.reports.services import Recipients, Reply, answer_reports, report_item
from tests.conftest import FormClient
from tests.each import each
from tests.quizzes.reading import Page
from tests.world import Threads, found_in, missing_in, submit_and_mark

NUMERIC, CONCEPT = 2, 5
DESK = "/reports/"


@pytest.fixture
def ines(db):
    """An administrator, who answers at the site's desk."""
    return get_user_model().objects.create_superuser("ines@example.org", "secret", name="Ines")


@pytest.fixture
def desk(ines):
    client = FormClient()
    client.force_login(ines)
    return client


def reported_item(attempt, position=NUMERIC):
    return attempt.items.select_related("attempt").get(position=position)


def reported(attempt, position=NUMERIC, sentence="The figure is wrong."):
    return report_item(item=reported_item(attempt, position), sentence=sentence)


def answer_report(by, report, text="It is right.", **more):
    reply = Reply(report.pk, report.version, text, **more)
    return answer_reports(by=by, within=reports_of_site(by), reply=reply)


def answer_form(report, text="It is right.", **more):
    return {"report": report.pk, "version": report.version, "answer": text, **more}


# From a running quiz


def form_and_cell(client, url):
    """Return the page's form data, and the name of a cell of its second question."""
    form = Page(client.get(url)).values(form="attempt")
    return form, next(name for name in form if re.fullmatch(r"item-2-\w+-0-0", name))


def test_in_a_running_quiz_a_report_saves_what_is_typed_and_comes_back(
    student_client, attempt, url
):
    form, cell = form_and_cell(student_client, url)
    sent = form | {cell: "0.25", "item-2-report": " Two\r\n words\t", "report": "2"}
    assert student_client.post(url, sent).url == f"{url}#item-2"
    assert "0.25" in reported_item(attempt).draft.values()
    report = Report.objects.get()
    assert (report.item, report.sentence, report.student) == (
        reported_item(attempt),
        "Two words",
        attempt.student,
    )
    page = Page(student_client.get(url))
    assert "You reported this question" in page.text
    assert re.search(r'id="item-2-report"[^>]*>\nTwo words</textarea>', page.html)


def test_a_question_is_reported_without_a_word_and_again_with_another(student_client, attempt, url):
    for position in (1, CONCEPT):
        student_client.post(url, {"report": position})
    assert set(Report.objects.values_list("item__position", "sentence")) == {(1, ""), (CONCEPT, "")}
    for sentence in ("First.", "Second.", "Second."):
        student_client.post(url, {"report": "2", "item-2-report": sentence})
    report = Report.objects.get(item__position=2)
    assert (report.sentence, report.version) == ("Second.", 2)


def test_a_sentence_that_is_too_long_is_handed_back_with_the_reason(student_client, attempt, url):
    form, cell = form_and_cell(student_client, url)
    long = "w" * 10_000
    answered = student_client.post(url, form | {cell: "0.25", "item-2-report": long, "report": "2"})
    assert answered.status_code == 400
    assert "at most 500" in Page(answered).text
    assert f">\n{long}</textarea>" in answered.text
    assert "0.25" in reported_item(attempt).draft.values()
    assert not Report.objects.exists()


def test_what_was_typed_to_report_is_still_there_where_an_answer_was_changed_elsewhere(
    student_client, attempt, url
):
    form, cell = form_and_cell(student_client, url)
    student_client.post(url, form | {cell: "1"})
    answered = student_client.post(
        url, form | {cell: "2", "item-2-report": "x" * 501, "report": "2"}
    )
    assert answered.status_code == 409
    assert "x" * 501 in answered.text
    assert "changed on another page" in Page(answered).text


@each("pressed", ["99", "x", "", "-1", "2 on", "9" * 40])
def test_what_is_no_question_is_not_found(student_client, attempt, url, pressed):
    assert student_client.post(url, {"report": pressed}).status_code == 404


def test_it_is_reported_even_when_the_time_is_up(student_client, attempt, url):
    submit_attempt(attempt=attempt)
    assert student_client.post(url, {"report": "2"}).status_code == 302
    assert Report.objects.count() == 1


def test_the_script_reports_without_leaving_the_page(student_client, attempt, url):
    address = f"{url}items/2/report/"
    assert "has been sent" in student_client.post(address, {"sentence": "Wrong."}).json()["said"]
    assert Report.objects.get().sentence == "Wrong."
    refused = student_client.post(address, {"sentence": "w" * 501})
    assert (refused.status_code, "at most 500" in refused.json()["error"]) == (400, True)
    assert student_client.post(f"{url}items/99/report/").status_code == 404
    assert student_client.post(address, {"sentence": "\0"}).status_code == 400
    assert student_client.get(address).status_code == 405


def test_many_reports_in_a_short_time_are_held_back(student_client, attempt, url, settings):
    settings.ACCOUNT_RATE_LIMITS = {"report_question": "1/300s/user"}
    student_client.post(url, {"report": "1"})
    answered = student_client.post(url, {"report": "2", "item-2-report": "Kept."})
    assert answered.status_code == 429
    assert "Kept." in answered.text
    assert student_client.post(f"{url}items/2/report/").status_code == 429
    assert Report.objects.count() == 1


def test_reports_of_one_student_that_wait_are_bounded(attempt, monkeypatch):
    monkeypatch.setattr(services, "MAX_OPEN", 2)
    reported(attempt, 1)
    reported(attempt, 2)
    with pytest.raises(Refused, match="2 of your reports"):
        reported(attempt, 3)
    assert reported(attempt, 2, "Changed.").sentence == "Changed."


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_reports_at_once_are_one(attempt):
    together = Barrier(4)

    def report(number):
        together.wait()
        return reported(attempt, sentence=f"Sentence {number}").pk

    with Threads(4) as pool:
        assert len(set(pool.map(report, range(4)))) == 1
    assert Report.objects.count() == 1


# From practice and from the review


@pytest.mark.parametrize("skill", [Skill("family", "cosine"), Skill("topic", "keys")])
def test_in_practice_a_report_comes_back_to_its_item_though_another_took_its_place(
    student_client, student, questions, skill, ines
):
    practice = practise_skill(student=student, skill=skill)
    replace_variant(attempt=practice, position=1)
    address = f"/practice/{practice.pk}/1/"
    assert (
        student_client.post(address, {"report": "1", "item-1-report": "Wrong."}).url
        == f"{address}#item-1"
    )
    assert Report.objects.get().item.position == 1
    long = student_client.post(address, {"report": "1", "item-1-report": "w" * 501})
    assert (long.status_code, "w" * 501 in long.text) == (400, True)
    assert reports_of_site(ines).count() == 1


def test_a_question_is_reported_from_the_review(student_client, attempt, url):
    submit_and_mark(attempt)
    results = f"{url}results/"
    assert Page(student_client.get(results)).all("textarea", form="reporting", name="item-2-report")
    assert (
        student_client.post(results, {"report": "2", "item-2-report": "Wrong."}).url
        == f"{results}#item-2"
    )
    long = student_client.post(results, {"report": "3", "item-3-report": "w" * 501})
    assert (long.status_code, "w" * 501 in long.text) == (400, True)
    assert Report.objects.get().sentence == "Wrong."


def test_whoever_reads_the_review_of_a_student_reports_nothing_in_their_name(desk, attempt, url):
    submit_and_mark(attempt)
    assert not Page(desk.get(f"{url}review/")).all("textarea")


def test_a_question_that_is_withdrawn_meanwhile_can_be_reported(student_client, desk, attempt, url):
    ConceptQuestion.objects.update(published=False)
    student_client.post(url, {"report": CONCEPT})
    assert "withdrawn" in Page(desk.get(DESK)).text


def test_reports_of_an_earlier_version_stay_by_themselves(student_client, desk, attempt, url):
    student_client.post(url, {"report": CONCEPT})
    question = Report.objects.get().item.question
    choices = list(question.choices.all())
    write_question(question=ConceptQuestion.objects.get(pk=question.pk), choices=choices[::-1])
    assert missing_in(Page(desk.get(DESK)).text, "changed since", f"about {question.topic}") == []


# Answers


def test_the_answer_is_shown_to_its_student_alone(
    student_client, client, quiz, attempt, url, ines, other_student
):
    other = start_attempt(student=other_student, quiz=quiz)
    answer_report(ines, reported(attempt, CONCEPT), "Choose the third.")
    submit_and_mark(attempt)
    assert "Choose the third." in Page(student_client.get(f"{url}results/")).text
    client.force_login(other_student)
    for address in (f"/attempts/{other.pk}/", "/learning/"):
        page = Page(client.get(address)).text
        assert found_in(page, "Choose the third.", "You have a reply", "You reported") == []


def test_the_home_says_that_there_is_an_answer_until_it_was_read(
    student_client, attempt, url, ines
):
    report = reported(attempt)
    assert "You have a reply" not in Page(student_client.get("/learning/")).text
    answer_report(ines, report)
    submit_and_mark(attempt)
    home = Page(student_client.get("/learning/"))
    assert home.all("a", href=f"{url}results/#item-2")
    assert "Foundations, question 2" in home.text
    student_client.get(f"{url}results/")
    assert "You have a reply" not in Page(student_client.get("/learning/")).text
    report.refresh_from_db()
    answer_report(ines, report, "It is wrong after all.")
    assert "You have a reply" in Page(student_client.get("/learning/")).text


def test_an_answer_in_practice_stands_beside_the_item(student_client, student, questions, ines):
    practice = practise_skill(student=student, skill=Skill("family", "cosine"))
    answer_report(ines, reported(practice, 1), "Look at the sign.")
    home = Page(student_client.get("/learning/"))
    (link,) = (each["href"] for each in home.all("a") if "#item-1" in each["href"])
    assert "Look at the sign." in Page(student_client.get(link)).text


def test_before_release_the_answer_is_there_and_no_mark(student_client, attempt, url, ines):
    Sitting.objects.update(release=Sitting.Release.BY_HAND)
    answer_report(ines, reported(attempt, CONCEPT), "The wording stands.")
    submit_and_mark(attempt)
    page = Page(student_client.get(f"{url}results/"))
    assert "The wording stands." in page.text
    asked = reported_item(attempt, CONCEPT).shown
    secrets = [asked["explanation"], *(choice["feedback"] for choice in asked["choices"])]
    assert not [secret for secret in secrets if secret in page.text]
    assert "6 points" not in page.text


def test_what_was_answered_can_be_reported_again(student_client, attempt, url, ines):
    first = reported(attempt)
    answer_report(ines, first)
    assert reported(attempt, sentence="Not so.") != first
    submit_and_mark(attempt)
    page = Page(student_client.get(f"{url}results/")).text
    assert missing_in(page, "It is right.", "You reported this question") == []


def test_an_answer_is_sent_by_a_letter_that_leads_to_the_question(attempt, ines, settings):
    settings.SITE_URL = "https://learn.example.org"
    answer_report(ines, reported(attempt, sentence="1 < 2 & so on"), "Yes: 1 < 2.")
    message = Message.objects.get()
    letter = LetterSender().write(message)
    assert letter.subject == "Reply to your report on question 2 in Foundations"
    assert missing_in(letter.text, "1 < 2 & so on", "Yes: 1 < 2.") == []
    assert f"https://learn.example.org/attempts/{attempt.pk}/results/#item-2" in letter.text
    assert message.to == attempt.student


def test_a_letter_that_has_not_left_is_replaced_when_the_answer_changes(attempt, ines):
    report = reported(attempt)
    answer_report(ines, report, "One.")
    report.refresh_from_db()
    answer_report(ines, report, "Two.")
    waiting = Message.objects.filter(state="waiting")
    assert [each.payload["answer"] for each in waiting] == ["Two."]
    waiting.update(state="sent")
    report.refresh_from_db()
    answer_report(ines, report, "Three.")
    assert list(Message.objects.values_list("state", flat=True).order_by("pk")) == [
        *("dropped", "sent", "waiting")
    ]


def test_letters_lists_what_may_be_written(student_client):
    page = Page(student_client.get("/letters/"))
    assert page.all("select", name="quizzes.report_answered")
    assert "Replies to your reports on questions" in page.text


def test_each_answer_is_remembered_without_a_name(attempt, ines, student):
    report = reported(attempt)
    answer_report(ines, report, "One.")
    report.refresh_from_db()
    answer_report(ines, report, "Two.")
    last, first = Event.objects.order_by("-pk")
    one, two = {"answer": "One."}, {"answer": "Two."}
    assert (first.verb, first.before, first.after) == ("quizzes.report.answered", {}, one)
    assert (last.verb, last.before, last.after) == ("quizzes.report.answer_changed", one, two)
    assert (last.actor, last.person, last.target_id) == (ines, student, str(report.pk))
    assert student.name not in last.target_words


@pytest.fixture
def three_reports(quiz, attempt, other_student):
    """Reports of one concept question by two students, and one of another question."""
    other = start_attempt(student=other_student, quiz=quiz)
    question = reported_item(attempt, CONCEPT).question
    same = other.items.filter(question=question).first()
    if same is None:
        same = reported_item(other, CONCEPT)
        same.question, same.wording = question, reported_item(attempt, CONCEPT).wording
        same.save()
    return [
        reported(attempt, CONCEPT),
        reported(other, same.position, "Too."),
        reported(attempt, NUMERIC),
    ]


def test_one_answer_goes_to_all_open_reports_of_a_question(three_reports, ines):
    assert answer_report(ines, three_reports[0], to=Recipients.QUESTION) == 2
    assert list(Report.objects.order_by("pk").values_list("answer", flat=True)) == [
        *("It is right.", "It is right.", "")
    ]
    assert Message.objects.count() == Event.objects.count() == 2


def test_what_came_or_changed_after_the_page_was_shown_is_not_answered_along(three_reports, ines):
    shown_at = timezone.now()
    report_item(item=three_reports[1].item, sentence="Something else.")
    assert answer_report(ines, three_reports[0], to=Recipients.QUESTION, shown_at=shown_at) == 1
    three_reports[1].refresh_from_db()
    assert three_reports[1].is_open


def test_reports_of_the_same_numbers_are_answered_together(attempt, other_student, quiz, ines):
    other = start_attempt(student=other_student, quiz=quiz)
    theirs = reported_item(other)
    theirs.variant = reported_item(attempt).variant
    theirs.save()
    first, second = reported(attempt), reported(other)
    another = reported(other, 3)
    assert answer_report(ines, first, to=Recipients.VARIANT) == 2
    second.refresh_from_db()
    another.refresh_from_db()
    assert (second.is_open, another.is_open) == (False, True)


def test_an_answer_that_went_to_all_is_changed_for_all(three_reports, ines):
    answer_report(ines, three_reports[0], to=Recipients.QUESTION)
    answer_report(ines, three_reports[2])
    three_reports[1].refresh_from_db()
    assert answer_report(ines, three_reports[1], "Changed.", to=Recipients.SAME) == 2
    assert list(Report.objects.order_by("pk").values_list("answer", flat=True)) == [
        *("Changed.", "Changed.", "It is right.")
    ]


def test_the_second_to_answer_gets_a_conflict_and_changes_nothing(three_reports, ines):
    answer_report(ines, three_reports[0], "First.", to=Recipients.QUESTION)
    for report in three_reports[:2]:
        with pytest.raises(ReportChanged):
            answer_report(ines, report, "Second.", to=Recipients.QUESTION)
    assert not Report.objects.filter(answer="Second.").exists()
    assert Message.objects.count() == 2


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_of_answers_at_once_to_all_one_counts(three_reports, ines):
    together = Barrier(4)

    def reply(number):
        try:
            together.wait()
            return answer_report(
                ines, three_reports[number % 2], f"Answer {number}", to=Recipients.QUESTION
            )
        except ReportChanged:
            return 0

    with Threads(4) as pool:
        assert sorted(pool.map(reply, range(4))) == [0, 0, 0, 2]
    assert Message.objects.count() == 2


# The site's desk


def test_the_desk_gathers_by_question_and_takes_an_answer(desk, three_reports, ines):
    page = Page(desk.get(DESK))
    assert "2 waiting for an answer" in page.text
    assert "all 2 open reports on this question" in page.text
    sent = answer_form(three_reports[0], "Thanks: it is mended.", to="question")
    assert desk.post(DESK, sent).url == DESK
    page = Page(desk.get(DESK))
    assert "1 report" in page.text
    assert "mended" not in page.text
    page = Page(desk.get(f"{DESK}?state=answered"))
    assert page.text.count("Thanks: it is mended.") == 4  # and in the form that changes it
    assert "Answered by Ines" in page.text


def test_the_desk_shows_the_question_and_not_what_is_right(desk, attempt):
    reported(attempt, CONCEPT)
    reported(attempt, NUMERIC)
    page = Page(desk.get(DESK))
    asked = reported_item(attempt, CONCEPT).shown
    for choice in asked["choices"]:
        assert choice["text"] in page.text
        assert choice["feedback"] not in page.text
    assert asked["explanation"] not in page.text


@each("text", ["", "   \r\n", "w" * 2001])
def test_an_answer_that_cannot_be_is_handed_back(desk, attempt, text):
    answered = desk.post(DESK, answer_form(reported(attempt), text))
    assert answered.status_code == 200
    assert "There is a problem" in Page(answered).text
    assert text.strip() in answered.text
    assert Report.objects.get().is_open


def test_the_second_answer_shows_a_conflict_and_keeps_what_was_typed(desk, attempt, ines):
    report = reported(attempt)
    answer_report(ines, report, "Mine was first.")
    answered = desk.post(DESK, answer_form(report, "My own <words>."))
    assert answered.status_code == 409
    page = Page(answered)
    assert missing_in(page.text, "changed since you opened it", "Mine was first.") == []
    assert "My own &lt;words&gt;." in answered.text
    assert desk.post(DESK, page.values(form="in-hand") | {"answer": "Both."}).status_code == 302
    assert Report.objects.get().answer == "Both."


@each("sent", [{"report": "0"}, {"report": "x"}, {"report": "9" * 30}, {"report": "\0"}, {}])
def test_a_report_that_is_not_there_is_not_found(desk, attempt, sent):
    reported(attempt)
    assert desk.post(DESK, {"answer": "x", "version": "1"} | sent).status_code == 404


@each("sent", [{"version": "x"}, {"version": "9" * 30}, {"to": "everybody"}, {"answer": "a\0b"}])
def test_what_no_page_sends_answers_nothing(desk, attempt, sent):
    assert desk.post(DESK, answer_form(reported(attempt)) | sent).status_code == 200
    assert Report.objects.get().is_open


@each("moment", ["x", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_moment_that_cannot_be_is_no_trouble(desk, attempt, moment):
    sent = answer_form(reported(attempt), to="question", shown_at=moment)
    assert desk.post(DESK, sent).status_code in (200, 302)


@each("query", ["state=x", "quiz=none", "about=%00", "about=cosine", "page=99999999999999999999"])
def test_what_the_filter_does_not_know_narrows_nothing(desk, attempt, query):
    reported(attempt)
    assert "1 report" in Page(desk.get(f"{DESK}?{query}")).text


def test_the_filter_narrows(desk, three_reports, student, questions, ines):
    reported(practise_skill(student=student, skill=Skill("family", "softmax_row")), 1)
    answer_report(ines, three_reports[0])
    for query, count in (
        ("", 3),
        ("?state=answered", 1),
        ("?state=all", 4),
        ("?quiz=foundations", 2),
        (f"?about={three_reports[1].about}", 1),
        (f"?state=all&about={three_reports[1].about}", 2),
    ):
        assert len(Page(desk.get(DESK + query)).all("input", name="report")) == count, query


def test_who_has_no_permission_does_not_look(client, student, attempt, ines):
    report = reported(attempt)
    client.force_login(student)
    student.is_staff = True
    student.save()
    assert client.get(DESK).status_code == 403
    assert client.post(DESK, answer_form(report)).status_code == 403
    assert Report.objects.get().is_open


def test_reports_of_a_class_are_not_the_sites(desk, attempt):
    sitting = Sitting.objects.create(quiz=attempt.quiz, given_in="A", open_to_all=False)
    report = reported(attempt)
    attempt.sitting = sitting
    attempt.save()
    assert "No reports waiting" in Page(desk.get(DESK)).text
    assert desk.post(DESK, answer_form(report)).status_code == 404


def test_the_desk_asks_as_little_for_many_as_for_few(
    desk, quiz, student, other_student, django_assert_max_num_queries
):
    for somebody in (student, other_student):
        attempt = start_attempt(student=somebody, quiz=quiz)
        for position in range(1, 7):
            reported(attempt, position)
    with django_assert_max_num_queries(16):
        assert "12 reports" in Page(desk.get(DESK)).text


# Deleted accounts


def test_reports_go_with_their_student_and_answers_lose_a_name(desk, attempt, student, ines):
    answer_report(ines, reported(attempt))
    exported = export_personal_data(student)["reports"]
    assert [(each["sentence"], each["answer"]) for each in exported] == [
        ("The figure is wrong.", "It is right.")
    ]
    assert export_personal_data(ines)["reports_answered"][0]["answer"] == "It is right."
    get_user_model().objects.create_superuser("admin@example.org")
    forget(user=ines)
    assert Report.objects.get().answered_by.name == ""
    forget(user=student)
    assert not Report.objects.exists()
    assert not Message.objects.exists()


def test_an_answer_to_a_student_who_has_gone_finds_no_report(desk, attempt, student):
    report = reported(attempt)
    forget(user=student)
    assert desk.post(DESK, answer_form(report)).status_code == 404
