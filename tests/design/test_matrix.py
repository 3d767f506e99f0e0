"""The content of a matrix for people, programs and screen readers."""

from html.parser import HTMLParser

import numpy as np
import pytest
from django.template import Context, Template
from django.utils.safestring import mark_safe

from design.matrix import Cell, Matrix, format_number, heat_level, number_matrix, plain_number
from tests.world import missing_in


class Found(HTMLParser):
    """Every start tag with its attributes, and all the text."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


def render(matrix):
    return Found(Template("{% load design %}{% matrix m %}").render(Context({"m": matrix})))


def test_a_given_names_itself_and_carries_its_values():
    page = render(number_matrix([[0.3, -1.25]], caption="Scores", given="scores"))
    assert page.all("table") == [{"data-given": "scores"}]
    assert [cell["data-value"] for cell in page.all("td")] == ["0.3", "-1.25"]
    assert missing_in(page.text, "0.3", "−1.25") == []


def test_labels_are_header_cells_of_their_row_and_column():
    page = render(number_matrix([[1, 2]], caption="A", rows=["cat"], columns=["q₁", "q₂"]))
    assert [header["scope"] for header in page.all("th")] == ["col", "col", "row"]


def test_an_input_is_named_labelled_and_keeps_what_was_typed():
    cell = Cell(input="item-3-weights-0-1", text='"0,5"<b>')
    page = render(Matrix("Weights", ((Cell(), cell),), row_labels=("cat",)))
    (field,) = page.all("input")
    assert field["name"] == field["id"] == "item-3-weights-0-1"
    assert field["value"] == '"0,5"<b>'
    assert "aria-invalid" not in field
    assert page.all("label") == [{"class": "visually-hidden", "for": "item-3-weights-0-1"}]
    assert "Weights, cat, column 2" in page.text


def test_a_note_is_tied_to_its_input():
    cell = Cell(input="item-3-weights-0-0", text="x", note="“x” isn’t a number.")
    page = render(Matrix("Weights", ((cell,),)))
    (field,) = page.all("input")
    assert field["aria-invalid"] == "true"
    assert {"id": field["aria-describedby"]} in page.all("li")
    assert "“x” isn’t a number." in page.text


def test_what_a_text_was_read_as_is_tied_to_its_input_and_is_no_complaint():
    page = render(Matrix("Weights", ((Cell(input="item-3-weights-0-0", read_as="0.5"),),)))
    (field,) = page.all("input")
    assert "aria-invalid" not in field
    assert {"class": "cell-read", "id": field["aria-describedby"]} in page.all("span")
    assert "read as 0.5" in page.text


def test_a_caption_in_html_has_a_name_in_plain_words():
    weights = Matrix(
        mark_safe("<i>A</i>, the weights"), ((Cell(input="a"), Cell()),), name="A, the weights"
    )
    page = render(weights)
    assert "A, the weights, column 1" in page.text
    assert page.all("i") == [{}]


@pytest.mark.parametrize("mark", ["right", "wrong", "blank", "unreadable"])
def test_a_mark_is_a_word_and_not_only_a_colour(mark):
    page = render(Matrix("Answer", ((Cell(text="0.5", mark=mark),),)))
    assert mark in page.text
    assert f"is-{mark}" in page.all("td")[0]["class"]


def test_a_fixed_cell_cannot_be_typed():
    page = render(Matrix("Scores", ((Cell(text="−∞", fixed=True),),)))
    assert page.all("input") == []
    assert "data-value" not in page.all("td")[0]


def test_text_is_escaped():
    page = render(number_matrix([1], caption="<script>", columns=["<img src=x>"]))
    assert page.all("script") == page.all("img") == []


def test_points_of_a_column_are_brought_in_line():
    matrix = number_matrix([[0.25], [-12], [3.5]], caption="A")
    shown = [f"{placed.lead}{placed.cell.text}{placed.trail}" for _, (placed,) in matrix.lines]
    assert len({text.index(".") for text in shown}) == 1
    assert len({len(text) for text in shown}) == 1
    assert [placed.cell.text for _, (placed,) in matrix.lines] == ["0.25", "−12", "3.5"]


def test_only_what_may_overflow_a_phone_is_a_region_to_scroll():
    narrow = render(number_matrix([0.5, 0.5], caption="Two"))
    wide = render(number_matrix([0.25] * 12, caption="Twelve"))
    assert all("tabindex" not in div for div in narrow.all("div"))
    region = {"class": "matrix-scroll", "tabindex": "0", "role": "group", "aria-label": "Twelve"}
    assert region in wide.all("div")


def test_arrays_and_vectors_are_taken_as_they_come():
    square = number_matrix(np.eye(2), caption="I", decimals=1)
    vector = number_matrix(np.array([1.0, 2.0]), caption="v")
    assert [[cell.text for cell in row] for row in square.rows] == [["1.0", "0.0"], ["0.0", "1.0"]]
    assert [[cell.text for cell in row] for row in vector.rows] == [["1", "2"]]


def test_heat_follows_the_range_given():
    matrix = number_matrix([-1, 0, 1], caption="A", heat=(-1, 1))
    assert [cell.heat for cell in matrix.rows[0]] == [0, 5, 9]
    assert number_matrix([1], caption="A").rows[0][0].heat is None


@pytest.mark.parametrize(
    ("value", "level"),
    [(0, 0), (0.0999, 0), (0.1, 1), (0.95, 9), (1, 9), (-3, 0), (float("nan"), 0)],
)
def test_heat_is_clamped_to_ten_steps(value, level):
    assert heat_level(value) == level


def test_an_empty_range_of_heat_is_refused():
    with pytest.raises(ValueError, match="low must be below high"):
        heat_level(1, 2, 2)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.1 + 0.2, "0.30000000000000004"), (1e-7, "0.0000001"), (-0.0, "0"), (1e22, "1" + "0" * 22)],
)
def test_values_read_back_exactly(value, text):
    assert plain_number(value) == text
    assert float(text) == value


def test_infinity_is_printed_and_is_no_value():
    (cell,) = number_matrix([float("-inf")], caption="A").rows[0]
    assert (cell.text, cell.data_value) == ("−∞", "")


def test_rounding_never_prints_minus_nought():
    assert format_number(-0.0004, 3) == "0.000"
    assert format_number(-0.0006, 3) == "−0.001"


@pytest.mark.parametrize(
    "arguments",
    [
        {"rows": ((Cell(),), (Cell(), Cell()))},
        {"rows": ((Cell(),),), "row_labels": ("a", "b")},
        {"rows": ((Cell(),),), "column_labels": ("a", "b")},
    ],
)
def test_a_matrix_out_of_shape_is_refused(arguments):
    with pytest.raises(ValueError, match="A"):
        Matrix("A", **arguments)


def test_a_place_names_what_there_is_more_than_one_of():
    def places(rows, **labels):
        (_, cells), *_ = Matrix("A", rows, **labels).lines
        return [cell.place for cell in cells]

    a, b = Cell(note="odd"), Cell(note="odd")
    assert places(((a,),)) == [""]
    assert places(((a, b),), column_labels=("The", "cat")) == ["The", "cat"]
    assert places(((a, b),), column_labels=("1", "2")) == ["column 1", "column 2"]
    first = places(((a,), (b,)), row_labels=("The", "cat"), column_labels=("1",))
    assert first == ["The, column 1"]
