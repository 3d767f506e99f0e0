"""Texts of authors who aren't trusted: each fault gets a sentence, its place, and no more time."""

import json
import re
import time

import numpy as np
import pytest

from attention_core.errors import FormulaError, NoFitVariant
from attention_core.formulas import read
from attention_core.formulas.functions import NAMES
from attention_core.proving import prove_many
from tests.each import each
from tests.slowness import slowness

SECONDS = 0.05
ROUNDS = 3
HEAD = "sizes: T = 3, 2; d_k = 2, 3\nQ, K: tenths(T, d_k)\nx: tenths(T)\n"
# What Python and NumPy say of themselves.
FOREIGN = re.compile(
    r"Traceback|invalid syntax|unexpected|object|operand|NoneType|ast\.|Error|numpy|ndarray"
    r"|argument of type|index out|not defined|family own"
)


def fault(text: str) -> FormulaError:
    """Return the error of a text, which came in time, with a place in it and a sentence."""
    taken = []
    for _ in range(ROUNDS):
        began = time.thread_time()
        with pytest.raises(FormulaError) as refused:
            read(text, "own")
        taken.append(time.thread_time() - began)
    found = refused.value
    lines = text.replace("\r\n", "\n").split("\n")
    assert 1 <= found.line <= len(lines)
    assert 1 <= found.column <= len(lines[found.line - 1]) + 1
    assert re.fullmatch(r"\S.{8,}[.)?]", str(found), re.DOTALL)
    assert not FOREIGN.search(str(found))
    assert str(found).encode()
    assert min(taken) < SECONDS or min(taken) < 2 * SECONDS * slowness()
    return found


def refused(formula: str) -> tuple[int, str]:
    """Return the column of the fault within a step's formula, and the sentence."""
    found = fault(f"{HEAD}out = {formula}")
    assert found.line == 4
    return found.column - len("out = "), str(found)


@each(
    "text",
    [
        "a" * 100_000,
        "q: tenths(3)\n" * 8_000,
        f"{HEAD}out = Q{'+Q' * 50_000}",
        f"{HEAD}out = {'(' * 10_000}Q{')' * 10_000}",
        f"{HEAD}out = {'-' * 5_000}Q",
        f"title: {'a' * 600}\n{HEAD}out = x",
    ],
)
def test_too_long(text):
    assert "characters" in str(fault(text))


@each(
    "formula",
    [
        "(" * 200 + "Q" + ")" * 200, "(" * 200, "[" * 200, "Q[" * 60 + "0" + "]" * 60,
        "-" * 400 + "Q", "- " * 200 + "Q", "x" + "+x" * 200, "x" + ".T" * 200, "2" + "**2" * 150,
        "Q" + "[0]" * 100, "softmax(" * 45 + "x" + ")" * 45,
    ],
)  # fmt: skip
def test_too_deep(formula):
    assert "nested" in refused(formula)[1]


@each(
    "formula, column",
    [
        ("().__class__", 1), ("Q.__class__", 1), ("x + Q.shape", 5), ("Q.T.dtype", 1),
        ("__import__('os')", 12), ("__import__(os)", 1), ("_largest(x)", 1),
        ("getattr(x, 'T')", 12), ("f'{x}'", 2), ("'a'", 1), ("b'a'", 2), ("1j*x", 1), ("...", 1),
        ("(y:=x)", 2), ("[x, x]", 1), ("[a for a in x]", 1), ("{1: 2}", 1), ("{1}", 1),
        ("sum(a for a in x)", 4), ("(yield x)", 2), ("await x", 1), ("lambda: x", 1),
        ("lambda x: x", 1), ("softmax(*x)", 9), ("softmax(**x)", 11), ("x % 2", 3), ("x // 2", 1),
        ("x << 2", 1), ("x | x", 3), ("~x", 1), ("not x", 1), ("x and x", 1), ("x in x", 1),
        ("x is x", 1), ("x; x", 2), ("x \\", 3), ("x # sum", 3), ("x, x", 1), ("None", 1),
        ("True + x", 1), ("(x)(x)", 1), ("Q[()]", 1), ("Q['a']", 3), ("Q[None]", 3),
        ("Q[...]", 3), ("Q[::2]", 3), ("Q[*x]", 3), ("0xff * x", 1), ("0b1 * x", 1),
        ("1_000 * x", 1), ("x if T == 2 else x", 1), ("1 + (x if T == 2 else x)", 6),
        ("sum(x, axis=0, axis=0)", 21), ("softmax(x, __class__=1)", 1), ("x < x < x", 1),
        ("softmax(x, True=1)", 12),
    ],
)  # fmt: skip
def test_nothing_of_python_beyond_the_notation_is_reached(formula, column):
    assert refused(formula)[0] == column


