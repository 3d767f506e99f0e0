"""Importing a list of people: a preview by line, then all of it or nothing."""

import re
from unittest.mock import Mock

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.contrib.auth.signals import user_logged_in
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile

from audit.models import Event
from classes.access.queries import CourseAccess
from classes.models import Membership, RosterImport
from classes.people.services import importing
from classes.people.services.importing import (
    apply_import,
    delete_unconfirmed_imports,
    keep_import,
    plan_kept_import,
)
from classes.people.services.people import remove_members
from classes.personal import export_personal_data
from outbox.models import Message
from outbox.sending import send_waiting
from tests.each import each
from tests.world import make_user, missing_in, refresh

LIST = """\
Name,Email,Section,Labels
Ann,ann@example.org,A,extra time
Bob,BOB@example.org,B,
Cyd,cyd@example.org,A,
New,new@example.org,C,lab
Dup,ann@example.org,A,
Bad,=HYPERLINK("x"),A,
Ines,ines@example.org,Z,late
"""


@pytest.fixture
def old_roster(add_member):
    return {
        "Ann": add_member("Ann", section="A"),
        "Bob": add_member("Bob", section="A"),
        "Cyd": add_member("Cyd", state="removed"),
        "Dot": add_member("Dot", section="A"),
        "Eve": add_member("Eve", role="assistant"),
    }


def bring(client, course, text=LIST, **more):
    file = SimpleUploadedFile("people.csv", text if isinstance(text, bytes) else text.encode())
    return client.post(f"/teach/{course.pk}/people/import/", {"file": file, **more}, follow=True)


def paste(client, course, addresses, **more):
    typed = {"addresses": addresses, "role": "student", "section": "", "labels": ""}
    return client.post(f"/teach/{course.pk}/people/add/", typed | more, follow=True)


def digest_in(page):
    return page.text.partition('name="digest" value="')[2].partition('"')[0]


def confirm(client, course, page, **more):
    url = f"/teach/{course.pk}/people/preview/"
    return client.post(url, {"digest": digest_in(page), **more}, follow=True)


def state():
    return [
        list(Membership.objects.order_by("pk").values()),
        list(Membership.labels.through.objects.values_list("membership", "label__text")),
    ]


def test_the_preview_says_by_line_and_changes_nothing(ines_client, course, old_roster, access):
    before, events = state(), Event.objects.count()
    page = bring(ines_client, course)
    kept = RosterImport.objects.get()
    outcomes = {each.line.number: each.outcome.value for each in plan_kept_import(kept).lines}
    expected = ("changed", "changed", "back", "invited", "refused", "refused", "there")
    assert outcomes == dict(enumerate(expected, start=2))
    assert missing_in(page.text, "stays in section A", "label B", "label extra time", "Dot") == []
    assert "This address already appears higher up." in page.text
    assert "This is a formula, not an email address." in page.text
    assert (state(), Event.objects.count()) == (before, events)


def test_problems_come_first_by_their_number_and_the_rest_is_folded(ines_client, course):
    text = "Email\na@x.org\nno\nnone\na@x.org\n"
    page = bring(ines_client, course, text).text
    several, twice, rest = (
        page.index(each)
        for each in ("2 lines", "This address already appears higher up.", "The 1 other line")
    )
    assert several < twice < rest
    assert page.index("<details", twice) < rest


def test_confirmed_it_is_done_and_nobody_is_removed_unasked(ines_client, course, old_roster, ines):
    assert (
        "The list has been imported."
        in confirm(ines_client, course, bring(ines_client, course)).text
    )
    assert [refresh(each).state for each in old_roster.values()] == ["active"] * 5
    assert sections_of(old_roster["Bob"]) == ["A", "B"]
    assert [label.text for label in old_roster["Ann"].labels.all()] == ["extra time"]
    new = Membership.objects.get(email="new@example.org")
    assert (new.state, new.name, new.section) == ("invited", "New", "C")
    teacher = Membership.objects.get(user=ines)
    assert (teacher.role, teacher.section, teacher.labels.count()) == ("instructor", "", 0)
    assert not RosterImport.objects.exists()
    (whole,) = Event.objects.filter(verb="classes.roster.imported")
    assert whole.after["invited"] == 1
    assert Event.objects.filter(verb="classes.member.changed").count() == 2
    assert "new@example.org" not in str(list(Event.objects.values()))


