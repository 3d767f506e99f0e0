"""Owners of lessons, quizzes and questions, and those with whom they share."""

from threading import Barrier

import pytest
from django.contrib.auth import get_user_model
from django.urls import reverse

from accounts.personal import forget
from audit.models import Event
from lessons.models import Lesson
from outbox.models import Message
from quizzes.authoring.services.pools import freeze_pools
from quizzes.authoring.services.quizzes import publish_quiz
from quizzes.models import ConceptQuestion, PooledQuestion, Quiz
from sharing.models import Access, shares_of
from sharing.services import add_owner, share, stop_sharing
from tests.each import each
from tests.world import Threads, make_instructor_user, missing_in, refresh

pytestmark = pytest.mark.django_db


@pytest.fixture
def ana():
    return make_instructor_user("Ana")


@pytest.fixture
def ben():
    return make_instructor_user("Ben")


@pytest.fixture
def anas_lesson(ana) -> Lesson:
    """A lesson of Ana's."""
    made = Lesson.objects.create(slug="mine", title="Mine")
    add_owner(row=made, user=ana)
    return made


def page(anas_lesson) -> str:
    return reverse("admin:lessons_lesson_sharing", args=[anas_lesson.pk])


def test_what_nobody_has_is_the_sites(ana, root):
    row = Lesson.objects.create(slug="site", title="Site")
    assert row in Lesson.objects.visible_to(ana)
    assert row not in Lesson.objects.editable_by(ana)
    assert row in Lesson.objects.editable_by(root)
    assert row in Lesson.objects.of_the_site()


def test_an_owner_alone_has_what_they_made(anas_lesson, ana, ben, root):
    for which, people in (("visible_to", {ana, root}), ("owned_by", {ana, root})):
        assert {each for each in (ana, ben, root) if getattr(Lesson.objects, which)(each)} == people


@pytest.mark.parametrize("with_all", [True, False])
def test_to_read_is_not_to_edit_and_to_edit_is_not_to_own(anas_lesson, ana, ben, with_all):
    for access, can in ((Access.READ, (True, False, False)), (Access.EDIT, (True, True, False))):
        share(row=anas_lesson, user=None if with_all else ben, access=access, by=ana)
        assert tuple(Lesson.objects.all().may(ben, anas_lesson.pk).values()) == can
    stop_sharing(row=anas_lesson, user=None if with_all else ben, by=ana)
    assert not Lesson.objects.visible_to(ben)


def test_shares_of_a_question_are_those_of_all_its_versions(ana, ben):
    first = ConceptQuestion.objects.create(key="q-1", topic="t", version=1, prompt="?")
    add_owner(row=first, user=ana)
    ConceptQuestion.every.filter(pk=first.pk).update(replaced_at="2026-01-01T00:00Z")
    second = ConceptQuestion.objects.create(key="q-1", topic="t", version=2, prompt="?")
    assert set(ConceptQuestion.every.visible_to(ana)) == {first, second}
    assert not ConceptQuestion.every.visible_to(ben)


# The page


def test_an_owner_shares_by_address_and_it_is_written_down(anas_lesson, log_in, ana, ben):
    sent = {"address": "BEN@example.org", "access": "edit"}
    assert log_in(ana).post(page(anas_lesson), sent).status_code == 302
    assert anas_lesson in Lesson.objects.editable_by(ben)
    event = Event.objects.get(verb="sharing.row.shared")
    assert (event.actor, event.person, event.after) == (ana, ben, {"access": "edit", "all": False})


@pytest.mark.parametrize("address", ["nobody@example.org", "student@example.org"])
def test_an_address_without_an_instructors_account_is_refused(anas_lesson, log_in, ana, address):
    get_user_model().objects.create_user("student@example.org", "secret")
    answer = log_in(ana).post(page(anas_lesson), {"address": address, "access": "read"})
    assert answer.status_code == 400
    no_account = "No instructor on this site has this address"
    assert missing_in(answer.text, no_account, f'value="{address}"') == []
    assert shares_of(anas_lesson).count() == 1


def test_everybody_cannot_own(anas_lesson, log_in, ana):
    answer = log_in(ana).post(page(anas_lesson), {"address": "", "access": "own"})
    assert answer.status_code == 400
    assert "You can’t make every instructor an owner" in answer.text


def test_the_only_owner_cannot_leave(anas_lesson, log_in, ana):
    share_of_ana = shares_of(anas_lesson).get()
    answer = log_in(ana).post(page(anas_lesson), {"stop": share_of_ana.pk}, follow=True)
    assert "You’re the only owner" in answer.text
    again = log_in(ana).post(page(anas_lesson), {"address": ana.email, "access": "read"})
    assert again.status_code == 400
    assert anas_lesson in Lesson.objects.owned_by(ana)


