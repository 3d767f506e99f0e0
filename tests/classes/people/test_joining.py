"""Joining by code, by link and by an invited address; leaving again."""

import pytest
from allauth.account.models import EmailAddress
from allauth.account.signals import email_confirmed
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.models import Session

from audit.models import Event
from classes.courses.services.courses import archive_course, renew_code, set_code_open
from classes.models import Label, MemberNote, Membership
from classes.people.letters import render_invitation
from classes.people.services.people import leave_course, remove_members
from tests.conftest import FormClient
from tests.world import make_override, make_user, missing_in, refresh

State = Membership.State


@pytest.fixture
def solo(db):
    return make_user("Sam")


@pytest.fixture
def sams(solo, log_in):
    return log_in(solo)


def roles_of(user):
    return list(Membership.objects.filter(user=user).values_list("role", "state"))


def test_a_code_is_typed_and_the_class_is_shown_before_anybody_joins(sams, solo, course):
    asked = sams.post("/join/", {"code": course.formatted_code.lower()}, follow=True)
    assert "Attention 101" in asked.text
    assert roles_of(solo) == []
    joined = sams.post(asked.request["PATH_INFO"], follow=True)
    assert roles_of(solo) == [("student", "active")]
    assert joined.request["PATH_INFO"] == "/learning/"
    assert "You’ve joined the class Attention 101." in joined.text
    (event,) = Event.objects.filter(verb="classes.member.joined")
    assert (event.actor, event.person, event.scope) == (solo, solo, course.scope)


def test_joining_again_changes_nothing(sams, ines, course, ines_client):
    url = f"/join/{course.code}/"
    sams.post(url)
    assert "already" in sams.get(url).text
    sams.post(url)
    assert Membership.objects.filter(course=course).count() == 2
    ines_client.post(url)
    assert roles_of(ines) == [("instructor", "active")]


@pytest.mark.parametrize("typed", ["", "no code", "00000000", "\x00", "x" * 500])
def test_a_wrong_code_says_so(sams, course, typed):
    page = sams.post("/join/", {"code": typed})
    assert page.status_code == 200
    assert 'aria-invalid="true"' in page.text


@pytest.mark.parametrize("path", ["00000000", "none", "%00", "x" * 900, "Ω"])
def test_a_wrong_link_says_so(sams, course, path):
    page = sams.get(f"/join/{path}/")
    assert page.status_code == 404
    assert "No class has this code." in page.text


def test_a_closed_code_and_an_archived_class_take_nobody_in(sams, solo, course, ines):
    set_code_open(course=course, by=ines, is_open=False)
    for close in (lambda: None, lambda: archive_course(course=course, by=ines, archived=True)):
        close()
        page = sams.post("/join/", {"code": course.code})
        assert "This class can’t be joined with a code at the moment." in page.text
        assert sams.post(f"/join/{course.code}/").status_code == 404
        set_code_open(course=course, by=ines, is_open=True)
    assert roles_of(solo) == []


def test_an_old_code_leads_nowhere(sams, course, ines):
    renew_code(course=course, by=ines)
    assert sams.get(f"/join/{course.code}/").status_code == 404


def test_codes_cannot_be_guessed_without_end_by_form_or_by_link(sams, solo, course, log_in):
    for number in range(10):
        sams.post("/join/", {"code": f"0000000{number}"})
        sams.get(f"/join/1111111{number}/")
    assert sams.get("/join/00000000/").status_code == 429
    assert sams.post("/join/", {"code": course.code}).status_code == 429
    assert sams.post(f"/join/{course.code}/").status_code == 429
    assert roles_of(solo) == []
    assert log_in(make_user("Sue")).get(f"/join/{course.code}/").status_code == 200


def test_a_visitor_learns_nothing_and_is_led_through_signing_up_and_back(course):
    client = FormClient()
    right, wrong = client.get(f"/join/{course.code}/").text, client.get("/join/00000000/").text
    assert "Attention 101" not in right
    assert right.replace(course.code, "00000000") == wrong
    typed = {"name": "New", "email": "new@example.org", "password1": "a long enough password"}
    back = client.post("/accounts/signup/", {**typed, "next": f"/join/{course.code}/"})
    assert back.url == f"/join/{course.code}/"
    client.post(back.url)
    assert Membership.objects.get(user__email="new@example.org").is_active