def test_bringing_the_same_list_again_changes_nothing(ines_client, course, old_roster):
    confirm(ines_client, course, bring(ines_client, course))
    before = state()
    page = bring(ines_client, course)
    counts = plan_kept_import(RosterImport.objects.get()).counts
    assert (counts["there"], counts["refused"]) == (5, 2)
    confirm(ines_client, course, page)
    assert state() == before


def test_pages_that_bring_a_list_name_the_one_that_waits(ines_client, course):
    pages = [f"/teach/{course.pk}/people/{way}/" for way in ("add", "import")]
    told = "A list is still waiting to be imported."
    assert [told in ines_client.get(page).text for page in pages] == [False, False]
    bring(ines_client, course)
    assert [told in ines_client.get(page).text for page in pages] == [True, True]


def test_the_lines_of_a_long_list_are_folded_above_its_button(ines_client, course):
    few, many = (
        paste(ines_client, course, "\n".join(f"s{n}@example.org" for n in range(count)))
        for count in (10, 11)
    )
    assert re.search(r'<details class="section" open>\s*<summary>All 10 lines', few.text)
    assert re.search(r'<details class="section">\s*<summary>All 11 lines', many.text)


def test_those_who_are_absent_are_removed_where_they_are_ticked(ines_client, course, old_roster):
    confirm(ines_client, course, bring(ines_client, course), remove=old_roster["Dot"].pk)
    assert refresh(old_roster["Dot"]).state == "removed"
    assert Event.objects.filter(verb="classes.member.removed").count() == 1


def test_nobody_else_can_be_ticked(ines_client, course, old_roster, ines, other_course, add_member):
    stranger = add_member("Stranger", of=other_course)
    page = bring(ines_client, course)
    before = state()
    for wrong in (stranger.pk, old_roster["Ann"].pk, old_roster["Eve"].pk, 10**17):
        again = confirm(ines_client, course, page, remove=wrong)
        assert "The class has changed in the meantime." in again.text
    assert state() == before


def test_a_preview_that_is_no_longer_true_is_shown_anew(ines_client, course, old_roster, access):
    page = bring(ines_client, course)
    remove_members(access=access, keys=[old_roster["Ann"].pk])
    before = state()
    again = confirm(ines_client, course, page)
    assert missing_in(again.text, "The class has changed in the meantime.", "restored") == []
    assert state() == before
    assert "The list has been imported." in confirm(ines_client, course, again).text


OTHERS = {
    "another address": "Name,Email,Section\nAnn,other@example.org,A\n",
    "another name": "Name,Email,Section\nEve,first@example.org,A\n",
    "another section": "Name,Email,Section\nAnn,first@example.org,B\n",
    "another way to sort": "First name,Surname,Email,Section\nA,nn,first@example.org,A\n",
    "more that isn’t imported": "Name,Email,Section\nAnn,first@example.org,A,what\n",
    "a line that is refused": "Name,Email,Section\nAnn,first@example.org,A\nBo,bo@\n",
}


@each("other", OTHERS.values())
def test_the_list_of_a_second_tab_is_not_confirmed_in_the_first(ines_client, course, other):
    first = bring(ines_client, course, "Name,Email,Section\nAnn,first@example.org,A\n")
    second = bring(ines_client, course, other)
    assert "This isn’t the list you saw." in confirm(ines_client, course, first).text
    assert not Membership.objects.filter(course=course, role="student").exists()
    assert "The list has been imported." in confirm(ines_client, course, second).text


def test_a_role_that_was_not_shown_is_not_given(ines_client, course):
    pages = [paste(ines_client, course, "a@x.org", role=role) for role in ("student", "instructor")]
    assert "This isn’t the list" in confirm(ines_client, course, pages[0]).text
    assert not Membership.objects.filter(email="a@x.org").exists()


def in_class(name):
    return Membership.objects.filter(user__name=name)


@each(
    "change",
    [
        lambda member: in_class("Ann").update(section="Z"),
        lambda member: get_user_model().objects.filter(name="Ann").update(name="Annabel"),
        lambda member: make_user("new"),
    ],
)
def test_what_somebody_else_changed_is_shown_before_it_is_confirmed(
    ines_client, course, old_roster, add_member, change
):
    page = bring(ines_client, course)
    change(add_member)
    before = state()
    assert "The class has changed in the meantime." in confirm(ines_client, course, page).text
    assert state() == before


