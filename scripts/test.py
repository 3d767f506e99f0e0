"""Run the tests: `make test`, or `python -m scripts.test` with any of pytest's own arguments.

Tests marked `slow` are left to `make test-slow`, which runs nothing else (`--slow`); with `--all`
both kinds run at once. If SERVICE_DATABASE_URL and SERVICE_REDIS_URL name real servers, tests
marked `service` run on these first. All then run on the embedded form.
"""

import os
import subprocess
import sys

from scripts import bootstrap, browser
from scripts.bootstrap import PYTHON, ROOT
from scripts.console import Problem, print_now, report_problems
from scripts.servers import DATABASE, REDIS

NO_TESTS_COLLECTED = 5

NOT_RUN = f"""
The tests of the deployed form (PostgreSQL, Redis) didn't run. To run them, name servers on which
they may create databases, for example:
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

    if database:
        print_now("The deployed form, on PostgreSQL and Redis:")
        deployed = environment | {"DATABASE_URL": database, "REDIS_URL": redis}
        code = pytest(["-m", f"service and ({kind})", "--create-db", *arguments], deployed)
        if code not in (0, NO_TESTS_COLLECTED):
            return code  # its own summary stays the last word
        print_now("\nThe embedded form, on SQLite and Valkey:")
    code = pytest(["-m", kind, *arguments], environment)
    if not database:
        print_now(NOT_RUN)
    return code


def pytest(arguments: list[str], environment: dict[str, str]) -> int:
    # One more than there are processors: many tests wait for a clock or for a process.
    processes = (os.process_cpu_count() or 1) + 1
    command = [str(PYTHON), "-m", "pytest", f"--numprocesses={processes}", "--dist=loadgroup"]
    if os.environ.get("CI"):
        # A broken test fails twice. Developers' runs repeat nothing: a test that fails now and then
        # has found something, so its tracebacks are shown even if it passed the second time.
        command += ["--reruns=1", "--rerun-show-tracebacks"]
    command += ["--durations=15", *arguments]
    code = subprocess.run(command, cwd=ROOT, env=environment).returncode
    return code if code >= 0 else 128 - code  # as a shell tells that a signal ended it


if __name__ == "__main__":
    with report_problems():
        sys.exit(main(sys.argv[1:]))