@each("name", ["𝐐", "Ｑ", "Ԛ", "х", "ﬁ", "x²", "π", "x\u200b"])
def test_letters_of_other_scripts_are_no_names(name):
    assert "isn’t a plain character" in refused(name)[1] or "200B" in refused(name)[1]
    assert "isn’t a plain character" in str(fault(f"{name}: tenths(3)\nout = 1"))
    assert "isn’t a plain character" in str(fault(f"{HEAD}{name} = x"))


@each(
    "character, shown",
    [("\ud800", "U+D800"), ("\0", "U+0000"), ("\v", "U+000B"), ("\f", "U+000C"), ("\r", "U+000D"),
     ("\x85", "U+0085"), ("\u2028", "U+2028"), ("\x1b", "U+001B")],
)  # fmt: skip
@pytest.mark.parametrize("place", ["title: a{}b\n" + HEAD + "out = x", HEAD + "out = x {}+ 1"])
def test_invisible_characters_are_shown_by_their_numbers(character, shown, place):
    assert shown in str(fault(place.format(character)))


@each("change", [("\n", "\r\n"), (" ", "\t"), ("sizes", "\ufeffsizes")])
def test_line_ends_tabs_and_the_mark_of_an_encoding_change_nothing(change):
    text = f"{HEAD}keep max(x) > 0\nout = x + 1\n  weight: 2"
    changed = read(text.replace(*change), "own")
    assert changed.step("out").weight == 2
    assert prove_many(changed, [1], {})[0].problem.fingerprint == (
        prove_many(read(text, "own"), [1], {})[0].problem.fingerprint
    )


@each(
    "text, line",
    [
        ("x: tenths(1000000000)\nout = x", 1), ("x: tenths(10**9)\nout = x", 1),
        ("x: tenths(20, 20, 20)\nout = x", 1), ("x: tenths(0)\nout = x", 1),
        ("x: tenths(-3)\nout = x", 1), ("x: shares(20)\nout = x", 1),
        ("x: scores(21)\nout = x", 1), ("t: sentence(9)\nx: tenths(3)\nout = x", 1),
        ("a, b: meanings(9)\nout = a", 1),
        ("sizes: T = 1000000000\nx: tenths(T)\nout = x", 1),
        (f"sizes: T = {'9' * 400}\nx: tenths(T)\nout = x", 1),
        ("sizes: T = 0\nx: tenths(T)\nout = x", 1),
        ("sizes: " + "; ".join(f"a{n} = 1, 2" for n in range(30)) + "\nx: tenths(3)\nout = x", 1),
        ("x: tenths(3)\nout = onehot(0, 10**9)", 2),
        ("x: tenths(3)\nout = onehot(0, 1000000000)", 2),
        ("x: tenths(3)\nout = onehot(0, 0)", 2), ("x: tenths(3)\nout = tril(1000000000)", 2),
        ("x: tenths(3)\nout = tril(0)", 2), ("x: tenths(3)\nout = tril(21)", 2),
        ("x: tenths(20)\nout = outer(concat(x, x), concat(x, x))", 2),
        ("x: tenths(20)\ny = concat(" + ", ".join(["x"] * 8) + ")\nout = outer(y, y)", 3),
        ("x: tenths(3)\nout = concat(" + ", ".join(["x"] * 9) + ")", 2),
    ],
)  # fmt: skip
def test_no_array_is_huge_or_empty(text, line):
    assert fault(text).line == line


