"""People in pasted text and in files: every address that one may sign up with, and nothing lost."""

import csv
import io
import string

import pytest
from allauth.account.fields import EmailField
from django.core.exceptions import ValidationError
from hypothesis import assume, given
from hypothesis import strategies as st

from accounts.adapter import AccountAdapter
from classes import rosters
from classes.errors import Unreadable
from classes.limits import MAX_NAME_LENGTH
from classes.pasted import read_pieces, split_pieces
from classes.rosters import read_file, read_pasted
from foundation.mail_addresses import MAX_LENGTH
from foundation.names import tidy_name

ODD = [
    *("siobhan.o'brien@example.ie", "'o'@example.org", "a|b@example.org", "{ada}@example.org"),
    *("+ada@example.org", "=ada@example.org", "-@example.org", "a/b=c?d#e^f`g~h%i@example.org"),
    *('"a\\ b"@example.org', '"a,b;c"@example.org', '"a\\ \\ \\"b"@example.org'),
    '"<x>@y"@example.org',
    *("ada@[127.0.0.1]", "ada@[::1]", "ada@localhost", "ada@müller.example", "ada@例え.テスト"),
    *('"\x01\\\t"@example.org', "ſ@example.org", "and@example.org", "ADA@EXAMPLE.ORG"),
]
ATOM = string.ascii_letters + string.digits + "!#$%&'*+/=?^_`{}|~-"
WITHIN = "".join(map(chr, range(33, 127)))


def signed_up(typed):
    """Return the address that an account would have, or None."""
    try:
        return AccountAdapter().clean_email(EmailField().clean(typed))
    except ValidationError:
        return None


atoms = st.text(ATOM, min_size=1, max_size=12)
quoted = st.text(WITHIN.replace('"', "").replace("\\", "") + "\x01\x0b", max_size=12)
local_parts = st.one_of(
    st.lists(atoms, min_size=1, max_size=3).map(".".join), quoted.map('"{}"'.format)
)
domains = st.sampled_from(
    [*("example.org", "a-b.example.co.uk", "EXAMPLE.org", "müller.example", "例え.テスト")]
    + ["[127.0.0.1]", "[2001:db8::1]", "localhost", "نامه\u200cای.example"]
)
addresses = st.one_of(
    st.sampled_from(ODD), st.tuples(local_parts, domains).map("@".join), st.emails()
)


def csv_of(*rows):
    file = io.StringIO()
    csv.writer(file).writerows(rows)
    return file.getvalue().encode()


def accepted(lines):
    return [(line.name, line.address) for line in lines if not line.problem]


@given(addresses)
def test_every_address_that_one_may_sign_up_with_is_read(typed):
    address = signed_up(typed)
    assume(address)
    assert accepted(read_pasted(typed)) == [("", address)]
    assert accepted(read_pasted(f"Ada L <{typed}>, ")) == [("Ada L", address)]
    assert accepted(read_pasted(f"mailto:{typed}")) == [("", address)]
    assert accepted(read_file(csv_of(["Name", "Email"], ["Ada L", typed]))) == [("Ada L", address)]
    assert accepted(read_file(csv_of(["Ada L", typed]))) == [("Ada L", address)]
    assert accepted(read_file(csv_of([typed]))) == [("", address)]


@given(
    st.lists(addresses, min_size=2, max_size=5), st.sampled_from([" ", "\t", " and ", ";", ", "])
)
def test_several_addresses_are_as_many_lines(typed, between):
    wanted = [signed_up(each) for each in typed]
    assume(all(wanted))
    assert [line.address for line in read_pasted(between.join(typed))] == wanted


typed_text = st.lists(
    st.one_of(
        addresses,
        st.sampled_from(["Ada", "Dee, Tutor", '"Dee, Tutor"', "and", "o'Brien", *'<>"\\']),
        st.sampled_from([*"\"'()[],;@ \t\n|", "\r\n"]),
        st.text(max_size=4),
    ),
    max_size=14,
).map("".join)
PUNCTUATION = set("\"'()[]{}<>“”„‘’«»\\")
CONNECTING = {"and", "or", "und", "oder", "et", "ou", "y", "o", "e", "en", "och", "og"}


