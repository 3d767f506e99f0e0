"""Every public function has an example that runs as a test."""

import doctest
import importlib
import inspect
import pkgutil
import re

import pytest

import attention_core
from attention_core.__main__ import main
from attention_core.catalogue import draw_unproved
from attention_core.problems.family import Problem
from attention_core.problems.tolerance import step_tolerances
from attention_core.proving import unfit_reason
from scripts.bootstrap import ROOT
from scripts.demo import PACKAGES

CONTRIBUTING = ROOT / "CONTRIBUTING.md"

DEFAULTS = ("always", "no_fixed_cells")
# Their example is the family that uses them, and the contract that every family keeps.
PARTS_OF_FAMILIES = ("families", "inputs", "latex", "mistakes", "steps")


def public_functions():
    for module in pkgutil.walk_packages(attention_core.__path__, "attention_core."):
        if module.name.endswith("__main__") or set(module.name.split(".")) & {*PARTS_OF_FAMILIES}:
            continue
        for name, member in vars(importlib.import_module(module.name)).items():
            if inspect.isfunction(member) and member.__module__ == module.name:
                yield f"{module.name}.{name}", member


def test_a_public_function_has_an_example(subtests):
    for name, member in public_functions():
        with subtests.test(name):
            if not member.__name__.startswith("_") and member.__name__ not in DEFAULTS:
                assert ">>>" in (member.__doc__ or "")


def test_every_example_gives_what_it_says():
    """Modules outside the core are included. Failures are printed."""
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if ">>> " in path.read_text() and path.name != "__main__.py"
    ]
    results = {name: doctest.testmod(importlib.import_module(name)) for name in modules}
    assert not [name for name, (failed, _run) in results.items() if failed]
    assert sum(run for _failed, run in results.values()) > 200


def test_the_family_that_the_guide_adds_can_be_drawn_and_proved():
    examples = re.findall(r"```python\n(.*?)```", CONTRIBUTING.read_text(), re.DOTALL)
    (example,) = (text for text in examples if "FAMILY = " in text)
    module = {}
    exec(example, module)  # noqa: S102 (our own text)
    assert any(not unfit_reason(drawn_problem(module["FAMILY"], draw)) for draw in range(10))


def drawn_problem(family, draw) -> Problem:
    problem = draw_unproved(family, family.canonical({}), "guide", draw)
    tolerance = step_tolerances(family, problem.givens, problem.values)
    return Problem(
        family, problem.options, "guide", problem.givens, problem.words, tolerance, family.version
    )


@pytest.mark.slow
def test_the_catalogue_lists_every_family_step_and_mistake(capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["attention_core", "catalogue"])
    main()
    table = capsys.readouterr().out
    for key, family in attention_core.families().items():
        assert f"| {key} |" in table
        for step in family.steps:
            assert f"| {step.key} |" in table
            assert all(mistake.key in table for mistake in step.mistakes)