@each(
    "formula",
    ["softmax(Q, axis=9**9)", "softmax(Q, axis=Q)", "softmax(Q, 9)", "softmax(Q, axis=0.5)",
     "softmax(Q, axis=-1e14)", "softmax(Q, 1, axis=0)", "sum(x, 1)", "sum(axis=0)",
     "relu(x, axis=0)", "split(Q, 0, 0)", "split(Q, 2, 5)", "split(Q, 2, -1)", "split(Q, x, 0)",
     "split(1, 1, 0)",
     "x[1000000000]", "x[10**9]", "Q[1e400]", "Q[-9]", "Q[0.5]", "Q[5:9]", "Q[0:1e400]",
     "Q[x]", "Q[T]", "Q[who, 0]", "Q[0, 0, 0]", "1[0]", "Q[0+1]", "1e400", "1e999 * x",
     "123456789012345678", "x.T", "x @ 1", "Q @ K", "Q + K.T", "outer(Q, x)", "rope(x)",
     "argmax(Q)",
     "softmax", "softmax + 1", "out", "foo(x)", "foo"],
)  # fmt: skip
def test_what_has_no_meaning_is_refused_where_it_stands(formula):
    refused(formula)


@each("name", NAMES)
def test_no_function_can_do_without_its_arguments(name):
    assert name in refused(f"{name}()")[1]


@each(
    "formula",
    ["9**9**9 - x", "x * 9**9**9", "x / 0", "log(0 * x)", "sqrt(0 - 1 - x * x)",
     "99999**(99999 + x * x)",
     "x * 1e14 * 1e14**30", "layer_norm(x - x)"],
)  # fmt: skip
def test_a_step_that_is_never_a_number_is_a_fault(formula):
    assert "never gives a number" in refused(formula)[1]


def test_exponents_that_are_huge_in_some_draws_only_are_left_to_the_proof():
    family = read("x: tenths(3)\nout = exp(30 + 400 * x * x)", "own")
    with pytest.raises(NoFitVariant):
        prove_many(family, [1], {}, most_draws=30)


def test_rows_that_are_wholly_masked_get_no_weight():
    family = read(f"{HEAD}out = softmax(mask(Q @ K.T, 0 * tril(T)))", "own")
    values = family.solve({"Q": np.ones((3, 2)), "K": np.ones((3, 2)), "T": np.array(3.0)})
    assert not values.out.any()
    with pytest.raises(NoFitVariant):
        prove_many(family, [1], {}, most_draws=30)


def test_bounds_that_no_draw_keeps_end_in_the_proof():
    began = time.thread_time()
    family = read(f"{HEAD}keep max(x) > 5\nout = x + 1", "own")
    assert time.thread_time() - began < 2 * slowness()
    with pytest.raises(NoFitVariant):
        prove_many(family, [1], {}, most_draws=30)


@each("keep", ["Q > 5", "foo > 1", "x[9] > 1", "5", "max(x)", "", "max(x) > 1 > 0", "x = 1"])
def test_bounds_compare_numbers(keep):
    assert fault(f"{HEAD}keep {keep}\nout = x").line == 4


