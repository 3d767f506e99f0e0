"""The core on the command line.

python -m attention_core show softmax_row --seed 7 --option tokens=4
python -m attention_core census --variants 1000
"""

import argparse
import time
from collections import Counter

import numpy as np

from attention_core.errors import AuthorError
from attention_core.problems.catalogue import families
from attention_core.problems.family import Problem
from attention_core.proving import known_mistakes, prove


def main() -> None:
    parser = argparse.ArgumentParser(prog="attention_core", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)

    show = commands.add_parser("show", help="print a variant with its solution and its mistakes")
    show.add_argument("family")
    show.add_argument("--seed", default="1")
    show.add_argument("--option", action="append", default=[], metavar="NAME=SIZE")
    show.set_defaults(run=show_variant)

    census = commands.add_parser("census", help="draw variants of every family and count rejects")
    census.add_argument("--variants", type=int, default=1000)
    census.set_defaults(run=take_census)

    arguments = parser.parse_args()
    try:
        arguments.run(arguments)
    except AuthorError as wrong:
        parser.error(str(wrong))


def show_variant(arguments: argparse.Namespace) -> None:
    try:
        sizes = {name: int(size) for name, _, size in (o.partition("=") for o in arguments.option)}
    except ValueError:
        raise AuthorError("an option reads NAME=SIZE, such as tokens=3") from None
    proof = prove(arguments.family, arguments.seed, sizes)
    problem = proof.problem
    print(f"{problem.family.title} ({problem.family.key}, version {problem.version})")
    print(f"{dict(problem.options)}, seed {problem.seed}, found at draw {proof.draws}")
    print(f"{problem.cells} cells, about {problem.minutes:.1f} minutes\n\n{problem.statement}\n")
    for given in problem.family.givens:
        print(f"{problem.tell(given.label)}\n{_table(problem.givens[given.key])}\n")
    for step in problem.family.steps:
        print(f"{step.key}: {problem.tell(step.label)}")
        print(f"{_table(problem.solution[step.key], 3)}    ± {problem.tolerance[step.key]}")
        print(f"  {step.how}\n  {step.worked(problem.values)}")
        for known, wrong in known_mistakes(problem, step):
            print(f"  {known.key}: {known.feedback}\n{_table(wrong, 3)}")
        print()


def take_census(arguments: argparse.Namespace) -> None:
    print(f"{arguments.variants} variants of each family, at its default sizes")
    print(f"{'family':<20}{'draws':>7}{'ms':>7}{'cells':>7}{'minutes':>9}  rejects by cause")
    for key in families():
        _census_of(key, arguments.variants)


def _census_of(key: str, variants: int) -> None:
    start = time.perf_counter()
    draws, rejects = 0, Counter[str]()
    problem: Problem | None = None
    for seed in range(variants):
        proof = prove(key, seed, {})
        draws += proof.draws
        rejects += proof.rejects
        problem = proof.problem
    if problem is None:
        return
    each = (time.perf_counter() - start) / variants * 1000
    causes = "; ".join(f"{cause} {count}" for cause, count in rejects.most_common(5))
    print(
        f"{key:<20}{draws / variants:>7.2f}{each:>7.1f}{problem.cells:>7}{problem.minutes:>9.1f}"
        f"  {causes or 'none'}"
    )


def _table(array: np.ndarray, decimals: int | None = None) -> str:
    rows = np.atleast_2d(array)
    text = [[f"{x:g}" if decimals is None else f"{x:.{decimals}f}" for x in row] for row in rows]
    return "\n".join("  " + "".join(f"{cell:>9}" for cell in row) for row in text)


if __name__ == "__main__":
    main()
