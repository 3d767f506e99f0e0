"""The signs and words of verdicts and of marked cells: one vocabulary for the whole site."""

from django.utils.translation import gettext_lazy

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
