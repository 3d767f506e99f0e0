"""The signs and words of verdicts and of marked cells: one vocabulary for the whole site."""

from django.utils.html import escape
from django.utils.safestring import SafeString

from design.translation import gettext_lazy

SIGNS = {
    "right": "✓",
    "follows": "→",
    "near": "≈",
    "partial": "½",
    "mistake": "≠",
    "wrong": "✗",
    "blank": "–",
    "waiting": "…",
    "open": "○",
    "unreadable": "?",
}

WORDS = {
    "right": gettext_lazy("right"),
    "follows": gettext_lazy("follows"),
    "near": gettext_lazy("near"),
    "partial": gettext_lazy("partial"),
    "mistake": gettext_lazy("mistake"),
    "wrong": gettext_lazy("wrong"),
    "blank": gettext_lazy("blank"),
    "waiting": gettext_lazy("waiting"),
    "open": gettext_lazy("open"),
    "unreadable": gettext_lazy("unreadable"),
}


def render_verdict(value: str, word: str = "") -> SafeString:
    """Render a verdict's sign, word and tint, without a template: a page has dozens.

    `value` is one of `SIGNS`; the key of ``mistake:key`` is left out. `word` replaces the verdict's
    own word, with "partly right" for example.
    """
    kind = str(value).partition(":")[0]
    return SafeString(
        f'<span class="verdict verdict-{kind}"><span class="verdict-sign" aria-hidden="true">'
        f"{SIGNS[kind]}</span>{escape(word or WORDS[kind])}</span>"
    )
