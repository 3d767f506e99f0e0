"""Reports of the command line: a variant in full, the catalogue, the proof of many variants."""

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from attention_core.catalogue import families, family
from attention_core.errors import NoFitVariant
from attention_core.maths.arrays import Array
from attention_core.problems.facts import Variety
from attention_core.problems.family import Family
from attention_core.proving import Proof, known_mistakes, margin, prove, prove_many
from attention_core.variety import variety

CHUNK = 250  # variants that one process proves before it reports


def variant_lines(key: str, seed: str, sizes: Mapping[str, int]) -> Iterator[str]:
    """Yield the lines of one variant with its solution and every mistake that can be made on it.

    >>> next(variant_lines("cosine", "7", {"width": 2}))
    'Cosine similarity (cosine, version 2)'
    """
    proof = prove(family(key), seed, sizes)
    problem = proof.problem
    yield f"{problem.family.title} ({problem.family.key}, version {problem.version})"
    yield f"{dict(problem.options)}, seed {problem.seed}, found at draw {proof.draws}"
    yield f"{problem.cells} cells, about {problem.minutes:.1f} minutes\n\n{problem.statement}\n"
    for given in problem.family.givens:
        shown = problem.shown(given)
        text = f"  {shown}" if isinstance(shown, str) else _table(shown)
        yield f"{problem.fill_in(given.label)}\n{text}\n"
    for step in problem.family.steps:
        yield f"{step.key}: {problem.fill_in(step.label)}"
        if step.choices:
            yield f"  choose among {', '.join(problem.words[step.choices])}"
        yield f"{_table(problem.solution[step.key], 3)}    ± {problem.tolerance[step.key]}"
        yield f"  {step.how}\n  {step.worked(problem.values)}"
        for known, wrong in known_mistakes(problem, step):
            yield f"  {known.key}: {known.feedback}\n{_table(wrong, 3)}"
        yield ""


def _table(array: Array, decimals: int | None = None) -> str:
    rows = np.atleast_2d(array)
    text = [[f"{x:g}" if decimals is None else f"{x:.{decimals}f}" for x in row] for row in rows]
    return "\n".join("  " + "".join(f"{cell:>9}" for cell in row) for row in text)


def catalogue_lines() -> Iterator[str]:
    """Yield the lines of a Markdown table of all families.

    A row has the family's sizes, how many different givens it can draw at the default ones, its
    steps with their tolerances, and its mistakes.

    >>> next(catalogue_lines())
    '| family | sizes | numbers | cells | min | step | tolerance | mistakes |'
    """
    yield "| family | sizes | numbers | cells | min | step | tolerance | mistakes |"
    yield "|---|---|---|---|---|---|---|---|"
    for key, member in families().items():
        sizes = "; ".join(
            f"{name} {', '.join(map(str, of))}" for name, of in member.options.items()
        )
        tolerances = _usual_tolerances(member)
        problem = prove(member, "catalogue", {}).problem
        numbers = variety(member, {})
        head = f"| {key} | {sizes} | {numbers} | {problem.cells} | {problem.minutes:.1f} |"
        for step in member.steps:
            known = ", ".join(mistake.key for mistake in step.mistakes)
            yield f"{head} {step.key} | {tolerances[step.key]} | {known or '(a choice)'} |"
            head = "| | | | | |"


def _usual_tolerances(member: Family) -> dict[str, str]:
    """Return the smallest and the largest tolerance of each step over ten variants, as text."""
    proofs = prove_many(member, (f"tolerance {n}" for n in range(10)), {})
    met = [proof.problem.tolerance for proof in proofs]
    usual = {}
    for step in member.steps:
        least, most = (f(tolerance[step.key] for tolerance in met) for f in (min, max))
        exact = "exact" if most == 0 else f"{most:.3f}"
        usual[step.key] = exact if least == most else f"{least:.3f} to {most:.3f}"
    return usual


