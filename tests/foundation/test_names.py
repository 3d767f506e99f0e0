"""Tidying names: signs that stay, signs that are left out, and a visible rest."""

import unicodedata

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from foundation.names import NameField, tidy_name
from tests.each import each

JOINED = [
    *("علی\u200cرضا", "ශ්\u200dරී", "👩\u200d💻", "❤️\u200d🔥", "👩🏽\u200d⚕️", "🙂\u200d↔️"),
    "র\u200d্য",
]
UNSEEN = (
    "\u200b\ufeff\u2060\u200e\u200f\u202a\u202c\u202e\u2066\u2069\u00ad\u2800\u3164\u115f\u034f"
)
NOTHING = [
    *UNSEEN,
    *("\u200c", "\u200d", "\ufe0f", "\u0301", "\u200d\u200c\u200d", "\u0301\u0308", "\u3000"),
]

signs = st.one_of(
    st.sampled_from([*UNSEEN, *" \t\u00a0\u200c\u200d\ufe0f\u0301\u0dca", *"aZ9é𝒳علශ👩💻❤🏽-'."]),
    st.characters(),
)
texts = st.lists(signs, max_size=60).map("".join)


@each("name", [*JOINED, "Åsa", "O'Brien", "数学入門", "🧠", "Zoë\u0301", "♥️"])
def test_what_can_be_seen_stays_as_it_is(name):
    assert tidy_name(name) == name
    assert tidy_name(f" {name}\u202e \u200b{name}\u200d ") == f"{name} {name}"


@each("sign", UNSEEN)
def test_invisible_signs_are_left_out(sign):
    assert tidy_name(f"{sign}A{sign}da{sign} {sign}L{sign}") == "Ada L"


@each("name", NOTHING)
def test_a_name_needs_a_visible_sign(name):
    assert tidy_name(name * 3) == ""
    with pytest.raises(ValidationError):
        NameField().clean(name)


@pytest.mark.parametrize("joiner", ["\u200c", "\u200d"])
def test_joiners_are_kept_between_letters_and_pictographs_alone(joiner):
    name = f"{joiner}a{joiner}{joiner}b{joiner} {joiner}1{joiner}2{joiner}"
    assert tidy_name(name) == f"a{joiner}b 12"


@given(texts)
def test_tidying_twice_changes_nothing_more(text):
    assert tidy_name(tidy_name(text)) == tidy_name(text)


@given(texts)
def test_nothing_comes_in_and_only_what_is_unseen_goes(text):
    left = iter(text)
    tidied = tidy_name(text)
    assert all(sign == " " or sign in left for sign in tidied)  # in the order that was typed
    drawn = [sign for sign in text if unicodedata.category(sign)[0] in "NP" or sign.isascii()]
    drawn = [sign for sign in drawn if not sign.isspace() and sign.isprintable()]
    assert [sign for sign in tidied if sign in drawn] == drawn


@given(st.text(alphabet=UNSEEN + "\u200c\u200d\ufe0f\u0301 \n\t"))
def test_without_a_visible_sign_nothing_is_left(text):
    assert tidy_name(text) == ""


@given(texts)
def test_lines_of_ten_thousand_signs_are_no_exception(text):
    assert tidy_name("\u0301\u200d" * 5000 + "Ada" + text + "\u200d" * 5000).startswith("Ada")