def test_the_header_of_a_join_link_leads_back_to_the_class(course):
    client, then = FormClient(), f"?next=/join/{course.code}/"
    page = client.get(f"/join/{course.code}/").text
    header = page.partition("</header>")[0]
    assert missing_in(header, f"/accounts/signup/{then}", f"/accounts/login/{then}") == []
    for path in ("signup", "login"):
        header = client.get(f"/accounts/{path}/{then}").text.partition("</header>")[0]
        assert f'href="/accounts/signup/{then}"' in header, path
    assert "?next" not in client.get("/").text.partition("</header>")[0]


def test_no_guess_of_a_visitor_is_kept_and_their_guesses_are_limited(course, settings):
    settings.ACCOUNT_RATE_LIMITS |= {"open_join_link": "3/m/ip"}
    answers = [FormClient().get(f"/join/{code}/").status_code for code in ("none", "00000000", "Ω")]
    assert answers == [200] * 3
    assert not Session.objects.exists()
    assert FormClient().get("/join/11111111/").status_code == 429


def test_who_has_to_confirm_an_address_first_finds_the_class_on_their_home(client, solo, course):
    client.get(f"/join/{course.code}/")
    client.post("/accounts/login/", {"login": solo.email, "password": "secret"})
    assert f'href="/join/{course.code}/"' in client.get("/learning/").text
    client.get(f"/join/{course.code}/")
    assert "You were about to join" not in client.get("/learning/").text


def test_who_was_removed_does_not_come_back_by_the_code(sams, solo, access):
    sams.post(f"/join/{access.course.code}/")
    remove_members(access=access, keys=[Membership.objects.get(user=solo).pk])
    assert "You were removed from this class." in sams.post(f"/join/{access.course.code}/").text
    assert roles_of(solo) == [("student", "removed")]


def test_one_leaves_after_being_asked_and_may_join_again_as_a_student(sams, solo, course):
    place = Membership.objects.create(course=course, user=solo, role="assistant")
    url = f"/classes/{course.pk}/leave/"
    assert "Leave this class?" in sams.get(url).text
    assert roles_of(solo) == [("assistant", "active")]
    sams.post(url)
    assert roles_of(solo) == [("assistant", "left")]
    assert sams.get(url).status_code == 404
    leave_course(member=place)  # again changes nothing
    assert Event.objects.filter(verb="classes.member.left").count() == 1
    sams.post(f"/join/{course.code}/")
    assert roles_of(solo) == [("student", "active")]


def test_the_last_instructor_does_not_leave(ines_client, ines, course, add_member):
    add_member("Abe", role="assistant")
    page = ines_client.post(f"/classes/{course.pk}/leave/", follow=True)
    assert "at least one instructor" in page.text
    assert roles_of(ines) == [("instructor", "active")]
    add_member("Ida", role="instructor")
    ines_client.post(f"/classes/{course.pk}/leave/")
    assert roles_of(ines) == [("instructor", "left")]


def test_my_classes_stand_on_the_home_of_who_is_in_them(sams, solo, course, other_course, ines):
    assert "Use a code from your instructor" in sams.get("/learning/").text
    sams.post(f"/join/{course.code}/")
    page = sams.get("/learning/").text
    assert "Attention 101" in page
    assert "Another" not in page
    archive_course(course=course, by=ines, archived=True)
    assert "Attention 101</b>" not in sams.get("/learning/").text


# Invitations


@pytest.fixture
def invited(course):
    def invite(address="sam@example.org", role="student", of=None):
        return Membership.objects.create(
            course=of or course, email=address, name="Samuel", role=role, state=State.INVITED
        )

    return invite


def test_an_invitation_is_taken_up_when_the_address_is_confirmed(
    require_confirmed_addresses, invited, solo
):
    place = invited(role="assistant")
    user_logged_in.send(type(solo), user=solo, request=None)
    address = EmailAddress.objects.create(user=solo, email=solo.email, verified=False)
    user_logged_in.send(type(solo), user=solo, request=None)
    assert roles_of(solo) == []  # anybody may have typed this address
    EmailAddress.objects.update(verified=True)
    email_confirmed.send(EmailAddress, request=None, email_address=refresh(address))
    assert (refresh(place).user, place.email, place.name, place.state) == (solo, "", "", "active")
    assert place.role == "assistant"
    assert Event.objects.get(verb="classes.member.claimed").person == solo