@dataclass
class Tally:
    """Counts, seconds and failures of proving variants of one family."""

    variants: int = 0
    draws: int = 0
    seconds: float = 0.0
    worst_margin: float = np.inf
    rejects: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        self.variants += other.variants
        self.draws += other.draws
        self.seconds += other.seconds
        self.worst_margin = min(self.worst_margin, other.worst_margin)
        self.rejects += other.rejects
        self.failures += other.failures


def proof_lines(keys: Sequence[str], variants: int) -> Iterator[str]:
    """Prove many variants of each family, on all cores. Yield a line for each family once done.

    A line also says how many different givens the family can draw, at its default sizes and at
    those with the fewest. Exits with 1 when a family could not find a variant.

    >>> *_, last = proof_lines(["cosine"], variants=2)
    >>> last
    '2 variants, 0 failures'
    """
    keys = [family(key).key for key in keys] or list(families())
    chunks = [(first, min(first + CHUNK, variants)) for first in range(0, variants, CHUNK)]
    total = Tally()
    yield (
        f"{'family':<22}{'variants':>9}{'draws':>7}{'ms':>7}{'margin':>8}"
        f"{'numbers':>16}{'fewest':>16}  rejects by cause"
    )
    with ProcessPoolExecutor(os.process_cpu_count()) as pool:
        # All are submitted at once, so that no core waits for the end of a family.
        running = {
            key: (
                [pool.submit(_prove_some, key, *chunk) for chunk in chunks],
                pool.submit(_numbers, key),
            )
            for key in keys
        }
        for key, (proving, counting) in running.items():
            tally = Tally()
            for future in proving:
                tally.add(future.result())
                _show_progress(total.variants + tally.variants, variants * len(keys))
            total.add(tally)
            yield _proof_line(key, tally, *counting.result())
    yield f"{total.variants} variants, {len(total.failures)} failures"
    if total.failures:
        yield from total.failures[:20]
        sys.exit(1)


def _numbers(key: str) -> tuple[Variety, Variety]:
    """Return the variety of givens at the default sizes, and at those with the fewest."""
    at_sizes = [variety(family(key), sizes) for sizes in family(key).combinations()]
    return at_sizes[0], min(at_sizes, key=lambda numbers: numbers.distinct)


def _proof_line(key: str, tally: Tally, numbers: Variety, fewest: Variety) -> str:
    count = max(tally.variants, 1)
    causes = "; ".join(f"{cause} {n / count:.3f}" for cause, n in tally.rejects.most_common(4))
    return (
        f"{key:<22}{tally.variants:>9}{tally.draws / count:>7.2f}"
        f"{tally.seconds / count * 1000:>7.1f}{tally.worst_margin:>8.2f}"
        f"{numbers!s:>16}{fewest!s:>16}  {causes or 'none'}"
    )


def _prove_some(key: str, first: int, end: int) -> Tally:
    tally = Tally()
    started = time.perf_counter()
    for found in _find_proofs(key, range(first, end), tally.failures):
        tally.variants += 1
        tally.draws += found.draws
        tally.rejects += found.rejects
        tally.worst_margin = min(tally.worst_margin, margin(found.problem))
    tally.seconds = time.perf_counter() - started
    return tally


def _find_proofs(key: str, seeds: Sequence[int], failures: list[str]) -> list[Proof]:
    """Return the proofs of these seeds. When one fails, search for each by itself."""
    try:
        return prove_many(family(key), seeds, {})
    except NoFitVariant as failure:
        if len(seeds) == 1:
            failures.append(str(failure))
            return []
        return [proof for seed in seeds for proof in _find_proofs(key, [seed], failures)]


def _show_progress(done: int, of: int) -> None:
    if sys.stderr.isatty():
        filled = 40 * done // of
        bar = "█" * filled + "·" * (40 - filled)
        # The line is cleared when it is full, and overwritten by the table's next line.
        sys.stderr.write(f"\r{bar} {done}/{of}\r" if done < of else "\r\033[K")
        sys.stderr.flush()
