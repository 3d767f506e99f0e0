"""Names of downloaded files: the title as it is, in any writing."""

import email.message
import re
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation.downloads import content_disposition, file_name


def names_in(header):
    """Return the name in plain letters, and the one that browsers use."""
    plain = re.search(r'filename="([^"]*)"', header)[1]
    as_it_is = re.search(r"filename\*=utf-8''(\S+)$", header)
    return plain, unquote(as_it_is[1]) if as_it_is else plain


@pytest.mark.parametrize(
    "title", ["Математика", "数学入門", "🧠", "Größe 1", "علی\u200cرضا", "A & B"]
)
def test_a_title_names_its_file_as_it_is(title):
    name = f"{file_name(title, 'gradebook')}.csv"
    assert names_in(content_disposition(name))[1] == f"{title}-gradebook.csv"


def test_programs_that_read_plain_letters_alone_have_a_name_too():
    assert names_in(content_disposition("Attention 101-1.csv"))[0] == "attention-101-1.csv"
    assert names_in(content_disposition("数学入門.csv"))[0] == "download.csv"
    assert content_disposition("a-1.csv") == 'attachment; filename="a-1.csv"'
    assert content_disposition("a.ics", is_attachment=False) == 'inline; filename="a.ics"'


@given(st.lists(st.text(), max_size=3))
def test_any_title_makes_a_name_that_a_file_may_have(parts):
    name = file_name(*parts, "2026-11-25")
    assert len(f"{name}.csv".encode()) <= 255
    assert not set(name) & set('/\\:*?"<>|\r\n\0')
    assert not name.startswith(".")
    header = content_disposition(f"{name}.csv")
    assert header.isascii()
    assert header.isprintable()
    message = email.message.Message()
    message["Content-Disposition"] = header
    assert names_in(header)[1] == f"{name}.csv"