@given(typed_text)
def test_pieces_add_up_to_what_was_pasted(text):
    pieces = list(split_pieces(text))
    at = 0
    for typed, tokens in pieces:
        at = text.index(typed, at)
        assert "".join(token.text for token in tokens) == "".join(_without_gaps(typed, tokens))
        at += len(typed)
    between = len(text) - sum(len(typed) for typed, _tokens in pieces)
    assert between == len(pieces) - 1  # a separator between each two


def _without_gaps(typed, tokens):
    at = 0
    for token in tokens:
        found = typed.index(token.text, at)
        assert not typed[at:found].strip()
        at = found + len(token.text)
        yield token.text
    assert not typed[at:].strip()


@given(typed_text)
def test_each_visible_piece_is_people_or_refused_with_what_it_says(text):
    lines = iter(read_pasted(text))
    for piece in read_pieces(text):
        if not piece.people:
            line = next(lines)
            assert line.problem in (rosters.BAD_ADDRESS, rosters.SEVERAL)
            tidied = tidy_name(piece.text)
            is_long = len(tidied) > MAX_LENGTH  # several addresses without a gap, for example
            assert line.address == (f"{tidied[: MAX_LENGTH - 1]}…" if is_long else tidied)
        for person in piece.people:
            line = next(lines)
            assert (line.address, line.name) == (person.address, person.name[:MAX_NAME_LENGTH])
            is_long = len(person.name) > MAX_NAME_LENGTH
            assert line.problem in ([rosters.LONG_NAME] if is_long else ["", rosters.TWICE])
    assert next(lines, None) is None


@given(typed_text)
def test_what_is_accepted_is_what_was_typed(text):
    for piece in read_pieces(text):
        if not piece.people:
            continue
        left = tidy_name(piece.text).lower()
        for person in piece.people:
            # Between quotation marks an address may hold what is tidied elsewhere.
            for part in (tidy_name(person.address), *person.name.lower().split()):
                plain = left if part in left else left.replace("\\", "")
                assert part in plain
                left = plain.replace(part, "", 1)
        words = "".join(" " if sign in PUNCTUATION else sign for sign in left).split()
        words = [word for word in words if word.removeprefix("mailto:") not in ("", *CONNECTING)]
        assert not any(map(str.isalnum, "".join(words))), (piece, words)


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ('"Dee, Tutor" <dee@x.org>', [("Dee, Tutor", "dee@x.org")]),
        (
            "“Dee, Tutor” <dee@x.org>, „A, B“ <a@x.org>",
            [("Dee, Tutor", "dee@x.org"), ("A, B", "a@x.org")],
        ),
        (
            '"Dee \\"D\\" Tutor" <dee@x.org>; <b@x.org>',
            [('Dee "D" Tutor', "dee@x.org"), ("", "b@x.org")],
        ),
        ("Ada <a@x.org> Bo B <b@x.org>", [("Ada", "a@x.org"), ("Bo B", "b@x.org")]),
        ("'a@x.org' (b@x.org) [c@x.org] \"d@x.org\"", [("", f"{each}@x.org") for each in "abcd"]),
        ("a@x.org and b@x.org, and c@x.org", [("", f"{each}@x.org") for each in "abc"]),
        ("a@x.org\tAda Lovelace", [("Ada Lovelace", "a@x.org")]),
        ("a@x.org <a@x.org>", [("", "a@x.org")]),
        ("\ufeffa@x.org\u200b", [("", "a@x.org")]),
        ("ａｄａ＠x.org", [("", "ada@x.org")]),
    ],
)
def test_names_and_addresses_as_people_type_them(text, people):
    assert accepted(read_pasted(text)) == people


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Ada a@x.org Bo b@x.org", rosters.SEVERAL),
        ("Ada <a@x.org> b@x.org", rosters.SEVERAL),
        ("a@x.org b@x", rosters.BAD_ADDRESS),
        ("a@x.orgb@x.org", rosters.BAD_ADDRESS),
        ("o brien@x.org@", rosters.BAD_ADDRESS),
        ("x" * 10_000, rosters.BAD_ADDRESS),
        ("x" * 10_000 + "@x.org", rosters.BAD_ADDRESS),
        ("x" * 10_000 + " a@x.org", rosters.LONG_NAME),
    ],
)
def test_what_is_not_one_person_is_refused_as_a_whole(text, problem):
    (line,) = read_pasted(text)
    assert line.problem == problem
    assert line.address in (text, text[:253] + "…", "a@x.org")


