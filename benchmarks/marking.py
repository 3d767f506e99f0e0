"""Measure the cost of marking one item, alone and in bulk: `make bench marking`.

Every family's answers are those of a student who computes exactly, half of them wrong in the first
step. The best of several turns counts, in the processor's time.
"""

import argparse
import os
import time
from collections.abc import Callable

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read once, when NumPy is imported

from attention_core import draw, families, mark, mark_many
from attention_core.grading.mark import AnsweredItem
from attention_core.proving import known_mistakes, typed_answers

VARIANTS = 20


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--items", type=int, default=500, help="of each family, in bulk")
    options.add_argument("--turns", type=int, default=5)
    chosen = options.parse_args()
    print(f"{'family':<22}{'cells':>6}{'alone µs':>10}{'in bulk µs':>12}{'ratio':>7}")
    alone_in_all = bulk_in_all = 0.0
    for key in families():
        items = answered(key, chosen.items)
        alone = best(chosen.turns, mark_one_by_one, items[:VARIANTS]) / VARIANTS
        bulk = best(chosen.turns, mark_many, items) / len(items)
        print(
            f"{key:<22}{items[0].problem.cells:>6}{alone * 1e6:>10.0f}{bulk * 1e6:>12.0f}"
            f"{alone / bulk:>7.1f}"
        )
        alone_in_all += alone
        bulk_in_all += bulk
    count = len(families())
    print(
        f"{'mean of all families':<28}{alone_in_all / count * 1e6:>10.0f}"
        f"{bulk_in_all / count * 1e6:>12.0f}{alone_in_all / bulk_in_all:>7.1f}"
    )


def answered(key: str, count: int) -> list[AnsweredItem]:
    variants = []
    for seed in range(VARIANTS):
        problem = draw(key, seed=seed)
        answers = typed_answers(problem, problem.values)
        step = problem.family.steps[0]
        made = known_mistakes(problem, step)
        if seed % 2 and made:
            answers[step.key] = typed_answers(problem, problem.values | {step.key: made[0][1]})[
                step.key
            ]
        variants.append(AnsweredItem(problem, answers))
    return [variants[number % VARIANTS] for number in range(count)]


def mark_one_by_one(items: list[AnsweredItem]) -> None:
    for item in items:
        mark(item.problem, item.answers)


def best(
    turns: int, work: Callable[[list[AnsweredItem]], object], items: list[AnsweredItem]
) -> float:
    taken = []
    for _ in range(turns):
        started = time.process_time()
        work(items)
        taken.append(time.process_time() - started)
    return min(taken)


if __name__ == "__main__":
    main()
