"""Command line of the core: show, list and prove problem families.

python -m attention_core show softmax_row --seed 7 --option tokens=4
python -m attention_core catalogue
python -m attention_core prove --variants 10000
"""

import argparse
import sys

from attention_core import reports
from attention_core.errors import AuthorError


def main() -> None:
    parser = argparse.ArgumentParser(prog="attention_core", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)

    show = commands.add_parser("show", help="print a variant with its solution and its mistakes")
    show.add_argument("family")
    show.add_argument("--seed", default="1")
    show.add_argument("--option", action="append", default=[], metavar="NAME=SIZE")
    show.set_defaults(run=lambda to: reports.variant_lines(to.family, to.seed, sizes(to.option)))

    catalogue = commands.add_parser("catalogue", help="print the table of all families")
    catalogue.set_defaults(run=lambda to: reports.catalogue_lines())

    prove = commands.add_parser("prove", help="draw many variants of every family, and report")
    prove.add_argument("families", nargs="*", help="all of them unless named")
    prove.add_argument("--variants", type=int, default=10_000)
    prove.set_defaults(run=lambda to: reports.proof_lines(to.families, to.variants))

    arguments = parser.parse_args()
    try:
        for line in arguments.run(arguments):
            print(line, flush=True)
    except AuthorError as wrong:
        parser.error(str(wrong))
    except BrokenPipeError:
        sys.stderr.close()


def sizes(options: list[str]) -> dict[str, int]:
    try:
        return {name: int(size) for name, _, size in (o.partition("=") for o in options)}
    except ValueError:
        raise AuthorError("an option reads NAME=SIZE, such as tokens=3") from None


if __name__ == "__main__":
    main()
