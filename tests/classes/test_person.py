"""The page of one person in a class, for its staff."""

from classes.models import Label, Membership
from outbox.models import Message
from tests.world import make_override, missing_in, visible_text


def person(client, member):
    return client.get(f"/teach/{member.course_id}/people/{member.pk}/")


def test_a_student_is_shown_with_marks_exceptions_letters_and_events(
    ines_client, right_attempt, access, course, assignment
):
    rita = course.memberships.get(user=right_attempt.student)
    rita.labels.add(Label.objects.create(course=course, text="slow reader"))
    make_override(access, assignment, rita, reason="Broken arm", more_minutes=7)
    make_override(access, None, label=rita.labels.get(), reason="All of them", more_minutes=3)
    page = visible_text(person(ines_client, rita).text)
    marks = f"{right_attempt.score:g} of {right_attempt.out_of:g}"
    assert missing_in(page, "Rita", "section A", "marked", marks, "attempt 1") == []
    assert missing_in(page, "Broken arm", "All of them", "You are given an exception") == []
    assert Message.objects.filter(to=rita.user).exists()


def test_others_exceptions_letters_and_events_are_not_on_the_page(
    ines_client, access, add_member, assignment, other_course
):
    bob, cyd = add_member("Bob"), add_member("Cyd")
    make_override(access, assignment, cyd, reason="Broken arm", more_minutes=7)
    Message.objects.create(
        to=bob.user, kind="classes.released", subject="Elsewhere", payload={"course": 0}
    )
    page = visible_text(person(ines_client, bob).text)
    assert missing_in(page, "Broken arm", "Elsewhere", "Cyd") == ["Broken arm", "Elsewhere", "Cyd"]
    assert person(ines_client, add_member("Stranger", of=other_course)).status_code == 404


def test_an_assistant_of_one_section_sees_nobody_of_another(log_in, add_member, course):
    abe, ann = add_member("Abe", role="assistant", section="A"), add_member("Ann", section="A")
    bob = add_member("Bob", section="B")
    client = log_in(abe.user)
    assert person(client, ann).status_code == 200
    assert client.get(f"/teach/{course.pk}/people/{bob.pk}/").status_code == 404


def test_nothing_is_offered_that_an_assistant_may_not_do_to_a_colleague(log_in, add_member, course):
    abe, ann, ida = add_member("Abe", role="assistant"), add_member("Ann"), add_member("Ida")
    Membership.objects.filter(pk=ida.pk).update(role="instructor")
    client = log_in(abe.user)
    deeds = ("Change …", "Remove …", "Add an exception")
    assert missing_in(person(client, ann).text, *deeds) == []
    assert missing_in(person(client, ida).text, *deeds) == [*deeds]


def test_who_was_invited_and_has_no_account_has_a_page_too(ines_client, course, assignment):
    invited = Membership.objects.create(
        course=course, name="Ivy", email="ivy@example.org", role="student", state="invited"
    )
    page = visible_text(person(ines_client, invited).text)
    assert missing_in(page, "Ivy", "not started") == []
