"""Measure how well the machine predicts, what each head does, and how fast it reads.

    make bench machine

docs/machine.md has the results; tests/attention_core/machine/test_measures.py checks them.
"""

import argparse
import os
import time
from collections.abc import Callable

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read once, when NumPy is imported

import numpy as np

from attention_core.machine.effects import effects
from attention_core.machine.measures import (
    draw_held_out,
    loss,
    measures,
    where_heads_look,
    without_each_head,
)
from attention_core.machine.model import machine
from attention_core.machine.tokens import tokens_of
from attention_core.machine.writing import write

SEED = 0
LONGEST = tokens_of("the keys near the old box fall . " * 2 + "the king and the queen sleep .")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--sentences", type=int, default=1000)
    options.add_argument("--seed", type=int, default=7)
    args = options.parse_args()
    model, sentences = machine(), draw_held_out(args.seed, args.sentences)

    nats, first = loss(model, sentences)
    print(f"{model.parameters} parameters; {len(sentences)} held-out sentences, seed {args.seed}")
    print(f"loss {nats:.3f} nats a word; {first:.1%} of words are put first\n")

    print("| what follows | asked | right | guessing |\n|---|---|---|---|")
    whole = measures(model, sentences)
    for one in whole:
        print(f"| {one.kind} | {one.asked} | {one.right:.1%} | {one.guessing:.0%} |")

    places = [(n, head) for n in range(len(model.layers)) for head in range(model.heads)]
    line = " | ".join(f"{n}.{head}" for n, head in places)
    print(f"\n| mean weight on | {line} |\n|---|{'---|' * len(places)}")
    for name, weights in where_heads_look(model, sentences).items():
        print(f"| {name} | {' | '.join(f'{weights[place]:.2f}' for place in places)} |")

    few = sentences[: args.sentences // 3]
    silenced = without_each_head(model, few)
    print(f"\n| right without | {line} |\n|---|{'---|' * len(places)}")
    for n, one in enumerate(measures(model, few)):
        print(f"| {one.kind} | {' | '.join(f'{silenced[p][n].right:.0%}' for p in places)} |")

    print(f"\nA text of {len(LONGEST)} tokens, milliseconds:")
    print(
        f"  read, with all that is computed on the way  {best_ms(lambda: model.read(LONGEST)):.2f}"
    )
    print(f"  every head and value taken away             {best_ms(measure_effects, 3):.0f}")
    print(f"  a sentence written, with the cache          {best_ms(lambda: written(True)):.1f}")
    print(f"  a sentence written, without                 {best_ms(lambda: written(False)):.1f}")


def measure_effects() -> None:
    effects(machine(), LONGEST)


def written(caching: bool) -> None:
    # With one word nothing is cached yet; this seed writes a long sentence.
    write(machine(), ("<start>",), seed=SEED, caching=caching)


def best_ms(what: Callable[[], object], turns: int = 20) -> float:
    """Return the processor's milliseconds of a call, the best of some turns."""
    times = []
    for _ in range(turns):
        start = time.process_time()
        what()
        times.append(time.process_time() - start)
    return float(np.min(times)) * 1000


if __name__ == "__main__":
    main()