def test_a_preview_says_that_the_sections_of_staff_stay(ines_client, course, add_member):
    staff = add_member("Tess", role="assistant")
    page = bring(ines_client, course, f"Email,Section\n{staff.user.email},B\n").text
    assert missing_in(page, "already there", "a member of staff: the list’s section") == []


def test_an_import_is_not_held_up_by_somebody_who_joins_meanwhile(
    ines_client, course, old_roster, add_member
):
    page = bring(ines_client, course)
    add_member("Late")
    assert "The list has been imported." in confirm(ines_client, course, page).text
    assert in_class("Late").get().state == "active"


def test_a_list_that_came_while_another_was_confirmed_is_kept(ines_client, course, access):
    bring(ines_client, course, "Email\na@x.org\n")
    kept = RosterImport.objects.get()
    digest = plan_kept_import(kept).digest
    bring(ines_client, course, "Email\nb@x.org\n")
    with pytest.raises(importing.Outdated):
        apply_import(kept=kept, access=access, digest=digest)
    assert RosterImport.objects.get().lines[0]["address"] == "b@x.org"


def test_confirmed_twice_it_is_done_once(ines_client, course, old_roster):
    page = bring(ines_client, course)
    confirm(ines_client, course, page)
    before = state()
    confirm(ines_client, course, page)
    assert state() == before


def test_all_or_nothing(ines_client, course, old_roster, monkeypatch):
    page = bring(ines_client, course)
    before = state(), Event.objects.count()

    monkeypatch.setattr(importing, "_update_members", Mock(side_effect=RuntimeError))
    with pytest.raises(RuntimeError):
        confirm(ines_client, course, page)
    assert (state(), Event.objects.count()) == before
    assert RosterImport.objects.exists()


def test_one_list_waits_at_a_time_and_may_be_discarded(ines_client, course, old_roster):
    bring(ines_client, course)
    bring(ines_client, course, "Email\nx@x.org")
    assert len(RosterImport.objects.get().lines) == 1
    ines_client.post(f"/teach/{course.pk}/people/preview/", {"put_aside": "1"})
    assert not RosterImport.objects.exists()
    assert ines_client.get(f"/teach/{course.pk}/people/preview/").status_code == 302


def test_another_instructors_list_is_not_mine(ines_client, course, log_in, add_member):
    bring(ines_client, course)
    ida = log_in(add_member("Ida", role="instructor").user)
    assert ida.get(f"/teach/{course.pk}/people/preview/").status_code == 302


def test_what_is_no_list_is_refused_with_a_sentence(ines_client, course):
    for content in (b"PK\x03\x04", b'Email,Name\na@x.org,"'):
        page = bring(ines_client, course, content)
        assert page.status_code == 200
        assert 'class="errorlist"' in page.text
    assert not RosterImport.objects.exists()


def test_what_follows_the_at_is_checked(ines_client, course):
    text = "SIS Login ID\nal123\n"
    assert (
        "isn’t a valid email domain" in bring(ines_client, course, text, domain="uni example").text
    )
    bring(ines_client, course, text, domain="@Uni.example")
    assert RosterImport.objects.get().lines[0]["address"] == "al123@uni.example"


@pytest.mark.slow
def test_five_thousand_lines_take_few_queries_to_preview(
    ines_client, course, access, django_assert_max_num_queries
):
    lines = "".join(f"{number}@x.org,Name {number},S{number % 9}\n" for number in range(5000))
    page = bring(ines_client, course, f"Email,Name,Section\n{lines}")
    assert "<b>5000</b>" in page.text
    with django_assert_max_num_queries(12):
        ines_client.get(f"/teach/{course.pk}/people/preview/?page=25")
    kept = RosterImport.objects.get()
    # For any number of lines; each query takes hundreds of rows.
    with django_assert_max_num_queries(60):
        apply_import(kept=kept, access=access, digest=digest_in(page))
    assert Membership.objects.filter(course=course, state="invited").count() == 5000
    assert Event.objects.filter(verb="classes.member.invited").count() == 5000


