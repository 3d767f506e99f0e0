"""Every text of the site calls one thing by one word: that of docs/words.yaml."""

import ast
import re
from collections import defaultdict
from functools import cache

import pytest
import yaml
from django.conf import settings
from django.template import engines
from django.utils.translation import ngettext
from django.utils.translation.template import templatize
from jinja2 import nodes

from tests.each import each

# One process reads all texts for all tests.
pytestmark = pytest.mark.xdist_group("words")

ROOT = settings.BASE_DIR
WORDS = yaml.safe_load((ROOT / "docs" / "words.yaml").read_text())
FOLDERS = [path.parent for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests"]
# What texts with a count also name.
_NO_COUNTS = {"name": "a", "family": "a", "fewest": 5}
# Names of placeholders, tags and addresses are no words that anyone reads.
_NO_TEXT = re.compile(r"%\(\w+\)[\d.]*[a-z]|{[^}]*}|<[^>]*>")


@cache
def texts():
    """Return every text that is translated: of modules, and of templates of both kinds."""
    found = set()
    for folder in FOLDERS:
        for path in folder.rglob("*.py"):
            found |= texts_of_module(path.read_text())
        for path in (*folder.glob("templates/**/*.html"), *folder.glob("templates/**/*.txt")):
            found |= texts_of_module(texts_of_template(path.read_text()))
        for path in folder.glob("jinja2/**/*.html"):
            found |= texts_of_jinja(path.read_text())
    return found


def texts_of_module(source):
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return {
        argument.value
        for call in calls
        if re.fullmatch("_|n?gettext(_lazy)?", getattr(call.func, "id", ""))
        for argument in call.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    }


@cache
def plurals():
    """Return the two forms of every text that depends on a count."""
    found = set()
    for folder in FOLDERS:
        for path in folder.rglob("*.py"):
            found |= plurals_of_module(path.read_text())
        for path in (*folder.glob("templates/**/*.html"), *folder.glob("templates/**/*.txt")):
            found |= plurals_of_module(texts_of_template(path.read_text()))
    return found


def plurals_of_module(source):
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return {
        tuple(argument.value for argument in call.args[:2])
        for call in calls
        if getattr(call.func, "id", "").startswith("ngettext")
    }


def texts_of_template(source):
    """Return the calls of gettext that Django makes of a template."""
    calls = re.findall(
        r"n?gettext\((?:u?(?:'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"),? ?)+", templatize(source)
    )
    return "\n".join(f"{call.rstrip(', ')})" for call in calls)


def texts_of_jinja(source):
    calls = engines["jinja2"].env.parse(source).find_all(nodes.Call)
    return {
        argument.value
        for call in calls
        if getattr(call.node, "name", "") == "_"
        for argument in call.args
        if isinstance(argument, nodes.Const)
    }


def misnamed(text, word):
    """Return what a text calls a thing instead of its word."""
    entry = WORDS[word]
    if any(text.startswith(known) for known in entry.get("except", ())):
        return []
    plain = _NO_TEXT.sub(" ", text)
    return [found[0] for each in entry["not"] for found in re.finditer(each, plain, re.IGNORECASE)]


@each("word", WORDS)
def test_a_thing_is_called_by_its_word(word):
    found = {text: names for text in texts() if (names := misnamed(text, word))}
    assert found == {}, f"the word is {word}: {WORDS[word]['means']}"


def test_texts_of_modules_and_templates_are_found():
    assert len(texts()) > 3000
    assert texts_of_module('_("a" " b")\nngettext("one", "%(n)s", 2)') == {"a b", "one", "%(n)s"}
    django = '{% translate "It\'s" %} {% blocktranslate %}two {{ n }}{% endblocktranslate %}'
    assert texts_of_module(texts_of_template(django)) == {"It's", "two %(n)s"}
    assert texts_of_jinja('{{ _("three") }}') == {"three"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Hand in your exam", {"Hand in", "exam"}),
        ("Two-factor authentication", {"Two-factor"}),
        ("In your class %(course)s", set()),
    ],
)
def test_other_words_are_found(text, names):
    assert {name for word in WORDS for name in misnamed(text, word)} == names


def miscounted(one, many):
    """Return what a text says of a count that nobody would say: 1 things, or things with no number.

    Its other numbers are the same as the count, but for a limit.
    """
    found = []
    for count in (0, 1, 2, 21):
        values = defaultdict(lambda count=count: count) | _NO_COUNTS
        said = ngettext(one, many, count) % values
        if count == 1:
            found += re.findall(r"\b1 (?:\w+[^\W\ds]s|people)\b", said)
        elif not re.search(rf"\b{count}\b", said):
            found += [said]
    return found


def test_one_thing_is_named_in_the_singular_and_several_with_their_number():
    assert len(plurals()) > 140
    assert {one: found for one, many in plurals() if (found := miscounted(one, many))} == {}


@pytest.mark.parametrize(
    ("one", "many", "found"),
    [
        ("%(n)s thing", "%(n)s things", []),
        ("%(n)s things", "%(n)s things", ["1 things"]),
        ("One thing", "%(n)s things", []),
        ("%(n)s of %(all)s things", "%(n)s things", ["1 things"]),
        ("a thing", "things", ["things"] * 3),
    ],
)
def test_wrong_counts_are_found(one, many, found):
    assert miscounted(one, many) == found


def test_apostrophes_are_typographic():
    """A straight one would also be escaped in a page, which no text is searched for."""
    assert {text for text in texts() if re.search(r"\w'\w", _NO_TEXT.sub(" ", text))} == set()


def test_the_sign_of_per_cent_follows_its_number_at_once():
    assert {text for text in texts() if re.search(r"[ \xa0]%%?(?![(\w])", text)} == set()
