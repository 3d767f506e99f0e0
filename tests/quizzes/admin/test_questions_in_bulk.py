"""Actions on several questions at once say what they did, and to which they did nothing."""

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from lessons.models import Lesson, Section
from quizzes.items.queries import tags_of
from quizzes.items.tags import parse_tags
from quizzes.models import Choice, ConceptQuestion, Topic
from sharing.models import Access, new_share, shares_of
from tests.each import each
from tests.world import admin_form, found_in, make_question, missing_in, refresh

LIST = reverse("admin:quizzes_conceptquestion_changelist")
PASTE = reverse("admin:quizzes_conceptquestion_paste")
TEXT = "## Why {}?\n" + "".join(
    f"- [{'x' if n == 1 else ' '}] {n}\n  Said {n}.\n" for n in range(4)
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def section():
    lesson = Lesson.objects.create(slug="taught", title="Taught")
    return Section.objects.create(lesson=lesson, slug="here", title="Here")


@pytest.fixture
def own(author):
    """Two drafts of the author's, and one that they can only read."""
    drafts = [make_question(f"keys-{number}", "keys", published=False) for number in (1, 2, 3)]
    for question in drafts[:2]:
        new_share(question, user=author, access=Access.OWN).save()
    return drafts


@pytest.fixture
def act(log_in, author):
    """Return a function that runs an action on questions as the author, and returns the page."""
    client = log_in(author)

    def run(action, questions, **sent):
        keys = [question.pk for question in questions]
        return client.post(LIST, {"action": action, "_selected_action": keys} | sent, follow=True)

    run.client = client
    return run


@pytest.mark.service
def test_publishing_lists_every_fault_with_a_link_to_its_field(act, own, section):
    good, bad, _read = own
    ConceptQuestion.objects.filter(pk=good.pk).update(section=section)
    Choice.objects.filter(question=bad, key__in="ab").delete()
    ConceptQuestion.objects.filter(pk=bad.pk).update(prompt=r"<b> $\nothing$")
    page = act("publish", own).text
    at = reverse("admin:quizzes_conceptquestion_change", args=[bad.pk])
    told = ["1 question has been published", "you can only read it: keys-3", "at least 4 choices"]
    told += ["Exactly one choice must be correct", "It has no section", "&lt;b&gt;"]
    links = [f'href="{at}#{anchor}"' for anchor in ("id_prompt", "id_section", "choices-group")]
    assert missing_in(page, *told, *links) == []
    form = act.client.get(at).text
    assert missing_in(form, 'id="id_prompt"', 'id="id_section"', 'id="choices-group"') == []
    assert [refresh(each).published for each in own] == [True, False, False]
    assert "1 question was already published" in act("publish", [good]).text


def test_the_missing_section_is_chosen_where_the_fault_is_told(act, own, section):
    assert 'name="section"' in act("publish", own[:1]).text
    assert "2 questions have been published" in act("publish", own[:2], section=section.pk).text
    assert {refresh(each).section for each in own[:2]} == {section}


def test_a_section_of_a_lesson_one_may_not_read_is_not_set(act, own, section, root):
    new_share(section.lesson, user=root, access=Access.OWN).save()
    act("publish", own[:1], section=section.pk)
    act("change_several", own[:1], section=section.pk, apply="1")
    assert refresh(own[0]).section is None


def test_the_form_refuses_to_publish_without_a_section(act, own):
    at = reverse("admin:quizzes_conceptquestion_change", args=[own[0].pk])
    sent = admin_form(act.client.get(at)) | {"published": "on"}
    assert "A published question needs one" in act.client.post(at, sent).text
    ConceptQuestion.objects.update(published=True)  # before this was asked for
    assert act.client.post(at, sent | {"explanation": "So."}).status_code == 302


def test_questions_are_withdrawn(act, own):
    ConceptQuestion.objects.update(published=True)
    assert "2 questions have been withdrawn" in act("withdraw", own).text
    assert [refresh(each).published for each in own] == [False, False, True]
    logged = LogEntry.objects.filter(change_message__contains="Withdrawn")
    assert {int(each.object_id) for each in logged} == {each.pk for each in own[:2]}


def test_section_topic_and_tags_are_changed_together(act, own, section):
    page = act("change_several", own).text
    assert missing_in(page, "Change 2 questions", 'name="add_tags"', "keys-3") == []
    sent = {
        "new_topic": "Look-ups",
        "section": section.pk,
        "add_tags": "Hard,  week  3",
        "apply": 1,
    }
    page = act("change_several", own, **sent).text
    assert "2 questions have been changed: Or a new topic, Section, Add tags" in page
    for question in own[:2]:
        assert (refresh(question).topic, question.section) == ("look-ups", section)
        assert tags_of(question.key) == ["hard", "week 3"]
    assert Topic.objects.get().title == "Look-ups"
    assert (refresh(own[2]).topic, tags_of("keys-3")) == ("keys", [])
    act("change_several", own, remove_tags="HARD", apply=1)
    assert tags_of("keys-1") == ["week 3"]
    assert refresh(own[0]).topic == "look-ups"


@each(
    "sent, told",
    [
        ({}, "Nothing you’ve chosen"),
        ({"add_tags": "x" * 41}, "at most 40 characters"),
        ({"add_tags": ",".join(map(str, range(21)))}, "There are 21 tags"),
        ({"topic": "<b>"}, "Select a valid choice"),
        ({"section": "<b>"}, "Select a valid choice"),
    ],
)
def test_a_change_that_is_not_valid_says_so_and_keeps_what_was_typed(act, own, sent, told):
    page = act("change_several", own, **sent, apply=1).text
    assert missing_in(page, told, *(sent.get("add_tags", "")[:9],)) == []


def test_duplicates_are_drafts_of_who_asked_for_them(act, own, author):
    ConceptQuestion.objects.update(published=True)
    act("change_several", own[:1], add_tags="hard", apply=1)
    page = act("duplicate_several", own[::2]).text  # one of them may only be read
    assert "2 copies have been added as drafts: keys-4, keys-5" in page
    for key, original in (("keys-4", own[0]), ("keys-5", own[2])):
        copy = ConceptQuestion.objects.get(key=key)
        assert (copy.texts(), copy.published) == (original.texts(), False)
        assert shares_of(copy).get().user == author
    assert (tags_of("keys-4"), tags_of("keys-5")) == (["hard"], [])


def test_a_tag_is_tidied_and_markup_stays_text(act, own):
    assert parse_tags(" Week\t 3,week 3,,<B>é\u0301") == ["week 3", "<b>é\u0301"]
    at = reverse("admin:quizzes_conceptquestion_change", args=[own[0].pk])
    sent = admin_form(act.client.get(at)) | {"tags": "<script>alert(1)</script>, 50%"}
    assert act.client.post(at, sent).status_code == 302
    page = act.client.get(LIST).text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;</span>" in page
    assert found_in(page, "<script>alert(1)") == []
    found = act.client.get(LIST, {"tag": "50%"}).context_data["cl"].result_list
    assert [question.key for question in found] == ["keys-1"]
    assert admin_form(act.client.get(at))["tags"] == "50%, <script>alert(1)</script>"
    act.client.post(reverse("admin:quizzes_conceptquestion_delete", args=[own[0].pk]), {"post": 1})
    assert tags_of("keys-1") == []


def test_pasted_questions_are_published_at_once_with_their_section_and_tags(act, section):
    sent = {"new_topic": "Pasted", "text": TEXT.format("a") + TEXT.format("b"), "tags": "new"}
    refused = act.client.post(PASTE, sent | {"publish": "on", "add": 1}).text
    assert missing_in(refused, "A published question needs one", "Why a?") == []
    assert not ConceptQuestion.objects.exists()
    sent |= {"publish": "on", "add": 1, "section": section.pk}
    page = act.client.post(PASTE, sent, follow=True)
    assert "2 questions have been added and published" in page.text
    added = ConceptQuestion.objects.all()
    assert {*page.context_data["cl"].result_list} == {*added}  # the list of their topic
    assert {(each.published, each.section) for each in added} == {(True, section)}
    assert tags_of(added[0].key) == tags_of(added[1].key) == ["new"]
