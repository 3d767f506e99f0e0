"""A single notation for each symbol, in lessons, questions, figures and problems."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = [
    path
    for folder in ("content", "attention_core/problems", "lessons/widgets")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".md", ".yaml", ".py")
]


@pytest.mark.parametrize(
    "other",
    [
        r"W\s*\^\s*\{?[QKVO]",  # W_Q, W_K, W_V, W_O: a head's own is W_{Q,1}
        r"\$[^$\n{]*[dnW]_\{?(model|vocab)\b",  # $d_{\text{model}}$
        r"_\\+text|_\{?\\mathrm\{(model|vocab)",
    ],
)
def test_no_symbol_is_written_otherwise(other):
    assert len(SOURCES) > 60
    found = [str(path) for path in SOURCES if re.search(other, path.read_text())]
    assert found == []
