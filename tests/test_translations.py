"""Every text can be translated, and numbers are written as the language does.

test_in_another_language.py tests what pages then show in another language.
"""

import ast
import re
from html import unescape

import pytest
from django.conf import settings
from django.utils import translation
from django.utils.html import strip_tags

from attention_core.grading.parse import parse_number
from design.fragments import render_fragment
from design.matrix import number_matrix
from design.matrix_html import render_matrix
from lessons import widgets
from lessons.rendering import render_markdown
from quizzes.items.presenters.asked_item import format_reading
from quizzes.items.presenters.curves import draw_curve
from tests.each import each
from tests.world import missing_in

# Including a calculator's keys.
NAMES = {"Softmark", "UTC", "CSV"} | {"exp", "ln", "sin", "cos", "MR", "MC"}

ROOT = settings.BASE_DIR
APPS = ("accounts", "api", "classes", "design", "lessons", "quizzes")
# The style guide is for developers.
TEMPLATES = [
    path
    for app in APPS
    for path in sorted((ROOT / app / "templates").rglob("*.html"))
    if path.name != "styleguide.html"
]
SCRIPTS = [path for app in APPS for path in sorted((ROOT / app / "static").rglob("*.js"))]
MODULES = [path for app in APPS for path in sorted((ROOT / app).rglob("*.py"))]
# People read the arguments of these.
TOLD = {"BadSave", "ContentError", "NotOpen", "Outdated", "UnknownKind", "ValidationError"} | {
    *("NotToBeMade", "Refused", "Trouble", "Unreadable", "WrongCode")
}

_TRANSLATED = re.compile(r"{%\s*blocktrans.*?{%\s*endblocktrans.*?%}|{#.*?#}", re.DOTALL)
_CODE = re.compile(r"{%.*?%}|{{.*?}}", re.DOTALL)
_NO_TEXT = re.compile(
    r"<(script|style|svg|math|code|kbd)\b.*?</\1>|{% block main_class %}.*?{% endblock %}",
    re.DOTALL,
)
_ATTRIBUTES = re.compile(
    r'(?:\b(?:aria-label|title|alt|placeholder)|"description" content)="([^"]*)"'
)
_TAG = re.compile(r"<!?/?[a-zA-Z][^>]*>")
_WORD = re.compile(r"[^\W\d_]{2,}")
_COMMENT = re.compile(r"(?:^|\s)//\s.*")
_NAMES_IN_SCRIPTS = re.compile(
    r"""(?:\b(?:querySelector(?:All)?|closest|matches|matchMedia|all|find)(?:\?\.)?\(|className[:=\s]*)"""
    r"""\s*(["`])[^"`\n]*\1"""
)
_LITERAL = re.compile(r"""(["`])([^"`\n]*)\1""")
_SENTENCE = re.compile(r"[A-Za-z]{2,}\W? [A-Za-z]{2,}")


def untranslated(text):
    """Return the words of a template that would be shown untranslated."""
    text = _CODE.sub("", _NO_TEXT.sub("", _TRANSLATED.sub("", text)))
    attributes = [found for tag in _TAG.findall(text) for found in _ATTRIBUTES.findall(tag)]
    words = _WORD.findall(unescape(" ".join([_TAG.sub(" ", text), *attributes])))
    return [word for word in words if word not in NAMES]


@each("path", TEMPLATES)
def test_a_template_shows_no_text_that_cannot_be_translated(path):
    assert untranslated(path.read_text()) == []


@pytest.mark.parametrize(
    "shown",
    ["<p>Hello</p>", '<a title="A name">1</a>', "{% if a %}yes{% endif %}", "{{ a }} points"],
)
def test_the_scan_finds_what_is_shown_as_it_is(shown):
    assert untranslated(shown)
    assert not untranslated(f"{{% blocktranslate %}}{shown}{{% endblocktranslate %}}")


def sentences(script):
    """Return a script's literals with words that are neither selectors nor class names."""
    code = _NAMES_IN_SCRIPTS.sub("", _COMMENT.sub("", script))
    return [text for _quote, text in _LITERAL.findall(code) if _SENTENCE.search(text)]


@each("path", SCRIPTS)
def test_a_script_shows_only_texts_that_the_page_gave_it(path):
    assert sentences(path.read_text()) == []


def test_the_scan_finds_sentences_of_scripts():
    assert sentences('line.textContent = "Not saved";\nconst told = `in ${count} questions`;')
    assert not sentences('find(".cell input"); // "Not saved"\nbox.className = "notice conflict";')


def untranslated_literals(tree):
    """Yield the lines of calls that show somebody a literal."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in TOLD and call.args:
            first = call.args[call.func.id == "Trouble"]  # after its status
            parts = getattr(first, "values", [first])
            if any(isinstance(part, ast.Constant) and _WORD.search(part.value) for part in parts):
                yield call.lineno


def test_errors_are_texts_that_can_be_translated():
    found = {
        str(path): list(untranslated_literals(ast.parse(path.read_text()))) for path in MODULES
    }
    assert not {path: lines for path, lines in found.items() if lines}


def test_the_scan_finds_errors_that_cannot_be_translated():
    both = ast.parse('ContentError("no")\nContentError(f"{a} no")')
    assert list(untranslated_literals(both)) == [1, 2]
    assert list(untranslated_literals(ast.parse('Trouble(404, "no")')))
    assert not list(untranslated_literals(ast.parse('ContentError(_("%(a)s no") % {"a": a})')))


def test_numbers_are_shown_with_the_languages_decimal_sign_and_read_with_either():
    with translation.override("de"):
        shown = render_matrix(number_matrix([0.5, -0.25], caption="M", decimals=2))
    assert missing_in(shown, "0,50", "−0,25", 'data-value="-0.25"') == []
    assert number_matrix([0.5, -0.25], caption="M", decimals=2).texts == [["0.50", "−0.25"]]
    assert parse_number("0,50").value == parse_number("0.50").value == 0.5


@each("name", widgets.names())
def test_a_widget_shows_no_point_where_the_language_has_a_comma(name):
    with translation.override("de"):
        shown = strip_tags(render_markdown(widgets.example(name)))
    assert not re.findall(r"\d\.\d", shown)


@each("name", widgets.names())
def test_a_widgets_drawing_has_its_numbers_as_a_browser_reads_them(name):
    with translation.override("de"):
        shown = render_markdown(widgets.example(name))
    assert not re.findall(r'\b(?:[cr]?[xy][12]?|r|width|height)="[^"]*\d,\d[^"]*"', shown)


@pytest.mark.parametrize(("typed", "read_as"), [("1/2", "0,5"), ("0,5", ""), ("0.5", "")])
def test_typed_numbers_are_shown_as_the_language_writes_them(typed, read_as):
    with translation.override("de"):
        assert format_reading(parse_number(typed).read_as, typed) == read_as


def test_points_stay_in_line_under_a_decimal_comma():
    with translation.override("de"):
        ((_, first), (_, second)) = number_matrix([[1.5], [2.0]], caption="M").lines
    assert (first[0].cell.text, second[0].cell.text, second[0].trail) == ("1,5", "2", ",0")


def test_what_programs_read_keeps_its_point():
    curve = render_fragment("quizzes/_curve.html", curve=draw_curve([0.25, 1.0]))
    with translation.override("de"):
        assert render_fragment("quizzes/_curve.html", curve=draw_curve([0.25, 1.0])) == curve


def test_a_page_says_in_which_language_it_is(client, db):
    assert '<html lang="en">' in client.get("/").text
    answer = client.get("/", headers={"accept-language": "xx, de"})
    assert answer.headers["content-language"] == "en"