@each(
    "text, line",
    [
        ("a = b\nb = a", 1), (f"{HEAD}a = b + x\nb = x + 1", 4), (f"{HEAD}a = a + x", 4),
        (f"{HEAD}a = x\na = x + 1", 5), (f"{HEAD}x = x + 1", 4), ("x, x: tenths(3)\nout = x", 1),
        ("out = 1 + 2", 1), ("t: sentence(3)\nout = 1 + 1", 1), ("", 1), (" \n\n", 1), ("# x", 1),
        (HEAD, 1), ("  x: y\nout = 1", 1), (f"{HEAD}out == x", 4), (f"{HEAD}: x", 4),
        (f"{HEAD}1 = x", 4), ("1: tenths(3)\nout = 1", 1), (f"{HEAD}statement: {{foo}}\nout = x",
        4),
        (f"{HEAD}statement: {{Q}}\nout = x", 4), ("title: a\ntitle: b", 2),
        (f"version: x\n{HEAD}out = x", 1), (f"part: foo\n{HEAD}out = x", 1),
    ],
)  # fmt: skip
def test_names_stand_for_one_thing_each_that_comes_before(text, line):
    assert fault(text).line == line


@each(
    "name",
    ["if", "else", "lambda", "None", "True", "for", "in", "and", "import", "items", "keys", "keep",
     "title", "sizes", "np", "len", *NAMES],
)  # fmt: skip
def test_words_with_a_meaning_are_no_names(name):
    assert fault(f"{HEAD}{name} = x + 1").line == 4
    assert fault(f"{HEAD}{name}, y: tenths(3)\nout = x").line == 4
    assert fault(f"sizes: {name} = 3\nx: tenths(3)\nout = x").line == 1


@each(
    "draw",
    ["tenths(3) + 1", "foo(3)", "3", "tenths(3, low=5)", "tenths(3, low=1e14)", "tenths(3, foo=1)",
     "tenths(3, low=0, low=1)", "tenths(3, low=1+1)", "tenths(n)", "softmax(tenths(3))", "choice()",
     "choice(a)", "choice(1, 2, foo=3)", "tenths(3) if T == 2 else tenths(3)", "lopsided(3, 5)",
     "suited(tenths(3, 2), y)", "sentence()", "sentence(3, foo=1)", "sentence(n)", "word_pair()",
     "meanings(2)", "dot(y, y)", "tenths(3) \"label", "x", "onehot(0, 0)"],
)  # fmt: skip
def test_draws_that_cannot_be_drawn(draw):
    assert fault(f"x: {draw}\nout = 1 + x").line == 1


@each(
    "formula, told",
    [
        ("K^T", "a matrix is transposed by K.T."), ("x^T x", "a matrix is transposed by x.T."),
        ("K^{\\top}", "transposed by K.T."), ("x.T @ x", "for a dot product write dot(a, b)."),
        ("Q K.T", "write Q @ K.T for a product of matrices, Q * K.T cell by cell."),
        ("Q V", "write Q @ V for a product of matrices"),
        ("Q * K.T", "`*` needs the same shape; for a matrix product write `@`."),
        ("Q * x", "for a matrix product write `@`."), ("Q + K.T", "`+` needs the same shape."),
        ("x·y", "write dot(x, y) for vectors, x * y for numbers."), ("2·x", "write 2 * x."),
        ("(x + 1)·x", "write dot(a, b) for vectors, * for numbers."),
        ("mean x", "write mean(x)."), ("dot x y", "write dot(x, y)."),
        ("sqrt d_k", "write sqrt(d_k)."), ("x / std x", "write sqrt(var(x))."),
        ("\\frac{x}{T}", "write (x) / (T)."), ("\\sum x", "write sum(x)."),
        ("\\sqrt{T}", "write sqrt(T)."), ("\\mu + x", "write mu."), ("\\foo", "write sqrt(x),"),
        ("\\mathrm{mean}(x)", "write mean alone"), ("σ", "write sigma."), ("x * Δ", "write Delta."),
        ("e**x", "exp(x)."), ("e**(x + 1)", "exp(x + 1)."), ("e^x", "write exp(x)."),
        ("x^3", "write a power as x ** 3."), ("x[i]", "numbers, counted from 0: x[0]."),
        ("0,5", "write 0.5."), ("x * 0,5", "write 0.5."), ("np.mean(x)", "write mean(x)."),
        ("np.linalg.norm(x)", "write norm(x)."), ("x.sum()", "write sum(x)."),
        ("x.std()", "write sqrt(var(x))."), ("Q.mean(0)", "write mean(Q, 0)."),
        ("x.reshape(3)", "only “.T” can."), ("2(x+1)", "write 2 * (x+1) to multiply."),
        ("(x + 2)(x + 1)", "write (x + 2) * (x + 1)"), ("length(x)", "Write norm(x)."),
        ("magnitude(x)", "Write norm(x)."),
        ("cov(x, 2 * x)", "Write mean((x - mean(x)) * (2 * x - mean(2 * x)))."),
        ("corr(x, x)", "/ sqrt(var(x) * var(x))."), ("pow(x + 1, 3)", "Write (x + 1) ** 3."),
        ("cosine(x, x)", "Write dot(x, x) / (norm(x) * norm(x))."),
        ("median(x)", "There’s no function median. There’s no median here"),
        ("median x", "There’s no median here"), ("x dot x", "write dot(x, x)."),
        ("x'", "transpose a matrix with x.T."), ("‖x‖", "norm(x) is a vector’s length."),
        ("ReLU(x)", "There’s no function ReLU. Did you mean relu?"), ("e + x", "as exp(1)."),
        ("2 * pi * x", "as 3.1416."), ("log10(x)", "Write log(x) / log(10)."),
        ("len(x)", "Write the size’s name."), ("foo(x)", "There’s no function foo. The functions:"),
        ("x > 0 and x < 1", "(a > 1) * (b > 1)."), ("x > 0 or x < 1", "(a > 1) + (b > 1) >= 1."),
        ("x =< 1", "write <= instead of =<."), ("$x$", "leave out the $ signs."),
    ],
)  # fmt: skip
def test_other_notations_are_told_with_what_stands_for_them(formula, told):
    assert told in refused(formula)[1]