def test_pasted_addresses_take_the_same_way_in_any_role(ines_client, course, old_roster):
    typed = "Ann <ann@example.org>\nabe@example.org"
    page = paste(ines_client, course, typed, role="assistant", section="A")
    assert "not in the list" not in page.text  # pasted addresses do not claim to be the whole class
    confirm(ines_client, course, page)
    abe = Membership.objects.get(email="abe@example.org")
    assert (abe.role, abe.section) == ("assistant", "A")
    assert refresh(old_roster["Ann"]).role == "student"


@each(
    "wrong",
    [{"role": "king"}, {"section": "s" * 61}, {"labels": "l" * 61}]
    + [{"addresses": typed} for typed in ("", "a@x.org\x00", "a@x.org\n" * 5001)],
)
def test_invalid_input_shows_errors_at_the_form(ines_client, course, wrong):
    page = paste(ines_client, course, **{"addresses": "a@x.org"} | wrong)
    assert page.status_code == 200
    assert "There is a problem" in page.text


def test_an_account_is_known_by_its_confirmed_addresses_alone(settings, course, access):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    sam = make_user("Sam")
    EmailAddress.objects.create(user=sam, email="sam@work.example", verified=True)
    EmailAddress.objects.create(user=sam, email="sam@home.example", verified=False)
    addresses = ["sam@work.example", "sam@home.example", "sam@example.org"]
    lines = [importing.Line(number, address) for number, address in enumerate(addresses)]
    kept = keep_import(access=access, lines=lines, role="student")
    outcomes = [each.outcome.value for each in plan_kept_import(kept).lines]
    assert outcomes == ["added", "invited", "invited"]


def test_two_addresses_of_one_person_are_one_place(course, access):
    sam = make_user("Sam")
    EmailAddress.objects.create(user=sam, email="sam@work.example", verified=True)
    lines = [importing.Line(1, "sam@work.example"), importing.Line(2, "sam@example.org")]
    kept = keep_import(access=access, lines=lines, role="student")
    apply_import(kept=kept, access=access, digest=plan_kept_import(kept).digest)
    assert Membership.objects.filter(user=sam).count() == 1


def test_names_that_nobody_confirmed_are_forgotten_after_a_day(access, ines):
    keep_import(access=access, lines=[], role="student")
    delete_unconfirmed_imports()
    assert RosterImport.objects.exists()
    RosterImport.objects.update(created_at="2020-01-01T00:00Z")
    delete_unconfirmed_imports()
    assert not RosterImport.objects.exists()


def test_only_who_runs_the_class_brings_lists(course, add_member):
    abe = CourseAccess(course, add_member("Abe", role="assistant").user, "assistant")
    with pytest.raises(importing.Refused):
        keep_import(access=abe, lines=[], role="instructor")


# Sections

SECTIONS = """\
Student,ID,SIS User ID,SIS Login ID,Section
"Ash, Ann",101,s1,ann@example.org,NLP-01 (Mon) and NLP-02 (Tue)
"Bee, Bob",102,s2,bob@example.org,"NLP-02 (Tue), Drum and Bass, and NLP-03"
"""


def sections_of(member):
    labels = member.labels.order_by("text").values_list("text", flat=True)
    return [refresh(member).section, *labels]


def test_sections_that_canvas_joins_become_several(ines_client, course, add_member):
    ann, _other = add_member("Ann"), add_member("Dee", section="Drum and Bass")
    confirm(ines_client, course, bring(ines_client, course, SECTIONS))
    assert sections_of(ann) == ["NLP-01 (Mon)", "NLP-02 (Tue)"]
    bob = Membership.objects.get(email="bob@example.org")
    assert sections_of(bob) == ["NLP-02 (Tue)", "Drum and Bass", "NLP-03"]
    tuesday = ines_client.get(f"/teach/{course.pk}/people/?section=NLP-02+(Tue)").text
    assert missing_in(tuesday, "ann@", "bob@", "dee@") == ["dee@"]
    assistant = CourseAccess(course, None, "assistant", "NLP-03")
    assert list(assistant.members()) == [bob]