def test_a_second_address_takes_up_its_invitation_too(require_confirmed_addresses, invited, solo):
    invited("sam@work.example")
    EmailAddress.objects.create(user=solo, email="sam@work.example", verified=True)
    user_logged_in.send(type(solo), user=solo, request=None)
    assert roles_of(solo) == [("student", "active")]


def test_who_is_in_the_class_already_keeps_the_place_and_gains_the_labels(invited, solo, course):
    own = Membership.objects.create(course=course, user=solo)
    invited().labels.add(Label.objects.create(course=course, text="extra time"))
    user_logged_in.send(type(solo), user=solo, request=None)
    assert list(Membership.objects.filter(course=course, role="student")) == [own]
    assert [label.text for label in own.labels.all()] == ["extra time"]


def test_who_is_in_the_class_already_gains_the_invitations_exceptions_and_notes(
    invited, solo, course, access, ines
):
    own = Membership.objects.create(course=course, user=solo)
    place = invited()
    make_override(access, None, place, more_minutes=7)
    MemberNote.objects.create(member=place, by=ines, text="Was ill.")
    user_logged_in.send(type(solo), user=solo, request=None)
    assert own.overrides.get().more_minutes == 7
    assert own.notes.get().text == "Was ill."


def test_who_has_an_exception_keeps_it_whatever_the_invitation_has(invited, solo, course, access):
    own = Membership.objects.create(course=course, user=solo)
    make_override(access, None, own, more_minutes=3)
    make_override(access, None, invited(), more_minutes=7)
    user_logged_in.send(type(solo), user=solo, request=None)
    assert own.overrides.get().more_minutes == 3


def test_who_left_comes_back_by_an_invitation_to_another_address(
    require_confirmed_addresses, invited, solo, course
):
    own = Membership.objects.create(course=course, user=solo, role="assistant", state=State.LEFT)
    Membership.objects.filter(pk=invited("sam@work.example").pk).update(section="B")
    EmailAddress.objects.create(user=solo, email="sam@work.example", verified=True)
    user_logged_in.send(type(solo), user=solo, request=None)
    assert roles_of(solo) == [("student", "active")]
    assert refresh(own).section == "B"
    assert Event.objects.get(verb="classes.member.claimed").person == solo


def test_who_was_removed_stays_out_whatever_other_address_is_invited(invited, solo, course):
    Membership.objects.create(course=course, user=solo, state=State.REMOVED)
    invited()
    user_logged_in.send(type(solo), user=solo, request=None)
    assert roles_of(solo) == [("student", "removed")]


def test_a_removed_invitation_is_taken_up_by_nobody(invited, solo):
    Membership.objects.filter(pk=invited().pk).update(state=State.REMOVED)
    user_logged_in.send(type(solo), user=solo, request=None)
    assert roles_of(solo) == []


def test_signing_up_takes_up_what_was_sent_where_no_mail_is_sent(invited, course):
    place = invited("new@example.org")
    typed = {"name": "New", "email": "New@Example.org", "password1": "a long enough password"}
    FormClient().post("/accounts/signup/", typed)
    assert refresh(place).is_active


def test_who_is_invited_as_an_assistant_lands_where_staff_land_and_reads_as_what(invited, course):
    invited("new@example.org", role="assistant")
    typed = {"name": "New", "email": "new@example.org", "password1": "a long enough password"}
    client = FormClient()
    landed = client.post("/accounts/signup/", typed, follow=True)
    assert landed.request["PATH_INFO"] == "/teach/"
    assert "You’re in the class Attention 101 now. Your role there: Assistant." in landed.text
    assert client.get(f"/teach/{course.pk}/").url == course.get_absolute_url()


def test_an_invitation_names_the_role(invited, ines):
    letter = render_invitation(invited(role="assistant"), ines)
    assert "Your role there: Assistant." in letter["text"]