def test_a_file_without_heads_lists_the_lines_before_the_first_that_can_be_read():
    lines = read_file(b"Bad Line,not-an-address\nSi,o''@\nAda,ada@x.org,Lab 1\n\nBo,\n")
    assert [(line.number, line.address, line.problem) for line in lines] == [
        (1, "not-an-address", rosters.BAD_ADDRESS),
        (2, "o''@", rosters.BAD_ADDRESS),
        (3, "ada@x.org", ""),
        (5, "", rosters.NO_ADDRESS),
    ]
    assert [line.unread for line in lines] == ["", "", "Lab 1", ""]


def test_a_file_lists_what_is_above_its_heads_and_beyond_them():
    lines = read_file(b"Attention 101,2026\n\nEmail,Name\na@x.org,Muster, Maria\n")
    assert [(line.address, line.problem, line.unread) for line in lines] == [
        ("Attention 101, 2026", rosters.ABOVE_HEADS, ""),
        ("a@x.org", "", "Maria"),
    ]


def test_a_line_of_a_file_with_two_people_is_neither_two_nor_one():
    (line,) = read_file(b"a@x.org,b@x.org")
    assert (line.address, line.problem) == ("a@x.org, b@x.org", rosters.SEVERAL)
    (line,) = read_file(b'Email\n"a@x.org; b@x.org"')
    assert (line.address, line.problem) == ("a@x.org; b@x.org", rosters.SEVERAL)


cells = st.one_of(
    addresses, st.sampled_from(["Ada", "Lab 1", "not-an-address", ""]), st.text(max_size=8)
)


@given(st.lists(st.lists(cells, min_size=1, max_size=3), min_size=1, max_size=6), st.booleans())
def test_every_row_that_says_anything_is_a_line(rows, with_heads):
    heads = [["Email", "Name", "Section"]] if with_heads else []
    content = csv_of(*heads, *rows)
    assume("\0" not in content.decode(errors="replace"))
    try:
        lines = read_file(content)
    except (Unreadable, UnicodeEncodeError):
        return
    visible = [row for row in rows if any(map(tidy_name, row))]
    assume(not any(rosters.ADDRESS[0] in "".join(row).casefold() for row in visible))
    assert len(lines) == len(visible)
    for line, row in zip(lines, visible, strict=True):
        if not line.problem:
            assert line.address in [signed_up(cell) for cell in row]


@pytest.mark.parametrize(
    ("written", "name", "sorts_as"),
    [
        ("Zimmer, Ada", "Ada Zimmer", "Zimmer, Ada"),
        ("van der Berg, Jan", "Jan van der Berg", "van der Berg, Jan"),
        *((name, name, "") for name in ("Davis, Jr.", "King, III", "Curie, PhD", "Watson, M.D.")),
    ],
)
def test_only_the_column_of_canvas_has_the_family_name_first(written, name, sorts_as):
    (line,) = read_file(csv_of(["Student", "Email"], [written, "a@x.org"]))
    assert (line.name, line.sorts_as) == (name, sorts_as)
    (line,) = read_file(csv_of(["Name", "Email"], [written, "a@x.org"]))
    assert (line.name, line.sorts_as) == (written, "")
    (line,) = read_pasted(f'"{written}" <a@x.org>')
    assert (line.name, line.sorts_as) == (written, "")


def test_joiners_of_a_name_survive_a_file():
    text = "Email,Name\na@x.org,علی\u200cرضا\nb@x.org,👩\u200d💻\n"
    assert [line.name for line in read_file(text.encode())] == ["علی\u200cرضا", "👩\u200d💻"]