def test_a_second_list_keeps_the_sections_of_the_first_unless_told(ines_client, course, add_member):
    ann = add_member("Ann", section="Mon")
    ann.labels.create(course=course, text="NLP-03")
    add_member("Eve", section="NLP-03")
    page = bring(ines_client, course, SECTIONS)
    assert missing_in(page.text, "1 student is in a section", "stays in section Mon") == []
    confirm(ines_client, course, page)
    assert sections_of(ann) == ["Mon", "NLP-01 (Mon)", "NLP-02 (Tue)", "NLP-03"]
    bring(ines_client, course, SECTIONS)
    page = ines_client.get(f"/teach/{course.pk}/people/preview/?sections=replace")
    assert missing_in(page.text, "(was Mon)", "without label NLP-03") == []
    confirm(ines_client, course, page, sections="replace")
    assert sections_of(ann) == ["NLP-01 (Mon)", "NLP-01 (Mon)", "NLP-02 (Tue)"]


def test_what_canvas_calls_a_student_comes_back_in_its_file(
    ines_client, course, add_member, assign_quiz
):
    ann = add_member("Ann")
    assign_quiz()
    confirm(ines_client, course, bring(ines_client, course, SECTIONS))
    told = ines_client.get(f"/teach/{course.pk}/gradebook/canvas/")
    text = b"".join(told.streaming_content).decode()
    assert '"Ann","101","s1","ann@example.org","NLP-01 (Mon) and NLP-02 (Tue)"' in text
    (place,) = export_personal_data(ann.user)["classes"]
    assert place["from_canvas"]["ID"] == "101"
    importing.delete_personal_data(student=ann.user)
    assert refresh(ann).platform is None


# Invitations


def invited_letters():
    return sorted(Message.objects.filter(kind="classes.invited").values_list("address", "state"))


def test_those_invited_are_written_to_once_unless_one_chooses_not_to(ines_client, course):
    page = paste(ines_client, course, "one@example.org, two@example.org")
    assert re.search(r'<input[^>]*name="write"[^>]*checked', page.text)
    done = confirm(ines_client, course, page, write="1")
    assert "2 invited people are being emailed." in done.text
    page = paste(ines_client, course, "one@example.org, three@example.org")
    done = confirm(ines_client, course, page)
    assert "1 invited person hasn’t been emailed." in done.text
    assert "Email 1 invited person who hasn’t been emailed yet" in done.text
    send_waiting()
    assert invited_letters() == [("one@example.org", "sent"), ("two@example.org", "sent")]
    letter = mail.outbox[0]
    assert letter.subject == "Invitation to the class Attention 101"
    assert missing_in(letter.body, "Ines has invited you", "/accounts/signup/") == []


def test_those_not_written_to_are_written_to_later(ines_client, course, ines):
    confirm(ines_client, course, paste(ines_client, course, "one@example.org"))
    url = f"/teach/{course.pk}/people/write/"
    asked = ines_client.get(url)
    assert missing_in(asked.text, "one@example.org", "Invitation to the class") == []
    for _twice in range(2):
        ines_client.post(url)
    send_waiting()
    assert [letter.to for letter in mail.outbox] == [["one@example.org"]]
    assert "Everyone who’s invited" in ines_client.get(url, follow=True).text
    member = Membership.objects.get(email="one@example.org")
    assert (
        "Invitation to the class" in ines_client.get(f"/teach/{course.pk}/people/{member.pk}/").text
    )
    (event,) = Event.objects.filter(verb="classes.roster.written")
    assert (event.actor, event.after) == (ines, {"count": 1})


def test_who_is_no_longer_invited_gets_no_letter(ines_client, course, access):
    page = paste(ines_client, course, "one@example.org")
    confirm(ines_client, course, page, write="1")
    remove_members(access=access, keys=[Membership.objects.get(email="one@example.org").pk])
    send_waiting()
    assert invited_letters() == [("", "dropped")]


def test_a_letter_of_invitation_is_exported_and_deleted_with_its_reader(ines_client, course):
    confirm(ines_client, course, paste(ines_client, course, "one@example.org"), write="1")
    send_waiting()
    one = make_user("One")
    user_logged_in.send(type(one), user=one, request=None)
    (told,) = export_personal_data(one)["invitations"]
    assert told["address"] == "one@example.org"
    importing.delete_personal_data(student=one)
    assert not Message.objects.exists()
