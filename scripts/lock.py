"""Lock packages within the bounds of pyproject.toml, with their hashes: `make lock`.

Versions that still fit stay as they are; `--upgrade` takes the newest.
`--universal` keeps the lines of every platform; without it other machines would lose theirs.
"""

import shutil
import sys

from scripts import bootstrap
from scripts.bootstrap import ROOT
from scripts.console import report_problems, step

LOCKS = {
    bootstrap.RUN: ["--extra", "embedded"],
    bootstrap.DEVELOP: ["--extra", "embedded", "--extra", "model", "--extra", "dev"],
    "requirements-model.txt": ["--extra", "embedded", "--extra", "model"],
}


def main(arguments: list[str]) -> None:
    bootstrap.ensure(bootstrap.RUN)
    uv = shutil.which("uv") or bootstrap.private_uv()
    for file, extras in LOCKS.items():
        with step(f"Locking {file}"):
            bootstrap.install(
                [uv, "pip", "compile", "--quiet", "--universal", "--generate-hashes"]
                + [
                    "--no-header",
                    "--python-version",
                    (ROOT / ".python-version").read_text().strip(),
                ]
                + [*extras, *arguments, "pyproject.toml", "--output-file", file]
            )


if __name__ == "__main__":
    with report_problems():
        main(sys.argv[1:])
