"""Run the tests: `make test`, or `python -m scripts.test` with any of pytest's own arguments.

Tests marked `slow` are left to `make test-slow`, which runs nothing else (`--slow`); with `--all`
both kinds run at once. If SERVICE_DATABASE_URL and SERVICE_REDIS_URL name real servers, tests
marked `service` run on these while all run on the embedded form.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from scripts import bootstrap, browser
from scripts.bootstrap import PYTHON, ROOT
from scripts.console import Problem, print_now, report_problems
from scripts.servers import DATABASE, REDIS

NO_TESTS_COLLECTED = 5

NOT_RUN = f"""
The tests of the deployed form (PostgreSQL, Redis) did not run. They run when two variables
name servers on which databases may be created, for example:
  {DATABASE}=postgresql://postgres@127.0.0.1:5432/postgres \\
  {REDIS}=redis://127.0.0.1:6379/9 make test"""


def main(arguments: list[str]) -> int:
    kind = "slow or not slow" if "--all" in arguments else "not slow"
    kind = "slow" if "--slow" in arguments else kind
    arguments = [argument for argument in arguments if argument not in ("--slow", "--all")]
    database, redis = os.environ.get(DATABASE, ""), os.environ.get(REDIS, "")
    if bool(database) != bool(redis):
        raise Problem(f"Set both {DATABASE} and {REDIS}, or neither.")
    bootstrap.ensure(bootstrap.DEVELOP)
    environment = os.environ | {
        "SOFTMARK_TEST_BROWSER": browser.ensure(),
        # Every core runs tests already; NumPy's threads would only fight them.
        "OPENBLAS_NUM_THREADS": "1",
    }
    # The last one would make every process that tests start compile all of Django again.
    for name in ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE", "PYTHONDONTWRITEBYTECODE"):
        environment.pop(name, None)

    if not database:
        code = subprocess.run(
            pytest(["-m", kind, *arguments]), cwd=ROOT, env=environment
        ).returncode
        print_now(NOT_RUN)
        return exit_code(code)

    # Both at once, because tests of the deployed form wait for other processes most of their time.
    with tempfile.NamedTemporaryFile() as output:
        embedded = subprocess.Popen(
            pytest(["-m", kind, *arguments]), cwd=ROOT, env=environment, stdout=output
        )
        print_now("The deployed form, on PostgreSQL and Redis:")
        deployed = subprocess.run(
            pytest(["-m", f"service and ({kind})", "--create-db", *arguments]),
            cwd=ROOT,
            env=environment | {"DATABASE_URL": database, "REDIS_URL": redis},
        ).returncode
        print_now("\nThe embedded form, on SQLite and Valkey:")
        print_until_end(embedded, Path(output.name))
    if deployed not in (0, NO_TESTS_COLLECTED):
        print_now("\nTests of the deployed form have failed: see its summary above.")
        return exit_code(deployed)
    return exit_code(embedded.returncode)


def pytest(arguments: list[str]) -> list[str]:
    """Return the command that runs pytest with these arguments."""
    # One more than there are processors: many tests wait for a clock or for a process.
    processes = (os.process_cpu_count() or 1) + 1
    command = [str(PYTHON), "-m", "pytest", f"--numprocesses={processes}", "--dist=loadgroup"]
    if os.environ.get("CI"):
        # A broken test fails twice. Developers' runs repeat nothing: a test that fails now and then
        # has found something, so its tracebacks are shown even if it passed the second time.
        command += ["--reruns=1", "--rerun-show-tracebacks"]
    return [*command, "--durations=15", *arguments]


def print_until_end(process: subprocess.Popen[bytes], output: Path) -> None:
    """Print what a process has written into a file, and what it goes on to write."""
    with output.open() as file:
        ended = False
        while not ended:
            ended = process.poll() is not None
            print_now(file.read(), end="")
            time.sleep(0 if ended else 0.5)


def exit_code(code: int) -> int:
    """Return a process's exit code as a shell tells that a signal ended it."""
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    with report_problems():
        sys.exit(main(sys.argv[1:]))
