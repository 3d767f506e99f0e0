"""Fuzz the parser, guided by coverage: any text is read, or refused by the parser's own error.

Atheris (70 MB, Linux and macOS alone) is no dependency; in an environment with it and NumPy:

    /path/to/python -m benchmarks.fuzzing -max_total_time=60
"""

import contextlib
import math
import sys

import atheris

with atheris.instrument_imports(
    include=["attention_core.grading.parse", "attention_core.grading.expression"]
):
    from attention_core.errors import UnreadableNumber
    from attention_core.grading.parse import parse_number


def parse_anything(data: bytes) -> None:
    source = atheris.FuzzedDataProvider(data)
    integer = source.ConsumeBool()
    with contextlib.suppress(UnreadableNumber):
        number = parse_number(source.ConsumeUnicode(80), integer=integer)
        if not math.isfinite(number.value):
            raise ArithmeticError(f"{number} is not finite")


if __name__ == "__main__":
    atheris.Setup(sys.argv, parse_anything)
    atheris.Fuzz()
