"""People are found and sorted by folded names, which every way to write a name stores."""

import re
import unicodedata
from pathlib import Path

import hypothesis
import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import F, Value
from django.db.models.functions import Concat
from hypothesis import given
from hypothesis import strategies as st

from accounts.personal import forget
from classes.models import Membership
from foundation.folded_names import (
    Bytewise,
    Named,
    _folded,
    contains_words,
    fold,
    fold_all_blank,
    folded_words,
    last_first,
)

pytestmark = [pytest.mark.django_db, pytest.mark.service]
NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Z"]), min_size=1, max_size=8
)


def wrong():
    """Return rows whose folded columns do not match their names."""
    found = []
    for model in apps.get_models():
        if issubclass(model, Named):
            for row in model.objects.all():
                made = _folded(row.name, row.email, row.sorts_as)
                if {name: getattr(row, name) for name in made} != made:
                    found.append(row)
    return found


@given(st.text(max_size=20))
def test_folding_is_the_same_for_every_spelling_of_a_text(text):
    once = fold(text)
    assert fold(once) == once
    for form in ("NFC", "NFD"):
        assert fold(unicodedata.normalize(form, text)) == once
    assert not any(unicodedata.combining(sign) for sign in once)


def test_spellings_that_are_alike(subtests):
    for one, other in [
        ("Dvořák", "DVOŘÁK"),
        ("Dvořák", "Dvorak"),
        ("Dvořák", unicodedata.normalize("NFD", "Dvořák")),
        ("GARCÍA", "Garcia"),
        ("Straße", "STRASSE"),
        ("İpek Işık", "ipek ışik"),
        ("Søren Łukasz", "soren lukasz"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("Ａｄａ", "ada"),
        ("علی‌رضا", "علیرضا"),
        ("Ada   Zimmer ", "ada zimmer"),
    ]:
        with subtests.test(one=one, other=other):
            assert fold(one) == fold(other)


def people():
    return get_user_model().objects


def test_every_way_to_write_a_name_writes_what_it_is_searched_by(django_user_model, course):
    made = people().create_user("ada@example.org", None, name="Ada Zimmer")
    assert made.folded == "ada zimmer\nada@example.org"
    assert made.sort_key == "zimmer\tada\nada@example.org"
    people().bulk_create(
        [
            django_user_model(email="zoë@example.org", name="Zoë Adams"),
            django_user_model(email="nameless@example.org"),
        ]
    )
    assert not wrong()
    made.name = "Ada Müller"
    made.save(update_fields=["name"])
    assert not wrong()
    made.email = "Other@Example.org"
    made.save(update_fields=["email"])
    assert not wrong()
    made.sorts_as, made.name = "Ada, M.", "M. Ada"
    people().bulk_update([made], ["sorts_as", "name"])
    assert not wrong()
    people().filter(pk=made.pk).update(name="Ärmel")
    people().filter(name="Ärmel").update(name="Gone")  # the filter no longer matches it
    people().update(name=Concat(F("name"), Value(" É")))
    people().update_or_create(email="other@example.org", defaults={"name": "Çelik"})
    people().get_or_create(email="new@example.org", defaults={"name": "Øre"})
    assert not wrong()
    course.memberships.create(email="in@example.org", name="Ïn Vited", state="invited")
    course.memberships.filter(email="in@example.org").update(name="Ïn V.")
    Membership.objects.bulk_create(
        [Membership(course=course, email="b@example.org", name="B Ä", state="invited")]
    )
    assert not wrong()
    forget(user=made)
    assert not wrong()
    assert "celik" not in "".join(people().values_list("folded", flat=True))


def test_no_statement_by_hand_writes_names():
    tables = "|".join(m._meta.db_table for m in apps.get_models() if issubclass(m, Named))
    statement = re.compile(rf"(?:INSERT INTO|UPDATE|COPY)\s+\"?(?:{tables})\b", re.IGNORECASE)
    rows = re.compile(r"insert_rows\(\s*(?:User|Membership|get_user_model)")
    ours = [each.name for each in apps.get_app_configs() if "." not in each.name]
    for app in ours:
        for path in (Path(settings.BASE_DIR) / app).rglob("*.py"):
            text = path.read_text()
            assert not statement.search(text), path
            assert not rows.search(text), path


def test_rows_of_an_earlier_release_are_made_good(course):
    people().bulk_create(
        get_user_model()(email=f"{n}@example.org", name=f"Ada {n} Zimmér") for n in range(30)
    )
    with connection.cursor() as cursor:
        for table in ("accounts_user", "classes_membership"):
            cursor.execute(f"UPDATE {table} SET folded = '', sort_key = ''")
    assert fold_all_blank() == 31
    assert not wrong()
    assert fold_all_blank() == 0


@hypothesis.settings(max_examples=25)
@given(st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=8, unique=True))
def test_anybody_is_found_by_their_words_in_any_order_and_sorted_by_bytes(names):
    people().all().delete()
    people().bulk_create(
        get_user_model()(email=f"p{n}@example.org", name=f"{first} {last}")
        for n, (first, last) in enumerate(names)
    )
    for first, last in names:
        for typed in (f"{last}, {first}", f"{first.upper()} {last}", f"{last} {first}"):
            found = people().filter(contains_words(folded_words(typed), "folded"))
            assert f"{first} {last}" in {each.name for each in found} or not folded_words(typed)
    for column in ("folded", "sort_key"):
        found = list(people().order_by(Bytewise(column)).values_list(column, flat=True))
        assert found == sorted(found, key=str.encode)


def test_families_sort_before_longer_ones_and_whoever_has_no_name_by_address(django_user_model):
    names = ("Y De", "X De la Cruz", "Ada Zimmer", "Åsa Berg", "", "Zoe Adams")
    chosen = {"X De la Cruz": "De la Cruz, X"}
    people().bulk_create(
        django_user_model(email=f"m{n}@example.org", name=name, sorts_as=chosen.get(name, ""))
        for n, name in enumerate(names)
    )
    by_last = people().order_by(Bytewise("sort_key")).values_list("name", flat=True)
    assert list(by_last) == ["Zoe Adams", "Åsa Berg", "Y De", "X De la Cruz", "", "Ada Zimmer"]
    assert last_first("Ada Maria Zimmer") == "Zimmer, Ada Maria"
