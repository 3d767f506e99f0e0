"""Wrong parameters of a widget get an error for the author."""

import json
import re

from lessons.errors import ContentError
from lessons.rendering import render_markdown
from tests.lessons.widgets.test_reading_widgets import MOUSE, WIDGETS, context
from tests.lessons.widgets.test_widgets import THINKING

THREE = {name: THINKING[name] for name in ("tokens", "q", "k", "v")}
# Parameters that are right, by widget.
RIGHT = WIDGETS | {
    "attention_steps": THREE,
    "formula": THREE,
    "positions": {"choose": 0, "compare": 1},
    "recurrent_beside_attention": {"tokens": ["The", "cat", "on", "the", "mat"], "path": [2, 5]},
    "heads": {"source": "animal_it"},
}
# By widget: the changes to these parameters, or the whole text, and the error.
WRONG = {
    "attention_steps": [
        ({"tokens": ["one"]}, "tokens must be a list of 2 labels, not 1"),
        ({"q": [[1, 2], [3]]}, "the rows of q must all have the same length"),
        ({"q": [[1], [2]]}, "the rows of q and k must be equally long"),
        ({"v": [[1]]}, "q, k and v need one row for each token"),
        ({"k": "none"}, "k must be rows of numbers"),
        ({"k": [["a"], ["b"]]}, "k contains “a”, which isn’t a valid number"),
        ({"k": [[True], [False]]}, "k contains “True”, which isn’t a valid number"),
        ({"q": [[float("nan")], [1]]}, "q contains “NaN”, which isn’t a valid number"),
        ({"q": [[1e300], [1]]}, "q contains “1e[+]300”, which isn’t a valid number"),
        ({"v": None}, "missing: v, or x in place of q, k and v"),
        ({"x": [[1], [2]]}, "give either x, or those three"),
        ({"x": [[1], [2, 3]]}, "the rows of x must all have the same length"),
        ({"temperature": 0}, "temperature must be a number from 0.01 to 100"),
        ({"scale": "yes!"}, "scale must be true or false"),
        ({"show": [0, 1]}, "show must be a row and a column"),
        ({"show": [1, 2], "causal": True}, "the causal mask hides the cell that “show” names"),
        ({"decimals": 50}, "decimals must be a whole number from 0 to 6"),
        ({"colour": "red"}, "there’s no parameter “colour”; the parameters are: tokens, q, k, v"),
        ({"q": [[0] * 25] * 2}, "q can have at most 24 rows and columns"),
    ],
    "formula": [
        ({"q": [[1]]}, "the rows of q and k must be equally long|q, k and v need one row"),
        ({"v": "none"}, "v must be rows of numbers"),
        ({"tokens": ["one"]}, "tokens must be a list of 2 labels, not 1"),
        ({"decimals": 9}, "decimals must be a whole number from 0 to 6"),
    ],
    "positions": [
        ({"dimensions": 7}, "dimensions come in pairs"),
        ({"dimensions": 34}, "dimensions must be at most 32"),
        ({"positions": 65}, "positions must be at most 64"),
        ({"positions": 4, "compare": 4}, "compare must be one of the positions, from 0 to 3"),
        ({"choose": -1}, "choose must be a whole number, 0 or more"),
        ({"caption": 3}, "caption must be text"),
    ],
    "recurrent_beside_attention": [
        ({"tokens": ["one"], "path": [1, 1]}, "tokens must be 2 to 12 words"),
        ({"tokens": ["a"] * 13}, "tokens must be 2 to 12 words"),
        ({"path": [1, 6]}, "path must be two of the words, counted from 1, such as .1, 5."),
        ({"path": 3}, "path must be two of the words"),
    ],
    "heads": [
        ({"source": "nothing"}, "one of: animal_it, "),
        ({"heads": [[3, 1]]}, "heads must list at least two"),
        ({"heads": [[9, 9], [3, 1]]}, "list of some of"),
        ({"choose": "elephant"}, "one of the tokens"),
        ({"source": ""}, "give either a source|one of: "),
    ],
    "vectors": [
        ("labels: [a]\nvectors: [[1, 2]]\n", "from 2 to 3 rows of two numbers"),
        ("labels: [a, b]\nvectors: [[1, 2, 3], [1, 2, 3]]\n", "from 2 to 3 rows of two numbers"),
        ("labels: [a]\nvectors: [[1, 2], [2, 1]]\n", "labels must be a list of 2 labels, not 1"),
    ],
    "blending": [
        ("labels: [a]\nvalues: [[1, 2]]\nscores: [1]\n", "from 2 to 6 rows of two numbers"),
        ("labels: [a, b]\nvalues: [[1, 2], [2, 1]]\nscores: [1]\n", "one number for each"),
        ("labels: [a, b]\nvalues: [[1, 2], [2, 1]]\nscores: [1, 6]\n", "between −5 and 5"),
    ],
    "attention_map": [
        ("caption: none", "give either a source, or tokens and weights"),
        ("source: animal_it\ntokens: [a]", "give either a source, or tokens and weights"),
        ("source: elephant", "source must be one of: animal_it, animal_it_wide"),
        ("source: animal_it\nchoose: cat", "choose must be one of the tokens: .CLS., the, animal"),
        ("source: animal_it\nheads: [[9, 9]]", r"heads must be a list of some of these: \[0, 2\]"),
        ("source: animal_it\nheads: 3", "heads must be a list of some of"),
        ("tokens: [a, b]\nweights: [[1, 0], [1, 1]]", r"must add up to 1; \[1, 1\] doesn’t"),
        ("tokens: [a, b]\nweights: [[2, -1], [1, 0]]", "must add up to 1"),
        ("tokens: [a, b]\nweights: [[1], [1]]", "weights must have one column for each token"),
        ("tokens: [a]\nweights: [[1]]\nheads: [[0, 0]]", "heads can only be chosen for a source"),
    ],
    "text_to_vectors": [
        ({"text": " "}, "text must be text"),
        ({"ids": [1]}, "ids needs one entry for each token; the tokens are"),
        ({"ids": [1, -2]}, "each of the ids must be a whole number, 0 or more"),
        ({"tokens": [True]}, "tokens must be a list of words"),
        ({"embeddings": [[1]]}, "embeddings needs one entry for each token"),
        ({"positions": "learned"}, "or the word sinusoidal"),
        ({"positions": "sinusoidal"}, "embeddings of an even width"),
        ({"positions": [[1], [2]]}, "positions and embeddings must be equally"),
        ({"caption": 3}, "caption must be text"),
    ],
    "two_contexts": [
        ({"word": "rat"}, "“rat” isn’t among the tokens of number 1 of contexts"),
        ({"contexts": [MOUSE["contexts"][0]]}, "there must be two contexts"),
        ({"contexts": [{}, {}]}, "number 1 of contexts needs tokens and x"),
        ({"contexts": context(1, colour="red")}, "number 2 of contexts needs"),
        ({"contexts": context(1, x=[[1, 1, 0]])}, "one row in x for each token; it has 1 for 5"),
        ({"contexts": context(0, x=[[1, 2, 3]] * 5)}, "a different vector in each"),
        ({"contexts": context(0, name=7)}, "name of number 1 of contexts must be"),
    ],
    "softmax_slider": [
        ({"scores": [1]}, "at least two numbers"),
        ({"scores": [[1], [2]]}, "which isn’t a valid number here"),
        ({"labels": ["a"]}, "labels must be a list of 3 labels, not 1"),
        ({"control": "heat"}, "control must be one of: temperature, d_k, factor"),
        ({"control": ["d_k"]}, "control must be one of"),
        ({"values": [2, 1]}, "from small to large"),
        ({"values": [0, 1]}, "must be above 0 when control is temp"),
        ({"values": [1, 2], "start": 3}, "one of the values: 1, 2"),
    ],
    "comparison": [
        ({"columns": ["one"]}, "from 2 to 4 things to compare"),
        ({"rows": []}, "rows must be a list"),
        ({"rows": [["a", "b"]]}, "row 1 of rows has 2 entries; it needs 3"),
        ({"rows": [["a", "b", "$\\nope$"]]}, "nope"),
    ],
    "encoder_diagram": [
        ({"norm": "middle"}, "norm must be one of: post, pre; not “middle”"),
        ({"layers": 0}, "layers must be a whole number, 1 or more"),
        ({"layers": 1000}, "layers must be at most 999"),
        ({"parts": ["attention"]}, "parts are lines of the form"),
        ({"parts": {"nose": "x"}}, "each of the parts must be one of: input"),
        ({"parts": {"input": " "}}, "the text of input must be text"),
    ],
    "model_map": [
        ({"here": []}, "here must be a list of words"),
        ({"here": ["scores", "nose"]}, "each entry of “here” must be one of: text, transformer"),
        ({"here": ["scores", "scores"]}, "“here” must name each part only once"),
    ],
}


def widget_error(name: str, given) -> str:
    """Return the author's error for a widget with these parameters, or ""."""
    if not isinstance(given, str):
        changed = RIGHT[name] | given
        given = json.dumps({key: value for key, value in changed.items() if value is not None})
    try:
        render_markdown(f"```{name}\n{given}\n```")
    except ContentError as error:
        return str(error)
    return ""


def test_wrong_parameters_get_an_error():
    assert [
        (name, given, widget_error(name, given))
        for name, cases in WRONG.items()
        for given, words in cases
        if not re.search(words, widget_error(name, given))
    ] == []
