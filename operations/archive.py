"""Backups of the whole site in one file: a copy of its database, and the uploads.

The file is a zip that is written from front to back, so it can go down a pipe. The copy shows the
database at one moment, while it is still being written to.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import IO, Any

from django.conf import settings
from django.db import connection, connections
from django.db.backends.postgresql.client import DatabaseClient

FORMAT = 1
MANIFEST, UPLOADS = "manifest.json", "uploads/"
DATABASES = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
CHUNK = 1024 * 1024
# A table that is locked for longer belongs to a site that should have been stopped.
_EMPTY = """
SET lock_timeout = '30s';
DO $$ DECLARE each record; BEGIN
  FOR each IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LOOP
    EXECUTE format('DROP TABLE %I CASCADE', each.tablename);
  END LOOP;
  FOR each IN SELECT oid::regprocedure AS name FROM pg_proc
    WHERE pronamespace = current_schema()::regnamespace AND prorettype = 'trigger'::regtype
  LOOP
    EXECUTE format('DROP FUNCTION %s', each.name);
  END LOOP;
END $$;
"""


class ArchiveError(Exception):
    """A backup or restore that failed; its text is a sentence for the site's operator."""


def write_backup(file: IO[bytes]) -> int:
    """Write everything to a file or a pipe. Return the number of uploads in it.

    Raises:
        ArchiveError: a program is missing or failed. The file is then not a backup.
    """
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        about = {
            "format": FORMAT,
            "database": connection.vendor,
            "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        archive.writestr(MANIFEST, json.dumps(about))
        with archive.open(DATABASES[connection.vendor], "w", force_zip64=True) as copy:
            (_copy_sqlite if connection.vendor == "sqlite" else _dump)(copy)
        # After the database, so that whatever it names is there.
        uploads = [path for path in sorted(Path(settings.MEDIA_ROOT).rglob("*")) if path.is_file()]
        for path in uploads:
            archive.write(path, UPLOADS + path.relative_to(settings.MEDIA_ROOT).as_posix())
    return len(uploads)


def read_manifest(file: Path) -> dict[str, Any]:
    """Return a backup's manifest, once every byte of the file has been checked.

    Raises:
        ArchiveError: it is not a backup, is damaged, or belongs to another kind of database.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            if damaged := archive.testzip():
                raise ArchiveError(f"{file} is damaged, in {damaged}. Try another backup.")
            manifest = json.loads(archive.read(MANIFEST))
    except (zipfile.BadZipFile, KeyError, ValueError):
        raise ArchiveError(f"{file} isn't a Softmark backup, or is only a part of one.") from None
    except OSError as error:
        raise ArchiveError(f"{file} can't be read: {error.strerror}.") from None
    if manifest["format"] != FORMAT:
        raise ArchiveError(
            f"{file} was written by another version of Softmark. Restore it with that one."
        )
    if manifest["database"] != connection.vendor:
        raise ArchiveError(
            f"{file} is a copy of {manifest['database']}, but this site uses {connection.vendor}."
        )
    return manifest


def restore_backup(file: Path) -> None:
    """Replace the database and add the uploads. The database changes completely or not at all.

    Raises:
        ArchiveError: as for `read_manifest`; or a program is missing or failed.
    """
    read_manifest(file)
    connections.close_all()
    with zipfile.ZipFile(file) as archive:
        with archive.open(DATABASES[connection.vendor]) as copy:
            (_put_back_sqlite if connection.vendor == "sqlite" else _restore)(copy)
        for name in archive.namelist():
            if name.startswith(UPLOADS):
                _put_back_upload(archive, name)


def _put_back_upload(archive: zipfile.ZipFile, name: str) -> None:
    parts = PurePosixPath(name.removeprefix(UPLOADS)).parts
    if not parts or ".." in parts or name.startswith(f"{UPLOADS}/"):
        raise ArchiveError(
            f"The backup names a file outside the uploads, so it was refused: {name}"
        )
    target = Path(settings.MEDIA_ROOT, *parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.part")
    with archive.open(name) as source, part.open("wb") as copy:
        shutil.copyfileobj(source, copy, CHUNK)
    part.replace(target)


# SQLite


def _file() -> Path:
    return Path(connection.settings_dict["NAME"])


@contextmanager
def _beside_the_database() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=_file().parent, prefix="softmark-copy-") as folder:
        yield Path(folder) / "copy.sqlite3"


def _copy_sqlite(copy: IO[bytes]) -> None:
    with _beside_the_database() as path:
        with closing(sqlite3.connect(_file(), timeout=20, isolation_level=None)) as source:
            # One reading transaction: writers go on, and none of them makes it start over.
            source.execute("VACUUM INTO ?", [str(path)])
        with path.open("rb") as file:
            shutil.copyfileobj(file, copy, CHUNK)


def _put_back_sqlite(copy: IO[bytes]) -> None:
    _file().parent.mkdir(parents=True, exist_ok=True)
    with _beside_the_database() as path:
        with path.open("wb") as file:
            shutil.copyfileobj(copy, file, CHUNK)
        try:
            with (
                closing(sqlite3.connect(path)) as source,
                closing(sqlite3.connect(_file(), timeout=20)) as target,
            ):
                if source.execute("PRAGMA quick_check").fetchone() != ("ok",):
                    raise sqlite3.DatabaseError("it is damaged")
                source.backup(target)
        except sqlite3.DatabaseError as error:
            raise ArchiveError(
                f"The database couldn't be put back: {error}. Try another backup."
            ) from None


# PostgreSQL


def _dump(copy: IO[bytes]) -> None:
    with _program("pg_dump", "--format=custom", "--no-owner", stdout=subprocess.PIPE) as dump:
        shutil.copyfileobj(dump.stdout, copy, CHUNK)


def _restore(copy: IO[bytes]) -> None:
    """Restore a dump as SQL in one transaction, after emptying the schema.

    pg_restore alone would leave tables that are newer than the backup.
    """
    as_sql = [_found("pg_restore"), "--no-owner", "--no-privileges", "--file=-"]
    quiet = ("--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1")
    with (
        tempfile.TemporaryFile() as errors,
        _program("psql", *quiet, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as psql,
    ):
        psql.stdin.write(_EMPTY.encode())
        psql.stdin.flush()
        sql = subprocess.Popen(as_sql, stdin=subprocess.PIPE, stdout=psql.stdin, stderr=errors)
        try:
            shutil.copyfileobj(copy, sql.stdin, CHUNK)
            sql.stdin.close()
        except BrokenPipeError:
            pass  # the program that ended says why
        if sql.wait() and not _has_ended(psql):
            psql.kill()  # it waits for more, and has committed nothing
            errors.seek(0)
            raise ArchiveError(f"pg_restore failed: {errors.read().decode().strip()}")
        psql.stdin.close()


def _has_ended(program: subprocess.Popen[bytes]) -> bool:
    """Return whether a program has ended by itself, so that its own message gives the reason."""
    try:
        return program.wait(5) is not None
    except subprocess.TimeoutExpired:
        return False


@contextmanager
def _program(name: str, *options: str, **pipes: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Run one of PostgreSQL's programs on the site's database, its password out of sight."""
    if connection.settings_dict["DISABLE_SERVER_SIDE_CURSORS"]:
        # The programs change the session, above all its search path, and a pooler would lend it to
        # others.
        raise ArchiveError(
            "DATABASE_URL leads through a pooler. Give this command the server's own address."
        )
    arguments, environment = DatabaseClient.settings_to_cmd_args_env(connection.settings_dict, [])
    *where, database = arguments[1:]
    # Of several servers the primary: another could provide a copy too, but perhaps an old one.
    attributes = connection.settings_dict["OPTIONS"].get("target_session_attrs")
    wanted = {"PGTARGETSESSIONATTRS": attributes} if attributes else {}
    command = [_found(name), *where, *options, f"--dbname={database}"]
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            command, env=os.environ | wanted | (environment or {}), stderr=errors, **pipes
        ) as running,
    ):
        try:
            yield running
        except BaseException:
            running.kill()
            raise
        if running.wait():
            errors.seek(0)
            raise ArchiveError(f"{name} failed: {errors.read().decode().strip()}")


def _found(name: str) -> str:
    if path := shutil.which(name):
        return path
    raise ArchiveError(
        f"PostgreSQL's program {name} is missing. Install its client, at least the server's "
        "version (Debian, Ubuntu: apt install postgresql-client)."
    )
