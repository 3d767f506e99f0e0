"""The page of one person in a class, for its staff."""

import re

from django.core import mail

from accounts.personal import forget
from classes.access.queries import CourseAccess
from classes.assignments.services.assigning import assign
from classes.models import Label, MemberNote, Membership
from classes.people.services.joining import join
from outbox.models import Message
from outbox.sending import send_waiting
from tests.world import found_in, make_override, make_user, missing_in, rules, visible_text


def person(client, member):
    return client.get(address_of(member))


def address_of(member):
    return f"/teach/{member.course_id}/people/{member.pk}/"


def letter_details(page):
    return re.findall("<details>.*?</details>", page.text, re.S)


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
    assert missing_in(page, "Broken arm", "All of them", "Your exception") == []
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


def test_a_letter_opens_to_its_text_as_it_was_sent_or_will_be(ines_client, access, course, quiz):
    bob = join(user=make_user("Bob"), code=course.code)
    assign(access=access, quiz=quiz, rules=rules(minutes=23))
    (letter,) = letter_details(person(ines_client, bob))
    assert missing_in(letter, "New quiz", "has been assigned to your class Attention 101") == []
    send_waiting()
    (letter,) = letter_details(person(ines_client, bob))
    assert missing_in(letter, "has been assigned to your class Attention 101") == []
    # Whoever has the link that stops emails stops them.
    assert "/letters/" not in letter


def test_what_another_class_wrote_in_the_same_email_is_not_shown(
    ines_client, access, course, other_course, quiz
):
    bob = join(user=make_user("Bob"), code=course.code)
    join(user=bob.user, code=other_course.code)
    otto = CourseAccess(
        other_course, other_course.memberships.get(role="instructor").user, "instructor"
    )
    assign(access=otto, quiz=quiz, rules=rules(minutes=23))
    assign(access=access, quiz=quiz, rules=rules(minutes=23))
    send_waiting()
    assert "Another" in mail.outbox[-1].body
    page = person(ines_client, bob)
    assert letter_details(page) == []
    assert missing_in(visible_text(page.text), "in one email with others") == []


def test_a_colleagues_letter_about_what_waits_is_not_on_their_page(ines_client, course, ines):
    text = "Nobody has seen Zoe"
    Message.objects.create(
        to=ines, kind="classes.waiting", text=text, payload={"course": course.pk}
    )
    page = person(ines_client, course.memberships.get(user=ines))
    assert "Zoe" not in page.text


def test_staff_write_notes_newest_first(ines_client, sam):
    person(ines_client, sam)
    for text in ("Was ill.", "Is back."):
        answer = ines_client.post(address_of(sam), {"text": text}, follow=True)
    page = visible_text(answer.text)
    assert page.index("Is back.") < page.index("Was ill.")
    assert missing_in(page, "Note saved.", "Ines") == []
    assert ines_client.post(address_of(sam), {"text": " "}).status_code == 200
    assert sam.notes.count() == 2


def test_a_note_keeps_its_lines(ines_client, ines, sam):
    note = MemberNote.objects.create(member=sam, by=ines, text="Was ill.\nCame back.")
    for page in (address_of(sam), f"{address_of(sam)}notes/{note.pk}/end/"):
        assert "Was ill.<br>Came back." in ines_client.get(page).text


def test_a_note_is_removed_after_asking_by_its_writer_or_an_instructor(
    ines_client, log_in, add_member, sam
):
    abe, ada = add_member("Abe", role="assistant"), add_member("Ada", role="assistant")
    first, second = (MemberNote.objects.create(member=sam, by=abe.user, text="!") for _ in "ab")
    ends = [f"{address_of(sam)}notes/{note.pk}/end/" for note in (first, second)]
    assert log_in(ada.user).post(ends[0]).status_code == 404
    writer = log_in(abe.user)
    assert missing_in(visible_text(writer.get(ends[0]).text), "Remove this note about", "Sam") == []
    assert sam.notes.count() == 2
    writer.post(ends[0])
    assert [note.pk for note in sam.notes.all()] == [second.pk]
    ines_client.post(ends[1])
    assert not sam.notes.exists()


def test_who_a_note_is_about_never_reads_it(log_in, course, ines, sam):
    MemberNote.objects.create(member=sam, by=ines, text="Odd fellow.")
    client = log_in(sam.user)
    pages = ("/learning/", "/accounts/data/file/", address_of(sam))
    assert found_in("".join(client.get(page).text for page in pages), "Odd fellow") == []
    # Not even when they are staff later.
    Membership.objects.filter(pk=sam.pk).update(role="assistant")
    page = person(client, sam)
    assert page.status_code == 200
    assert found_in(page.text, "Odd fellow", "Save note") == []
    assert client.post(address_of(sam), {"text": "Fine."}).status_code == 403


def test_notes_about_somebody_are_deleted_with_their_data(ines, sam):
    MemberNote.objects.create(member=sam, by=ines, text="Odd fellow.")
    forget(user=sam.user)
    assert not MemberNote.objects.exists()
