"""Expensive resources, made by the first process of a run that needs them, for all to copy."""

import fcntl
import os
import shutil
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from scripts.bootstrap import ROOT
from scripts.demo import Demo
from scripts.processes import Group

TEMPLATE = "softmark_template"
# Drawing more would keep a core busy while tests run.
FEW = {"SOFTMARK_STOCK": "1", "SOFTMARK_DATABASE_SECONDS": "5"}
# A proof takes longer than all else that starting costs: the tests' students share their numbers.
FILL_STOCK = """
from uuid import uuid4
from quizzes.delivery.services.stocking import stock_variants
from quizzes.models import Variant
stock_variants(seconds=60)
drawn = list(Variant.objects.filter(for_exams=True))
for _ in range(40):
    for variant in drawn:
        variant.pk, variant.fingerprint = None, uuid4()
    Variant.objects.bulk_create(drawn)
"""


# Collecting garbage takes a quarter of the time that migrating does.
MANAGE = "import gc, runpy; gc.disable(); runpy.run_path('manage.py', run_name='__main__')"


def migrated_database() -> Path:
    """Return an SQLite file with all tables and no rows of ours."""
    return _made_once("migrated", _migrate) / "softmark.sqlite3"


def migrated_postgresql() -> str:
    """Return the name of a template database with all tables and no rows of ours."""
    _made_once("migrated-postgresql", _migrate_postgresql)
    return TEMPLATE


def drop_postgresql() -> None:
    """Drop the database of `migrated_postgresql`, once it is no longer needed as a template."""
    import psycopg

    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as admin:
        admin.execute(f"DROP DATABASE IF EXISTS {TEMPLATE} WITH (FORCE)")


def prepared_demo() -> Path:
    """Return the folder of a demo before its first run: content, accounts, stock, static files."""
    return _made_once("demo", _prepare)


def _made_once(name: str, make: Callable[[Path], None]) -> Path:
    folder = Path(os.environ["SOFTMARK_TEST_FOLDER"]) / name
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            part = folder.with_suffix(".part")
            part.mkdir()
            make(part)
            part.rename(folder)
    return folder


def _migrate(folder: Path) -> None:
    database = {"DATABASE_URL": f"sqlite:///{folder}/softmark.sqlite3", "SOFTMARK_DEBUG": "1"}
    manage(database, "migrate", "--no-input", "--verbosity=0")


def _migrate_postgresql(_folder: Path) -> None:
    import psycopg

    drop_postgresql()  # left by a run that was killed
    server = os.environ["DATABASE_URL"]
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {TEMPLATE}")
    url = urlunsplit(urlsplit(server)._replace(path=f"/{TEMPLATE}"))
    database = {"DATABASE_URL": url, "SOFTMARK_DEBUG": "1"}
    manage(database, "migrate", "--no-input", "--verbosity=0")


def _prepare(folder: Path) -> None:
    (folder / "logs").mkdir()
    with Group() as group:
        demo = Demo(folder, 0, Namespace(database_url=None, redis_url=None), group)
        shutil.copy(migrated_database(), demo.sqlite)
        demo.prepare()
        manage(demo.settings | FEW, "shell", "--no-imports", "-c", FILL_STOCK)


def manage(settings: Mapping[str, str], *command: str) -> str:
    """Run a management command with these settings. Return its output."""
    done = subprocess.run(
        [sys.executable, "-c", MANAGE, *command],
        cwd=ROOT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings"} | settings,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
