"""Reports by a class's students: who sees them, who answers, and who does not."""

import pytest
from django.contrib.auth import get_user_model

from audit.models import Event
from classes.access.queries import access_of, visible_reports
from outbox.models import Message
from quizzes.delivery.services.taking import start_attempt
from quizzes.items.skills import Skill
from quizzes.models import Attempt, Item, Report
from quizzes.models.reports import report_subject
from quizzes.practice.services import practise_skill
from quizzes.reports.services import report_item
from tests.fixtures import WHOLE
from tests.quizzes.reading import Page
from tests.world import found_in, missing_in, refresh, rules, start_assigned_quiz, submit_and_mark

pytestmark = pytest.mark.django_db
RULES = rules(attempts_allowed=None)
ASKS = WHOLE
CONCEPT = 12


@pytest.fixture
def reports_url(course):
    return f"/teach/{course.pk}/reports/"


def reported(member, sentence, position=1):
    """Report an item of the class's quiz as one of its students."""
    item = start_assigned_quiz(member).items.select_related("attempt").get(position=position)
    return report_item(item=item, sentence=sentence)


@pytest.fixture
def ann(assignment, add_member):
    return add_member("Ann", section="A")


@pytest.fixture
def bob(assignment, add_member):
    return add_member("Bob", section="B")


def answered_in_class(client, reports_url, report, text="Thank you.", **more):
    sent = {"report": report.pk, "version": report.version, "answer": text, **more}
    return client.post(reports_url, sent)


def test_instructors_answer_what_their_students_report(ines_client, ines, course, reports_url, ann):
    report = reported(ann, "Two rows are the same.")
    page = Page(ines_client.get(reports_url))
    assert missing_in(page.text, "Two rows are the same.", "Ann", "Foundations, question 1") == []
    assert answered_in_class(ines_client, reports_url, report).url == reports_url
    assert (refresh(report).answer, report.answered_by) == ("Thank you.", ines)
    assert Message.objects.get().to == ann.user
    event = Event.objects.order_by("-pk")[0]
    assert (event.verb, event.person) == ("quizzes.report.answered", ann.user)
    assert event.scope == course.scope
    history = Page(ines_client.get(f"/teach/{course.pk}/history/")).text
    assert missing_in(history, "answered a report by Ann", "answer: Thank you.") == []


def test_a_report_leads_to_the_answer_and_its_solution_once_it_is_marked(
    ines_client, reports_url, course, ann
):
    attempt = start_assigned_quiz(ann)
    report_item(item=attempt.items.select_related("attempt").get(position=2), sentence="Wrong.")
    place = f"/teach/{course.pk}/attempts/{attempt.pk}/"
    assert place not in ines_client.get(reports_url).text
    submit_and_mark(attempt)
    assert f'href="{place}#item-2"' in ines_client.get(reports_url).text
    assert 'id="item-2"' in ines_client.get(place).text


def test_an_assistant_with_a_section_sees_and_answers_its_students_alone(
    log_in, add_member, reports_url, ann, bob
):
    own, other = reported(ann, "Of Ann.", CONCEPT), reported(bob, "Of Bob.", CONCEPT)
    assistant = log_in(add_member("Abe", role="assistant", section="A").user)
    page = Page(assistant.get(f"{reports_url}?state=all")).text
    assert "Of Ann." in page
    assert found_in(page, "Of Bob.", "Bob") == []
    assert answered_in_class(assistant, reports_url, other).status_code == 404
    Report.objects.update(about=own.about)
    assert answered_in_class(assistant, reports_url, own, to="question").status_code == 302
    assert refresh(other).is_open


def test_observers_read_and_answer_nothing(log_in, add_member, reports_url, ann):
    reported(ann, "Wrong.")
    observer = log_in(add_member("Olga", role="observer").user)
    page = Page(observer.get(reports_url))
    assert "Wrong." in page.text
    assert not page.all("textarea")


def test_another_class_is_not_there(log_in, other_course, add_member, reports_url, ann):
    report = reported(ann, "Wrong.")
    otto = log_in(other_course.memberships.get().user)
    assert otto.get(reports_url).status_code == 404
    assert answered_in_class(otto, reports_url, report).status_code == 404
    assert answered_in_class(otto, f"/teach/{other_course.pk}/reports/", report).status_code == 404
    assert refresh(report).is_open


def test_what_is_learnt_alone_is_no_business_of_the_class(
    ines_client, course, reports_url, quiz, ann
):
    alone = start_attempt(student=ann.user, quiz=quiz)
    practice = practise_skill(student=ann.user, skill=Skill("family", "cosine"))
    for attempt in (alone, practice):
        report_item(item=attempt.items.select_related("attempt")[0], sentence="Alone.")
    assert "No reports waiting" in Page(ines_client.get(reports_url)).text


def test_the_desk_of_the_site_has_no_reports_of_classes(ines_client, ann):
    reported(ann, "Of a class.")
    assert "No reports waiting" in Page(ines_client.get("/reports/")).text


def test_reports_of_who_has_left_stay_with_the_class(ines_client, reports_url, ann):
    reported(ann, "Wrong.")
    ann.state = "removed"
    ann.save()
    assert "Wrong." in Page(ines_client.get(reports_url)).text


def test_administrators_and_assistants_of_all_sections_see_all(course, add_member, ann, bob):
    for member in (ann, bob):
        reported(member, "Wrong.")
    admin = get_user_model().objects.create_superuser("admin@example.org")
    for user in (admin, add_member("Abe", role="assistant").user):
        assert visible_reports(access_of(user, course.pk)).count() == 2


def test_five_hundred_reports_cost_a_page_what_few_cost(
    ines_client, reports_url, add_member, ann, django_assert_max_num_queries
):
    first = reported(ann, "First.").item.attempt
    people = [add_member(f"P{number}").user for number in range(34)]
    attempts = Attempt.objects.bulk_create(
        Attempt(student=user, quiz=first.quiz, sitting=first.sitting) for user in people
    )
    names = ("position", "place", "variant_id", "question_id", "wording_id", "order")
    items = Item.objects.bulk_create(
        Item(attempt=attempt, **{name: getattr(item, name) for name in names})
        for attempt in attempts
        for item in first.items.all()
    )
    Report.objects.bulk_create(
        Report(
            item=item, student=item.attempt.student, about=report_subject(item), sentence="Wrong."
        )
        for item in items
    )
    with django_assert_max_num_queries(20):
        page = Page(ines_client.get(reports_url))
    assert "511 reports" in page.text
    assert len(page.all("input", name="report")) == 25
    report = Report.objects.get(item=items[0])
    with django_assert_max_num_queries(60):
        answered_in_class(ines_client, reports_url, report, to="question")
    assert Report.objects.filter(about=report.about, answered_at=None).count() == 0


def test_administrators_alone_are_led_to_the_reports_of_those_who_learn_alone(
    ines_client, log_in, add_member, assignment, ann
):
    alone = start_attempt(student=ann.user, quiz=assignment.sitting.quiz)
    report_item(item=alone.items.select_related("attempt")[0], sentence="")
    administrator = log_in(get_user_model().objects.create_superuser("admin@example.org"))
    page = Page(administrator.get("/teach/"))
    assert page.all("a", href="/reports/")
    assert "1 waiting for an answer" in page.text
    assert not Page(ines_client.get("/teach/")).all("a", href="/reports/")
    assistant = log_in(add_member("Abe", role="assistant").user)
    assert not Page(assistant.get("/teach/")).all("a", href="/reports/")