@each(
    "line, told",
    [
        ("statment: Work (it) out.", "Did you mean statement:?"),
        ("Statement: Work it out.", "Did you mean statement:?"),
        ("size: n = 3", "Did you mean sizes:?"), ("Keep max(x) > 1", "keep max(x) <= 4."),
        ("keep: max(x) > 1", "a space and a comparison"), ("keep(x > 1)", "a space and a"),
        ("kepe max(x) > 1", "Write a condition as “keep”"),
        ("weights: tenths(T", "This bracket isn’t closed: add “)”."),
        ("title My problem", "Write a colon after title."), ("sizes n = 3", "a colon after sizes."),
        ('c: tenths(T), "c"', 'straight quotes: c: tenths(T) "…".'),
        ("label: The * dot", "Begin this line with spaces: it belongs to"),
        ("reword a: No.", "Begin this line with spaces"), ("weight: 2", "Begin this line with"),
        ("  lable: x", "Did you mean label:?"), ("  title: x", "Begin this line without spaces."),
        ("  label:", "Write something after “label:”"), ("  hint: ", "something after “hint:”"),
        ("  how:", "something after “how:”, or leave the line out."),
        ("summary: a\nstatement:", "Write something after “statement:”"),
        ("c: tenths(T) A caption", 'Put the caption in straight quotes: c: tenths(T) "…".'),
        ("c: tenths(T) 'caption'", 'Put the caption in straight quotes: c: tenths(T) "…".'),
        ('c, d: tenths(T, 2) "cap', 'straight quotes: c, d: tenths(T, 2) "…".'),
        ("c: tenths(T) “caption", 'Put the caption in straight quotes: c: tenths(T) "…".'),
        ("wrong: s = x", 'Write a mistake with feedback: wrong: s = … : "feedback".'),
        ("wrong: s = x : No.", 'wrong: s = … : "feedback".'),
        ("wrong: s = x : 'No.'", 'wrong: s = … : "feedback".'),
        ("c: random(T)", "There’s no draw random. The draws: choice, hundredths,"),
        ("c: vector(T)", "There’s no draw vector. The draws:"),
        ("c: tenth(T)", "There’s no draw tenth. Did you mean tenths?"),
        ("c: integers(T, -2, 2)", "Bounds have names: write integers(T, low=-2, high=2)."),
        ("c: integers(-2, 2)", "Bounds have names: write integers(T, low=-2, high=2)."),
        ("c: tenths(n)", "n isn’t in sizes: T, d_k. Else add “; n = 3” to that line."),
        ('c = tenths(T) "c"', 'A given has a colon: c: tenths(T) "c".'),
        ("mean x = x + 1", "A name has letters, digits and _ only, such as mean_x."),
        ("|a| = x + 1", "only, such as a."), ("$c$ = x + 1", "only, such as c."),
        ("σ = x + 1", "write sigma."), ("c := x + 1", "To define c, write = instead of :=."),
        ("keep max(x) = T", "write == instead of =."), ("keep x = Q", "write == instead of =."),
        ("keep T > 1 and T < 4", "write two “keep” lines"),
    ],
)  # fmt: skip
def test_a_line_that_is_nearly_right_is_told_how_it_is_written(line, told):
    found = fault(f"{HEAD}s = x + 1\n{line}")
    assert told in str(found)
    assert found.line == 5 + line.count("\n")