def test_who_hands_it_over_may_leave(anas_lesson, log_in, ana, ben):
    share_of_ana = shares_of(anas_lesson).get()
    client = log_in(ana)
    client.post(page(anas_lesson), {"address": ben.email, "access": "own"})
    client.post(page(anas_lesson), {"stop": share_of_ana.pk})
    assert list(Lesson.objects.owned_by(ben)) == [anas_lesson]
    assert not Lesson.objects.visible_to(ana)


@each("sent", [{"stop": "9" * 30}, {"stop": "x"}, {"stop": "0"}])
def test_no_share_of_this_row_is_not_found(anas_lesson, log_in, ana, ben, sent):
    assert log_in(ana).post(page(anas_lesson), sent).status_code == 404
    others = Lesson.objects.create(slug="other", title="Other")
    add_owner(row=others, user=ben)
    of_other = shares_of(others).get()
    assert log_in(ana).post(page(anas_lesson), {"stop": of_other.pk}).status_code == 404
    assert shares_of(others).exists()


@pytest.mark.parametrize(
    ("whose", "found"), [("mine", "Mine"), ("shared", "Lent"), ("site", "Site")]
)
def test_lists_begin_with_whose_it_is(anas_lesson, log_in, ana, ben, whose, found):
    lent = Lesson.objects.create(slug="lent", title="Lent")
    add_owner(row=lent, user=ben)
    share(row=lent, user=ana, access=Access.READ, by=ben)
    Lesson.objects.create(slug="site", title="Site")
    address = f"{reverse('admin:lessons_lesson_changelist')}?whose={whose}"
    rows = log_in(ana).get(address).context["cl"].queryset
    assert [row.title for row in rows] == [found]


@pytest.mark.parametrize("deed", ["publish", "delete_selected"])
def test_an_action_leaves_what_may_only_be_read(anas_lesson, log_in, ana, ben, deed):
    share(row=anas_lesson, user=ben, access=Access.READ, by=ana)
    sent = {"action": deed, "_selected_action": [anas_lesson.pk], "post": "yes"}
    log_in(ben).post(reverse("admin:lessons_lesson_changelist"), sent)
    assert not refresh(anas_lesson).published


# Owners who leave


@pytest.mark.parametrize("way", ["deactivated", "no instructor", "deleted"])
def test_the_site_owns_what_an_owner_leaves_and_administrators_are_told(
    anas_lesson, ana, ben, root, way
):
    share(row=anas_lesson, user=ben, access=Access.READ, by=ana)
    if way == "deleted":
        forget(user=ana)
    else:
        setattr(ana, "is_active" if way == "deactivated" else "is_staff", False)
        ana.save()
    assert anas_lesson in Lesson.objects.of_the_site()
    assert anas_lesson in Lesson.objects.owned_by(root)
    assert anas_lesson in Lesson.objects.visible_to(ben)
    assert not Lesson.objects.visible_to(make_instructor_user("Cleo"))
    letter = Message.objects.get(kind="sharing.owner-left")
    assert (letter.to, letter.payload) == (root, {"rows": ["Lesson: Mine"]})


def test_nobody_is_told_where_another_owner_stays(anas_lesson, ana, ben, root):
    share(row=anas_lesson, user=ben, access=Access.OWN, by=ana)
    ana.is_staff = False
    ana.save()
    assert not Message.objects.filter(kind="sharing.owner-left").exists()


# Content of a quiz


def test_a_quiz_asks_what_its_owners_may_read_whoever_publishes(quiz, ana, ben, root):
    add_owner(row=quiz, user=ana)
    private, *_others = ConceptQuestion.objects.filter(topic="keys")
    add_owner(row=private, user=ben)
    freeze_pools(quiz=quiz)
    frozen = set(PooledQuestion.objects.filter(quiz=quiz).values_list("key", flat=True))
    assert private.key not in frozen
    share(row=private, user=ana, access=Access.READ, by=ben)
    freeze_pools(quiz=quiz)
    assert PooledQuestion.objects.filter(quiz=quiz, key=private.key).exists()
    stop_sharing(row=private, user=ana, by=ben)  # the frozen version stays
    assert PooledQuestion.objects.filter(quiz=quiz, key=private.key).exists()


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_two_who_may_edit_publish_and_share_in_the_same_moment(publishable_quiz, ana, ben):
    add_owner(row=publishable_quiz, user=ana)
    share(row=publishable_quiz, user=ben, access=Access.EDIT, by=ana)
    Quiz.objects.filter(pk=publishable_quiz.pk).update(published=False)
    together = Barrier(2)

    def run(deed):
        together.wait()
        deed()

    deeds = (
        lambda: publish_quiz(quiz=Quiz.objects.get(pk=publishable_quiz.pk)),
        lambda: share(row=publishable_quiz, user=ben, access=Access.READ, by=ana),
    )
    with Threads(2) as pool:
        list(pool.map(run, deeds))
    assert refresh(publishable_quiz).published
    assert publishable_quiz not in Quiz.objects.editable_by(ben)
