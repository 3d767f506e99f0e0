"""Files for spreadsheets: no name makes a cell run, and numbers stay numbers."""

import csv
import io
import tracemalloc
from datetime import datetime
from itertools import repeat
from tempfile import TemporaryFile

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from openpyxl import load_workbook

from foundation.spreadsheets import (
    BYTE_ORDER_MARK,
    csv_lines,
    escape_formula,
    spreadsheet_response,
    write_xlsx,
)

STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
ATTACKS = [
    *("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\u200b=1", "a;=1", "a\n=1", '"=1')
]
TEXTS = st.text(st.characters(codec="utf-8"), max_size=40) | st.sampled_from(ATTACKS)
# XML has one kind of line end, and not every character.
FIT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]), max_size=40)


def read_csv(rows):
    text = "".join(csv_lines(rows))
    return list(csv.reader(io.StringIO(text.removeprefix(BYTE_ORDER_MARK), newline="")))


def read_xlsx(rows):
    file = io.BytesIO()
    write_xlsx(file, rows, title="A title: [1]")
    return [list(row) for row in load_workbook(file).active.iter_rows()]


@given(TEXTS)
@example("=1+1")
def test_no_cell_of_a_csv_file_begins_like_a_formula(text):
    [[cell, last]] = read_csv([(text, "end")])
    assert last == "end"
    if cell == "-":
        return  # this is no formula
    for separated in (cell, *cell.split(";"), *cell.split("\n"), *cell.split("|")):
        assert not separated.strip(" \u200b\u00ad\ufeff").startswith(STARTS[:4])
    assert not cell.startswith(STARTS)


@given(st.text(st.characters(categories=["L", "N"]), max_size=20))
def test_a_harmless_text_stays_as_it_is(text):
    assert escape_formula(text) == text
    assert escape_formula(f"{text}-{text}") == f"{text}-{text}"


@given(FIT | st.sampled_from(["=1+1", "+1", "-1", "@SUM(A1)", "http://a.example", "{=1}"]))
def test_every_text_of_a_workbook_is_read_back_as_the_text_it_is(text):
    [[cell, _last]] = read_xlsx([(text, "end")])
    assert cell.data_type in ("s", "inlineStr") or (cell.value is None and text == "")
    assert (cell.value or "") == text
    assert cell.hyperlink is None


@pytest.mark.parametrize("number", [-1.5, 0, 12.25, -7])
def test_numbers_stay_numbers(number):
    assert read_csv([("a", number)]) == [["a", str(number)]]
    assert "".join(csv_lines([("a", number)], mark=False)) == f'"a",{number}\r\n'
    cell = read_xlsx([("a", number)])[0][1]
    assert (cell.data_type, cell.value) == ("n", number)


def test_what_is_missing_is_empty_and_a_moment_is_one():
    at = datetime(2026, 5, 3, 14, 5)
    assert read_csv([("a", None, at)]) == [["a", "", "2026-05-03 14:05"]]
    _name, missing, moment = read_xlsx([("a", None, at)])[0]
    assert (missing.value, moment.value) == (None, at)


def test_what_no_file_can_hold_is_replaced():
    assert read_csv([("a\0b",)]) == [["a\ufffdb"]]
    assert read_xlsx([("a\0b",)])[0][0].value == "a\ufffdb"


def test_a_row_is_written_before_the_next_is_asked_for():
    asked = []

    def rows():
        for n in range(3):
            asked.append(n)
            yield (str(n),)

    lines = csv_lines(rows())
    assert next(lines) == BYTE_ORDER_MARK
    assert next(lines) == '"0"\r\n'
    assert asked == [0]


def peak_of(count):
    tracemalloc.start()
    try:
        for _line in csv_lines(repeat(("Ada", 1.5), count)):
            pass
        with TemporaryFile() as file:
            write_xlsx(file, repeat(("Ada", *[1.5] * 10), count), title="t")
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_ten_times_the_rows_take_no_more_memory():
    peak_of(10)
    assert peak_of(4000) < peak_of(400) + 200_000


def test_a_download_has_a_name_and_excel_knows_what_it_is():
    answer = spreadsheet_response([("Ada",)], "größe", "csv")
    assert b"".join(answer.streaming_content).startswith(BYTE_ORDER_MARK.encode())
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert "filename*=utf-8''gr%C3%B6%C3%9Fe.csv" in answer.headers["Content-Disposition"]
