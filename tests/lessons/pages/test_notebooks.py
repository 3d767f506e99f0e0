"""Lessons as notebooks: their Python runs and prints the output that the page shows."""

import contextlib
import io

import nbformat
import pytest
from django.test import Client

from lessons.authoring.services import import_lesson
from lessons.models import Lesson
from tests.lessons.conftest import CONTENT, SMALL
from tests.world import found_in

LESSONS = sorted((CONTENT / "lessons").glob("*.md"))
WITH_CODE = [path for path in LESSONS if path.stem != "primer"]
BODY = """\
See [the next](lesson:other#two), a [[token]] and ![a cat](image:cat).

::: choose Which *one*?
- [x] *This*

  Yes.
- [ ] That

  No.
:::

::: unfold In NumPy
```python
print(1 + 1)
```

```text
2
```
:::

```softmax_slider
scores: [1, 2]
labels: [a, b]
control: factor
values: [1, 2]
start: 1
```
"""


def notebook(client, slug):
    answer = client.get(f"/lessons/{slug}/notebook.ipynb")
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{slug}.ipynb"'
    read = nbformat.reads(answer.text, as_version=nbformat.NO_CONVERT)
    nbformat.validate(read)
    return read


@pytest.fixture
def cells(client, db):
    import_lesson(text=SMALL.replace("A token, more tokens.", BODY))
    return notebook(client, "small").cells


@pytest.mark.parametrize("path", WITH_CODE, ids=lambda path: path.stem)
def test_a_lesson_s_code_runs_from_top_to_bottom_and_prints_what_it_says(client, db, path):
    import_lesson(text=path.read_text())
    code = [cell for cell in notebook(client, path.stem).cells if cell.cell_type == "code"]
    assert len(code) >= 3
    names = {}
    for cell in code:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(cell.source, names)  # noqa: S102 - ours
        (output,) = cell.outputs
        assert printed.getvalue() == output.text, cell.source


def test_code_and_its_output_are_one_cell(cells):
    (code,) = (cell for cell in cells if cell.cell_type == "code")
    assert (code.source, code.outputs[0].text) == ("print(1 + 1)", "2\n")
    assert not any("```" in cell.source for cell in cells)


def test_text_is_what_jupyter_reads(cells):
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    assert "[the next](http://testserver/lessons/other/#two), a token and *a cat*" in text
    assert "**Which *one*?**" in text
    assert "<details><summary>This</summary>\n\n\n  Yes.\n\n</details>" in text
    assert "](http://testserver/lessons/small/#one)" in text  # to the figure
    assert found_in(text, ":::", "[[") == []


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("It costs $5, not $10.", r"It costs \$5, not \$10."),
        (r"It costs \$5, not $10.", r"It costs \$5, not \$10."),
        ("A formula, $x_1$, and $5 or `$6`.", r"A formula, $x_1$, and \$5 or `$6`."),
        ("``a ` [[b]]`` and [[token]]", "``a ` [[b]]`` and token"),
        ("`](lesson:other)` and [the next](lesson:other)", "`](lesson:other)` and [the next](http"),
        ("`two\nlines $5` and $6", "`two\nlines $5` and \\$6"),
        ("> - costs $5\n>   or $6", "> - costs \\$5\n>   or \\$6"),
        ("| a | b |\n|--|--|\n| $5 | `$x\\|y` $6 |", "| \\$5 | `$x\\|y` \\$6 |"),
        ("$$\nx\n$$\n\n$5 and $6", "$$\nx\n$$\n\n\\$5 and \\$6"),
        ("::: unfold For $5 or $6\nThis.\n:::", r"**For \$5 or \$6**"),
        ("````\n```\na\n```\n````", "````\n```\na\n```\n````"),
        ("~~~text\n````\n~~~", "`````text\n````\n`````"),
        (
            "::: choose Which?\n- [x] *The* `a*b<c`, $5\n\n  Yes.\n- [ ] $a < b$\n\n  No.\n:::",
            "<summary>The <code>a*b&lt;c</code>, \\$5</summary>",
        ),
        (
            "::: choose Which?\n- [x] A\n\n  Yes.\n- [ ] B\n\n  No.\n\nIt *is* A.\n:::",
            "\n</details>\n<details><summary>Show me</summary>\n\nIt *is* A.\n\n</details>",
        ),
    ],
)
def test_code_formulas_and_dollars_stay_what_they_are(client, db, body, shown):
    import_lesson(text=SMALL.replace("A token, more tokens.", f"{body}\n\n```python\n1\n```\n"))
    sources = [cell.source for cell in notebook(client, "small").cells]
    assert any(shown in source for source in sources), sources


def test_titles_are_no_markdown(client, db):
    text = SMALL.replace("A small lesson", "The *price* is $5").replace("So small.", "Or $6_a_")
    import_lesson(text=text.replace("A token, more tokens.", "```python\n1\n```\n"))
    first = notebook(client, "small").cells[0].source
    assert first.startswith("# The \\*price\\* is \\$5\n\nOr \\$6\\_a\\_\n")


def test_a_draft_s_notebook_is_its_authors_alone(client, author_client, small_lesson):
    Lesson.objects.update(published=False)
    small_lesson.sections.filter(slug="one").update(body=BODY)
    assert Client().get("/lessons/small/notebook.ipynb").status_code == 404
    assert author_client.get("/lessons/small/notebook.ipynb").status_code == 200


def test_only_a_lesson_with_code_offers_it(client, small_lesson):
    assert "notebook.ipynb" not in client.get("/lessons/small/").text
    small_lesson.sections.filter(slug="one").update(body=BODY)
    assert "/lessons/small/notebook.ipynb" in client.get("/lessons/small/").text
