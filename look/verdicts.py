"""The signs of verdicts and of marked cells: one vocabulary for the whole site."""

SIGNS = {
    "right": "✓",
    "follows": "→",
    "near": "≈",
    "partial": "½",
    "mistake": "≠",
    "wrong": "✗",
    "blank": "–",
    "waiting": "…",
    "unreadable": "?",
}