@each(
    "lines, told, line",
    [
        ("s = 5", "Every student would have the same answer: use a given.", 4),
        ("s = x + 1\nt = sqrt(2) / 3", "Every student would have the same answer", 5),
        ("s = -(1 + 2)\nt = s + x", "Every student would have the same answer", 4),
        ("s = x", "This only copies x, so there’s nothing to work out.", 4),
        ("s = x + 1\nt = s", "This only copies s, so", 5), ("s = T", "This only copies T, so", 4),
    ],
)  # fmt: skip
def test_a_step_without_work_is_refused(lines, told, line):
    found = fault(HEAD + lines)
    assert told in str(found)
    assert found.line == line


@each("lines", ["s = x", "s = 5", "s = x + 1\n  label:", "s = x + 1\nstatement:"])
def test_a_text_that_was_published_before_is_read_all_the_same(lines):
    fault(HEAD + lines)
    assert read(HEAD + lines, "own", trials={"off": {}, "own": {}}).steps[0].key == "s"


def test_a_step_of_sizes_alone_is_work():
    read("sizes: T = 3, 2; d_k = 2\nQ: tenths(T, d_k)\ncells = T * d_k", "own")


def test_a_size_is_asked_for_where_there_is_none():
    assert "write a line “sizes: n = 3”." in str(fault("x: tenths(n)\ns = x + 1"))


def test_curly_quotes_are_as_good_as_straight_ones():
    text = 'x: tenths(3) "the “x”"\ns = x + 1\nwrong: s = x - 1 : "Add: “1”."'
    curly = text.replace('"the “x”"', "“the ‘x’”").replace('"Add: “1”."', "“Add: 1.”")
    straight = text.replace("“x”", "‘x’").replace("“1”", "1")
    known = [read(each, "own").step("s").mistakes[0].feedback for each in (text, curly, straight)]
    assert known == ["Add: “1”.", "Add: 1.", "Add: 1."]
    assert [read(each, "own").givens[0].label for each in (text, curly, straight)] == [
        "the “x”", "the ‘x’", "the ‘x’"
    ]  # fmt: skip


@each("name", ["parts", "wieght", "weight", "cell", "first", "statements"])
def test_a_given_may_be_called_nearly_as_a_key_is(name):
    assert read(f"{name}: tenths(3)\ns = {name} + 1", "own").givens[0].key == name


def test_suited_keys_are_no_single_numbers():
    assert fault("q: choice(1, 2)\nk: suited(choice(1, 2), q)\nout = k + 1").line == 2


@each(
    "line",
    ["foo: bar", "weight: 1000", "weight: x", "seconds: 0", "decimals: 2", "fixed: foo", "fixed: Q",
     "fixed: x if x else x", "fixed:", "axes: a", "axes: places, places", "cell: 9, 9", "cell: x",
     "mistakes: foo", "without: foo", "reword foo: Mind.", "reword subtracted:", "reword: Mind.",
     "label", "reword a b: Mind.", ": x"],
)  # fmt: skip
def test_lines_that_a_step_does_not_have(line):
    assert fault(f"{HEAD}out = x + 1\n  {line}").line == 5


