"""Docstrings and names that say what a thing is. Ruff holds their form, and this their words."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# A first line that begins so asks, or leaves its noun for the reader to guess.
RIDDLES = {
    *("What", "Whatever", "Which", "Who", "Whoever", "Whom", "Whose", "Those", "Of", "Let", "How"),
    *("Is", "Are", "Was", "Has", "Have", "Does", "Do", "May", "Can", "Would"),
}
# Held-out data is the field's own word.
OLD_NAMES = re.compile(r"(^|_)(told|tells?|held(?!_out)|said|says?)(_|$)", re.IGNORECASE)


def trees() -> Iterator[tuple[str, ast.Module]]:
    """Yield every module of the repository but migrations, with its path."""
    listed = subprocess.check_output(["git", "ls-files", "*.py"], cwd=ROOT, text=True).split()
    for path in listed:
        if "/migrations/" not in path and (ROOT / path).exists():
            yield path, ast.parse((ROOT / path).read_text())


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the docstrings of a module, its classes, functions and attributes, by line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for first, statement in enumerate(node.body):
                is_text = isinstance(statement, ast.Expr) and isinstance(
                    statement.value, ast.Constant
                )
                if is_text and isinstance(statement.value.value, str):
                    before = node.body[first - 1] if first else None
                    if before is None or isinstance(before, ast.Assign | ast.AnnAssign):
                        yield statement.lineno, statement.value.value


def riddles(path: str, tree: ast.Module) -> Iterator[str]:
    """Yield the docstrings that ask or begin with a riddle."""
    for line, text in docstrings(tree):
        first = text.strip().partition("\n")[0]
        if first.endswith("?") or re.split(r"\W", first)[0] in RIDDLES:
            yield f"{path}:{line}: {first}"


def old_names(path: str, tree: ast.Module) -> Iterator[str]:
    """Yield the functions and classes that are named by a word of the old kind."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.FunctionDef | ast.ClassDef)
            and not node.name.startswith("test_")
            and OLD_NAMES.search(node.name)
        ):
            yield f"{path}:{node.lineno}: {node.name}"


def test_docstrings_and_names_say_what_a_thing_does_or_is():
    """The trees of all modules together take more memory than all else, so none is kept."""
    found = [(*riddles(path, tree), *old_names(path, tree)) for path, tree in trees()]
    assert [line for of_module in found for line in of_module] == []


def test_a_riddle_is_found():
    tree = ast.parse('class A:\n    """Who is asked?"""\n    x = 1\n    """Of whom."""')
    assert [found[:4] for found in riddles("a", tree)] == ["a:2:", "a:4:"]
