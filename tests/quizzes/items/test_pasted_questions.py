"""Questions pasted as one text: code in it stays code, and nothing is lost or changed."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.errors import ContentError
from quizzes.items.pasted_questions import PastedQuestion, _blocks, join_lines, parse_questions
from tests.growth import grows_in_proportion

CODE = """\
## What does this print?

```python
# one query
>>> x = 2
- [x] no choice
## no heading

print(x)
```

- [x] A number
  It does:

  ```python
  if x:
      print(x)
      - [ ] no choice
  # no heading
  > no quotation
  ```

  - one
    - two
- [ ] Nothing
      ```
      if x:
          print(x)
      ```

> It prints
>
> ```
> >>> x ** 3
> 8
> ```

> and ends.
"""


def parts_of(question: PastedQuestion) -> list:
    choices = [
        (choice.text, choice.correct, join_lines(choice.feedback)) for choice in question.choices
    ]
    return [join_lines(question.prompt), choices, join_lines(question.explanation)]


def test_code_is_kept_as_it_was_typed():
    (question,) = parse_questions(CODE)
    prompt, choices, explanation = parts_of(question)
    assert (
        prompt == "What does this print?\n\n" + CODE.split("\n\n", 1)[1].partition("\n\n- [x]")[0]
    )
    assert choices == [
        (
            "A number",
            True,
            "It does:\n\n```python\nif x:\n    print(x)\n    - [ ] no choice\n# no heading\n"
            "> no quotation\n```\n\n- one\n  - two",
        ),
        ("Nothing", False, "```\nif x:\n    print(x)\n```"),
    ]
    assert explanation == "It prints\n\n```\n>>> x ** 3\n8\n```\n\nand ends."


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("## A ##\n- [X] b", ["A", [("b", True, "")], ""]),
        ("#\tA\n\n    ## code\n- [ ]\tb", ["A\n\n    ## code", [("b", False, "")], ""]),
        ("## A\n- an item\n- [x] b", ["A\n- an item", [("b", True, "")], ""]),
        ("## A\n- [x] b\n c\n   d", ["A", [("b", True, "c\n  d")], ""]),
        ("## A\n- [x] b\n\n c", ["A", [("b", True, "c")], ""]),
        ("## A\n- [x] b\n\n      code", ["A", [("b", True, "    code")], ""]),
        ("## A\n- [x] b\n\tc\n\n\td", ["A", [("b", True, "c\n\nd")], ""]),
        ("## A\n- [x] b\n  ### c", ["A", [("b", True, "### c")], ""]),
        ("## A\n- [x] b\n  > c", ["A", [("b", True, "> c")], ""]),
        ("## A\n>\tb\nlazy\n- [x] c", ["A", [("c", True, "")], "  b\nlazy"]),
        ("## A\n[a]: https://example.org\n- [x] c", None),
        ("## A\r\n\r\n* [ ] b\r\n  c\r\n", ["A", [("b", False, "c")], ""]),
        ("## A\n::: unfold B\n- [x] c\n## d\n:::\n- [x] e", None),
    ],
)
def test_what_belongs_to_what_is_as_markdown_has_it(text, parts):
    try:
        (question,) = parse_questions(text)
    except ContentError:
        assert parts is None
        return
    if parts is None:
        assert len(question.choices) == 1
        assert join_lines(question.prompt).count("\n") > 0
    else:
        assert parts_of(question) == parts


PIECES = ["#", "## ", "> ", ">", "- ", "- [x] ", "- [ ] ", "* [X] ", "1. ", "  ", "    ", "\t"]
PIECES += [
    *("```", "```\n", "~~~", "`", "\n", "\n\n", "\n", "a", "bc", "$", "|", ":::", "---"),
    "[a]: b",
]
PIECES += ["## A\n", "\n- [x] c\n  ", "\n\n## B\n\n"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


def signs_of(text: str) -> list[str]:
    return sorted(re.sub(r"\s", "", text))


@given(TEXTS)
def test_reading_accounts_for_all_of_the_text(text):
    text = f"## A\n{text}"
    try:
        questions = parse_questions(text)
    except ContentError:
        return
    lines = text.split("\n")
    taken = {}
    for question in questions:
        passages = [question.prompt, question.explanation]
        passages += [choice.feedback for choice in question.choices]
        for passage in passages:
            taken |= dict(zip(passage.numbers, passage, strict=True))
        taken |= {choice.line: choice.text for choice in question.choices}
    for number, line in enumerate(lines, start=1):
        kept = taken.get(number, "")
        # Apart from signs of structure, each line is there with its inner spaces.
        assert kept.strip() in line or "\t" in line, (number, line, kept)
        before, _kept, after = line.rpartition(kept.strip() or "\n")
        left = (before + after).strip()
        assert re.fullmatch(r"#{1,6}(\s+#+)?|>|[-*+]\s+\[[ xX]\]|", left), (number, line, kept)


LINE = st.text(alphabet="abc xyz.,$`*_#>-[]()|~1+=", max_size=12).map(str.strip)
SAFE = st.sampled_from(["Why?", "So it is.", "One *more*.", "A `b`", "Two - three", "1 > 0"])
FENCE = st.builds(
    lambda lines, mark: [f"{mark}python", *lines, mark],
    st.lists(LINE.filter(lambda line: not re.match("[`~]{3}", line)), max_size=4).map(
        lambda lines: [f"{'    ' * (at % 2)}{line}".rstrip() for at, line in enumerate(lines)]
    ),
    st.sampled_from(["```", "````", "~~~"]),
)
LIST = st.lists(SAFE, min_size=1, max_size=3).map(
    lambda items: [f"{'  ' * at}* {item}" for at, item in enumerate(items)]
)
QUOTE = SAFE.map(lambda line: [f"> {line}"])
PROSE = st.lists(SAFE, min_size=1, max_size=2)


def passages(*kinds):
    blocks = st.lists(st.one_of(PROSE, FENCE, *kinds), min_size=1, max_size=4)
    return blocks.map(lambda each: "\n\n".join("\n".join(block) for block in each).rstrip())


QUESTIONS = st.tuples(
    st.tuples(SAFE, passages(LIST)).map("\n\n".join),
    st.lists(st.tuples(SAFE, st.booleans(), passages(LIST, QUOTE)), min_size=1, max_size=4),
    passages(LIST, QUOTE),
)


def indented(text: str, by: str) -> str:
    return "\n".join(f"{by}{line}" if line else "" for line in text.split("\n"))


def written(prompt: str, choices: list, explanation: str, marker: str, deep: str) -> str:
    parts = [f"## {prompt}"]
    for text, correct, feedback in choices:
        sign = "x" if correct else " "
        parts.append(f"{marker}[{sign}] {text}\n\n{indented(feedback, deep)}")
    quoted = "\n".join(f"> {line}".rstrip() for line in explanation.split("\n"))
    return "\n\n".join([*parts, quoted]) + "\n"


@given(
    st.lists(QUESTIONS, min_size=1, max_size=3),
    st.sampled_from([("- ", "  "), ("*   ", "    "), ("+  ", "   ")]),
)
def test_questions_come_back_as_they_were_written(questions, style):
    text = "\n".join(written(*question, *style) for question in questions)
    assert [parts_of(each) for each in parse_questions(text)] == [list(each) for each in questions]


QUICK = ["[", "`", "$", "> ", "- [x] a\n", "```\n", "|", "[a]: b\n"]
UNITS = ["-", "9", ",", "\n", "## a\n", "- ", "    a\n", "*", "- [x] a\n  b\n", "a\n", "a\n\n"]
UNITS += ["\t", "# ", "<", "> a\n", "- a\n  "]


@pytest.mark.parametrize(
    "unit", [*QUICK, *(pytest.param(unit, marks=pytest.mark.slow) for unit in UNITS)]
)
def test_reading_takes_time_in_proportion_to_the_text(unit):
    def seconds(count):
        # Lines may have 10,000 characters each.
        line = (unit * 10_000)[:10_000]
        text = "## a\n\n" + f"{line}\n\n" * count
        begins = time.process_time()
        assert list(_blocks(text))
        return time.process_time() - begins

    assert grows_in_proportion(seconds, 2)