@each(
    "mistake",
    ["nowhere = x : \"No.\"", "out = x + 1 : \"No.\"", "out = Q : \"No.\"", "out = 2 * x : \"\"",
     "out = 2 * later : \"No.\"", "out = 2 * foo : \"No.\"", "out = 2 * x", "out = : \"No.\"",
     "out = 1 + x : \"No.\"", "out = x + softmax(0 * x[0:1])[0] : \"No.\""],
)  # fmt: skip
def test_mistakes_are_wrong_results_of_a_step(mistake):
    """The last two are the right one by other formulas."""
    assert fault(f"{HEAD}out = x + 1\noops: {mistake}\nlater = out * out").line == 5


def test_a_step_has_each_mistake_once():
    text = f'{HEAD}out = x + 1\noops: out = x : "Add."\noops: out = 2 * x : "Add."'
    assert fault(text).line == 6


def test_a_mistake_that_is_right_by_another_formula_is_refused_even_if_it_is_listed():
    text = f'{HEAD}out = Q @ K.T\n  mistakes: oops\noops: out = (K @ Q.T).T : "No."'
    assert (
        str(fault(text)) == "This mistake gives the right result: change its formula, or remove it."
    )


def test_a_mistake_that_is_right_at_some_sizes_only_is_kept_for_the_others():
    text = 'sizes: n = 1, 3\nx: tenths(n)\nout = sum(x)\noops: out = 3 * mean(x) : "No."'
    family = read(text, "own")
    assert prove_many(family, [1], {})[0].problem.givens["x"].shape == (1,)


SUM_OF_A = " + ".join(["a"] * 30)


@each(
    "lines, complaint, line",
    [
        (["s = x + 1"], "", 0),
        ([f"s{n} = softmax(x / a) + softmax(a * x / 2)" for n in range(12)], "The steps’", 3),
        ([*[f"keep {SUM_OF_A} > 0"] * 5, "s = x + 1"], "All formulas", 1),
        ([f"s{n} = x + {n}\n    fixed: x * ({SUM_OF_A})" for n in range(1, 6)], "All formulas", 1),
        (["y, z, u, v, w, t: tenths(20, 20)", "s = x + 1"], "The givens have", 2),
        ([", ".join(f"y{n}" for n in range(32)) + ": tenths(2)", "s = x + 1"], "names", 1),
    ],
)  # fmt: skip
def test_a_text_of_too_much_is_refused(lines, complaint, line):
    text = "\n".join(["sizes: a = 1, 2", "x: tenths(a)", *lines])
    if complaint:
        found = fault(text)
        assert complaint in str(found)
        assert found.line == line
    else:
        read(text, "own")


def test_a_text_of_too_many_formulas_at_too_many_sizes_is_refused():
    steps = "\n".join(f"s{n} = {n} + x * 2 + 3 * x" for n in range(8))
    found = fault(f"x: tenths(3)\nsizes: a = 1, 2, 3, 4, 5, 6; b = 1, 2, 3, 4\n{steps}")
    assert "too much" in str(found)
    assert found.line == 2


def test_names_of_sizes_leave_a_kind_a_name_of_200_characters():
    def sized(length):
        return f"x: tenths(3)\nsizes: T(a{'b' * 50}) = 3, 12\n    n({'c' * length}) = 1\ns = x + 1"

    options = read(sized(60), "k" * 60, version=123456).combinations()[-1]
    name = f"{'k' * 60}/123456/{json.dumps(options, sort_keys=True)}"
    rest = 200 - len(name)
    read(sized(60 + rest), "own")
    found = fault(sized(61 + rest))
    assert "1 more than allowed" in str(found)
    assert found.line == 2
