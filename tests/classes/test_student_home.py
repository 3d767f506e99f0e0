"""A student's home: the class's assignments, with dates by the clock of the class."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from django.utils import timezone

from classes.courses.services.courses import create_course
from classes.models import Assignment, Label, Membership
from quizzes.delivery.effective_settings import due_count, unfinished_quizzes
from quizzes.models import Quiz, Sitting
from tests.each import each
from tests.quizzes.reading import Page
from tests.world import (
    let_time_run_out,
    make_assignment,
    make_lesson,
    make_override,
    make_quiz,
    rules,
    start_assigned_quiz,
    start_assignment,
    submit_and_mark,
    visible_text,
)

pytestmark = pytest.mark.django_db
DUE = datetime(2099, 1, 15, 22, 30, tzinfo=UTC)
HOUR = timedelta(hours=1)
RULES = rules(due_at=DUE)


def test_what_is_due_comes_before_the_next_lesson_by_the_clock_of_the_class(
    assignment, add_member, log_in
):
    make_lesson("one", "first", order=1)
    sam = add_member("Sam").user
    sam.time_zone = "Asia/Tokyo"
    sam.save()
    page = Page(log_in(sam).get("/learning/"))
    assert page.all("a", inside="main")[0]["href"] == assignment.sitting.get_absolute_url()
    assert "Due Thu 15 Jan 2099, 23:30, Vienna time" in page.text
    assert "20 min · Attention 101" in page.text
    # No script may put the time of this machine in its place.
    assert all("data-kept" in time for time in page.all("time", datetime=DUE.isoformat()))


def test_a_new_student_sees_the_quizzes_of_the_class_and_no_others(assignment, add_member, log_in):
    page = Page(log_in(add_member("Sam").user).get("/learning/"))
    assert "Welcome, Sam" in page.text
    links = [link["href"] for link in page.all("a", inside="main")]
    quizzes = [link for link in links if link.startswith("/quizzes/") and link != "/quizzes/"]
    assert quizzes == [assignment.sitting.get_absolute_url()]


def test_a_quiz_without_a_date_is_under_my_class_and_lesson_1_comes_first(
    assignment, add_member, log_in
):
    assignment.due_at = None
    assignment.save()
    lesson = make_lesson("one", "first", order=1)
    page = Page(log_in(add_member("Sam").user).get("/learning/"))
    assert page.all("a", inside="main")[0]["href"] == lesson.get_absolute_url()
    assert page.all("section", aria_labelledby="class-title")
    assert ("My class " in page.text, "My classes" in page.text) == (True, False)
    links = [link["href"] for link in page.all("a", inside="main")]
    assert assignment.sitting.get_absolute_url() in links


def test_the_list_of_quizzes_tells_the_quiz_of_the_class_first(assignment, add_member, log_in):
    page = Page(log_in(add_member("Sam").user).get("/quizzes/"))
    first, *_others = [link["href"] for link in page.all("a", inside="main")]
    assert first == assignment.sitting.get_absolute_url()
    assert "Attention 101" in page.text


def test_whoever_chose_one_of_two_places_is_not_asked_again(assignment, add_member, log_in, quiz):
    sams = log_in(add_member("Sam").user)
    own = f"/quizzes/{quiz.slug}/{quiz.own_sitting.pk}/"
    listed = [link["href"] for link in Page(sams.get("/quizzes/")).all("a", inside="main")]
    assert listed[:2] == [assignment.sitting.get_absolute_url(), own]
    assert f'action="{own}start/"' in sams.get(own).text


def test_a_next_step_in_one_of_two_places_does_not_ask_which(assignment, add_member, log_in, quiz):
    assignment.sitting.closes_at = timezone.now() - timedelta(hours=1)
    assignment.sitting.save()
    own = Page(log_in(add_member("Sam").user).get("/learning/")).all("a", inside="main")[0]
    assert own["href"] == f"/quizzes/{quiz.slug}/{quiz.own_sitting.pk}/"


def test_of_two_places_the_one_that_has_closed_says_so_and_comes_last(
    assignment, add_member, log_in, quiz
):
    assignment.sitting.closes_at = timezone.now() - timedelta(hours=1)
    assignment.sitting.save()
    page = Page(log_in(add_member("Sam").user).get(f"/quizzes/{quiz.slug}/"))
    assert "On my own Attention 101 closed" in page.text


def test_every_quiz_that_is_due_is_listed_by_date_and_once(course, add_member, log_in):
    sam = add_member("Sam").user
    dates = {}
    for days in (3, 1, 2):
        quiz = make_quiz(f"quiz-{days}", {"family": "cosine"})
        given = make_assignment(course, quiz)
        given.due_at = timezone.now() + timedelta(days=days)
        given.save()
        dates[days] = given.sitting.get_absolute_url()
    page = Page(log_in(sam).get("/learning/"))
    links = [link["href"] for link in page.all("a", inside="main")]
    due = [link for link in links if link in dates.values()]
    assert due == [dates[1], dates[2], dates[3]]
    assert page.text.count("· Attention 101") == 3


def test_classes_of_one_title_are_told_apart(course, other_course, add_member, log_in):
    sam = add_member("Sam").user
    other_course.title = course.title
    other_course.first_day = date(2026, 1, 12)
    other_course.save()
    Membership.objects.create(course=other_course, user=sam)
    for number, place in enumerate((course, other_course)):
        lesson = make_lesson(f"lesson-{number}", "first", order=number + 1)
        quiz = make_quiz(f"quiz-{number}", {"family": "cosine"}, lesson=lesson)
        given = make_assignment(place, quiz)
    client, name = log_in(sam), "Attention 101, January 2026"
    for address in ("/learning/", "/quizzes/"):
        text = Page(client.get(address)).text
        between = text.partition("Quiz-0")[2].partition("Quiz-1")[0]
        assert name in between
    assert "My classes" in Page(client.get("/learning/")).text
    for address in ("/", lesson.get_absolute_url()):
        assert f"Quiz for {name}" in Page(client.get(address)).text
    submit_and_mark(start_assignment(given, sam))
    for address in ("/", lesson.get_absolute_url()):
        assert f"Quiz taken: 0% ({name})" in Page(client.get(address)).text


def test_a_quiz_of_the_class_and_for_oneself_is_listed_under_each(
    assign_quiz, quiz, add_member, log_in
):
    assign_quiz(open_to_all=True)
    page = Page(log_in(add_member("Sam").user).get("/quizzes/"))
    _before, classes, own = re.split("My class: Attention 101|On my own", page.text)
    assert quiz.title in classes
    assert quiz.title in own


def test_work_that_was_submitted_is_no_longer_due(assign_quiz, add_member, log_in):
    soon = timezone.now() + timedelta(days=3)
    assign_quiz(release="after_close", due_at=soon, closes_at=soon)
    sam = add_member("Sam")
    submit_and_mark(start_assigned_quiz(sam))
    client = log_in(sam.user)
    for address in ("/learning/", "/quizzes/"):
        rows = Page(client.get(address)).text.partition("My class")[2]
        assert "submitted, marks come later" in rows


def test_a_quiz_that_was_taken_in_the_class_is_not_offered_as_new(assign_quiz, add_member, log_in):
    assign_quiz(open_to_all=True)
    Quiz.objects.update(pass_mark=0)
    sam = add_member("Sam")
    submit_and_mark(start_assigned_quiz(sam))
    Sitting.objects.exclude(given_in="").update(closes_at=timezone.now())
    assert "a quiz you haven’t taken yet" not in Page(log_in(sam.user).get("/learning/")).text


def test_whoever_has_no_class_sees_no_groups(quiz, client):
    assert "On my own" not in Page(client.get("/quizzes/")).text


def test_whoever_logs_in_lands_on_what_is_due(assignment, add_member, client):
    add_member("Sam")
    answer = client.post(
        "/accounts/login/", {"login": "sam@example.org", "password": "secret"}, follow=True
    )
    assert answer.request["PATH_INFO"] == "/learning/"
    page = Page(answer)
    assert page.all("a", inside="main")[0]["href"] == assignment.sitting.get_absolute_url()
    assert page.all("a", **{"class": "wordmark"})[0]["href"] == "/learning/"


def test_what_was_due_and_is_still_open_says_so(assignment, add_member, log_in):
    assignment.due_at = timezone.now() - timedelta(hours=1)
    assignment.save()
    assert "Was due" in Page(log_in(add_member("Sam").user).get("/learning/")).text


def test_home_reads_no_more_for_a_class(
    assignment, add_member, log_in, django_assert_max_num_queries
):
    sams = log_in(add_member("Sam").user)
    with django_assert_max_num_queries(16):
        sams.get("/learning/")


# What the header counts: each case arranges a student of the class, whose quiz is due in 2099.


def nothing(sam, _assignment, _access):
    Assignment.objects.all().delete()


def one(sam, _assignment, _access):
    """Nothing more."""


def nine_in_four_classes(sam, assignment, access):
    for number in range(8):
        course = sam.course
        if number % 3 == 0:
            course = create_course(
                by=access.user, title="One of four", time_zone="Europe/Vienna", first_day=None
            )
            type(sam).objects.create(course=course, user=sam.user)
        else:
            course = sam.user.memberships.latest("pk").course
        quiz = make_quiz(f"quiz-{number}", {"family": "cosine"})
        more = make_assignment(course, quiz)
        Assignment.objects.filter(pk=more.pk).update(due_at=DUE)


def opens_later_by_an_exception(sam, assignment, access):
    make_override(access, assignment, sam, opens_at=timezone.now() + HOUR)


def opens_earlier_by_a_label(sam, assignment, access):
    Sitting.objects.filter(assignment=assignment).update(opens_at=timezone.now() + HOUR)
    sam.labels.add(Label.objects.create(course=sam.course, text="early"))
    make_override(access, assignment, label=Label.objects.get(), opens_at=timezone.now() - HOUR)


def closed_but_for_an_exception(sam, assignment, access):
    Sitting.objects.filter(assignment=assignment).update(closes_at=timezone.now() - HOUR)
    make_override(access, assignment, sam, closes_at=timezone.now() + HOUR)


def closed(sam, assignment, _access):
    Sitting.objects.filter(assignment=assignment).update(closes_at=timezone.now() - HOUR)


def without_a_date(sam, assignment, _access):
    Assignment.objects.update(due_at=None)


def only_somebody_else_may(sam, assignment, access):
    opens_later_by_an_exception(sam, assignment, access)
    label = Label.objects.create(course=sam.course, text="early")
    make_override(access, assignment, label=label, opens_at=timezone.now() - HOUR)


def archived(sam, _assignment, _access):
    type(sam.course).objects.update(archived=True)


def left(sam, _assignment, _access):
    type(sam).objects.filter(pk=sam.pk).update(state="left")


def withdrawn(sam, _assignment, _access):
    Quiz.objects.update(published=False)


def under_way(sam, _assignment, _access):
    start_assigned_quiz(sam)


def under_way_in_a_second_attempt(sam, assignment, access):
    make_override(access, assignment, sam, attempts_allowed=2)
    submit_and_mark(start_assigned_quiz(sam))
    start_assigned_quiz(sam)


def under_way_after_it_closed(sam, assignment, access):
    start_assigned_quiz(sam)
    closed(sam, assignment, access)


def time_is_up(sam, _assignment, _access):
    let_time_run_out(start_assigned_quiz(sam))


def all_attempts_used(sam, _assignment, _access):
    submit_and_mark(start_assigned_quiz(sam))


def submitted_with_attempts_left(sam, assignment, access):
    make_override(access, assignment, sam, attempts_allowed=3)
    submit_and_mark(start_assigned_quiz(sam))


@each(
    "arrange, count",
    [
        (nothing, 0),
        (one, 1),
        (nine_in_four_classes, 9),
        (opens_later_by_an_exception, 0),
        (opens_earlier_by_a_label, 1),
        (closed_but_for_an_exception, 1),
        (closed, 0),
        (without_a_date, 0),
        (only_somebody_else_may, 0),
        (archived, 0),
        (left, 0),
        (withdrawn, 0),
        (under_way, 1),
        (under_way_in_a_second_attempt, 1),
        (under_way_after_it_closed, 1),
        (time_is_up, 0),
        (all_attempts_used, 0),
        (submitted_with_attempts_left, 0),
    ],
)
def test_the_header_counts_as_much_as_home_lists_as_due(
    assign_quiz, access, sam, log_in, arrange, count
):
    make_lesson("one", "first", order=1)
    arrange(sam, assign_quiz(open_to_all=False), access)
    page = Page(log_in(sam.user).get("/learning/"))
    listed = page.html.split('id="next-title"')[1].split("</section>")[0]
    due = re.findall(r'href="/(?:quizzes/[^"]+/\d+|attempts/\d+)/"', listed)
    assert (len(due), due_count(type(sam.user).objects.get(pk=sam.user.pk))) == (count, count)
    header = page.text.split("Menu")[0]
    assert (f"Home {count} , {count} due" in header, " due" in header) == (count > 0, count > 0)


def test_it_takes_one_query_on_each_page_and_none_for_whoever_has_no_account(
    assignment, access, sam, log_in, client, django_assert_num_queries
):
    make_override(access, assignment, sam, due_at=DUE + HOUR)
    with django_assert_num_queries(1):
        assert due_count(sam.user) == 1
        assert unfinished_quizzes(sam.user)[0].due_at == DUE + HOUR
    assert "due</span>" in log_in(sam.user).get("/machine/").text
    assert "site-due" not in client.get("/machine/").text


# A lesson whose quiz the class takes


@pytest.fixture
def lesson(quiz):
    quiz.lesson = make_lesson("one", "first", order=1)
    quiz.save()
    return quiz.lesson


def offered(client, lesson, quiz):
    """Return the links of the quiz's card after the lesson, and the link in the catalogue."""
    card = client.get(lesson.get_absolute_url()).text.split(f'id="quiz-{quiz.slug}"')[1]
    line = client.get("/").text.split("line-actions")[1].split("</p>")[0]
    links = [
        re.findall(r'href="(/quizzes/.*?)"', part) for part in (card.split("</section>")[0], line)
    ]
    return *links, visible_text(card.split("</section>")[0])


