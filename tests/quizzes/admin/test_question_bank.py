"""The list of concept questions shows what an instructor chooses by."""

import pytest
from django.urls import reverse

from quizzes.models import ConceptQuestion, PooledQuestion
from sharing.models import Access, new_share
from tests.world import (
    make_instructor_user,
    make_question,
    make_quiz,
    make_user,
    missing_in,
    take_quiz,
    wrong_fields,
)

LIST = reverse("admin:quizzes_conceptquestion_changelist")

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked():
    """The one question of the quiz “one”."""
    return make_question("keys-1", "keys", prompt=r"Why divide by $\sqrt{d_k}$, *<b>not</b>*?")


@pytest.fixture
def one(asked):
    return make_quiz("one", {"topic": "keys"})


@pytest.fixture
def listed(log_in, share_all_content):
    """Return a function that lists the keys of the questions that a query finds."""
    client = log_in(make_instructor_user("Lia"))

    def find(**query):
        answer = client.get(LIST, query)
        assert answer.status_code == 200
        return [question.key for question in answer.context_data["cl"].result_list]

    find.client = client
    return find


def rows_in(client) -> dict[str, ConceptQuestion]:
    return {each.key: each for each in client.get(LIST).context_data["cl"].result_list}


def test_a_question_is_listed_by_its_words_with_formulas_as_letters(listed, one, asked, author):
    new_share(asked, user=author, access=Access.OWN).save()
    page = listed.client.get(LIST).text
    words = "Why divide by √d_k, &lt;b&gt;not&lt;/b&gt;?"
    assert missing_in(page, words, "keys-1", f"<bdi>{author.name}</bdi>", "1 quiz: One") == []


def test_the_filters_count_what_each_choice_finds(listed, one, asked):
    page = listed.client.get(LIST, {"_facets": "True"})
    assert page.status_code == 200
    assert "One (1)" in " ".join(page.text.split())


@pytest.mark.service
def test_the_facility_is_of_the_attempts_that_count_of_five_people_or_more(listed, one, asked):
    people = [make_user(f"P{number}") for number in range(6)]
    for person in people[:4]:
        take_quiz(person, one, wrong_fields)
    take_quiz(people[0], one)  # the better one counts
    assert rows_in(listed.client)["keys-1"].facility is None
    take_quiz(people[4], one)
    assert rows_in(listed.client)["keys-1"].facility == pytest.approx(2 / 5)
    take_quiz(people[5], one)  # one more would say what this one did
    assert rows_in(listed.client)["keys-1"].facility == pytest.approx(2 / 5)


def test_questions_are_found_and_marked_by_how_easy_they_were(listed, one, asked):
    make_question("values-1", "values")
    easy = make_quiz("easy", {"topic": "values"})
    people = [make_user(f"P{number}") for number in range(10)]
    for person in people[:5]:
        take_quiz(person, one, wrong_fields)
        take_quiz(person, easy)

    def found():
        return [listed(facility=each) for each in ("hard", "middle", "easy", "none")]

    assert found() == [["keys-1"], [], ["values-1"], []]
    page = listed.client.get(LIST).text
    assert page.count('class="qb-flag"') == 2
    for person in people[5:]:
        take_quiz(person, one)
    assert found() == [[], ["keys-1"], ["values-1"], []]
    assert listed.client.get(LIST).text.count('class="qb-flag"') == 1
    assert {key: row.asked for key, row in rows_in(listed.client).items()} == {
        "keys-1": 10,
        "values-1": 5,
    }


def test_a_row_says_what_is_reserved_and_names_two_of_many_quizzes(listed, asked):
    for number in range(3):
        make_quiz(f"quiz-{number}", {"topic": "keys"})
    ConceptQuestion.objects.update(reserved=True)
    page = listed.client.get(LIST).text
    assert missing_in(page, "published, reserved", "3 quizzes: Quiz-0, Quiz-1 …") == []


@pytest.mark.service
def test_a_question_is_used_where_its_pool_or_its_topic_is_asked(listed, one, asked):
    make_question("keys-2", "keys")
    make_question("keys-3", "keys", published=False)
    draft = make_quiz("draft", {"topic": "keys"}, published=False)
    PooledQuestion.objects.create(quiz=one, topic="keys", key="keys-1")
    names = {key: (row.used, row.used_titles) for key, row in rows_in(listed.client).items()}
    assert names["keys-1"][0] == 2
    assert names["keys-2"] == (1, "Draft")
    assert names["keys-3"][0] == 0
    assert listed(quiz=one.pk) == ["keys-1"]
    assert listed(quiz=draft.pk) == ["keys-1", "keys-2"]
    assert listed(quiz="none") == ["keys-3"]


def test_a_quiz_one_may_not_see_is_neither_named_nor_counted(log_in, one, asked, author):
    new_share(one, user=author, access=Access.OWN).save()
    row = rows_in(log_in(make_instructor_user("Mia")))["keys-1"]
    assert (row.used, row.used_titles) == (0, None)


def test_words_and_filters_find_questions(listed, one, asked):
    make_question("values-1", "values", prompt="Another?", published=False)
    assert listed(q="divide") == ["keys-1"]
    assert listed(q="Choice b of values") == ["values-1"]
    assert listed(topic="values") == listed(published__exact="0") == ["values-1"]
    assert listed(facility="none") == ["keys-1", "values-1"]
    assert listed(facility="hard") == []
    assert listed(facility="<b>", topic="<b>", quiz="<b>") == []


def test_more_questions_cost_the_list_no_more_queries(
    listed, one, asked, django_assert_max_num_queries
):
    for number in range(2, 12):
        make_question(f"keys-{number}", "keys")
    with django_assert_max_num_queries(14):
        assert len(listed()) == 11