def test_a_lesson_leads_to_the_quiz_of_the_class_first(
    assign_quiz, lesson, quiz, sam, log_in, client
):
    before = client.get(lesson.get_absolute_url()).text
    classes = assign_quiz(open_to_all=True).sitting.get_absolute_url()
    own = f"/quizzes/{quiz.slug}/{quiz.own_sitting.pk}/"
    card, line, text = offered(log_in(sam.user), lesson, quiz)
    assert (card, line) == ([classes, own], [classes])
    assert "Quiz for Attention 101, due Thu 15 Jan 2099, 23:30, Vienna time" in text
    assert client.get(lesson.get_absolute_url()).text == before


def test_a_lesson_leads_to_a_quiz_that_only_the_class_takes(assign_quiz, lesson, quiz, sam, log_in):
    assignment = assign_quiz(open_to_all=False, opens_at=DUE - HOUR)
    classes = assignment.sitting.get_absolute_url()
    card, line, text = offered(log_in(sam.user), lesson, quiz)
    assert (card, line) == ([classes], [classes])
    assert "Quiz for Attention 101, opens Thu 15 Jan 2099, 22:30" in text


def test_a_lesson_leads_back_to_self_study_once_the_class_is_done(
    assign_quiz, lesson, quiz, sam, log_in
):
    assign_quiz(open_to_all=True)
    done = submit_and_mark(start_assigned_quiz(sam))
    card, _line, text = offered(log_in(sam.user), lesson, quiz)
    assert card == [quiz.get_absolute_url()]
    assert "6 questions · 23 min" in text
    page = log_in(sam.user).get(lesson.get_absolute_url()).text
    assert f'<a href="/attempts/{done.pk}/results/">Quiz taken: 0% (Attention 101)</a>' in page
