"""A backup restores completely into an empty database."""

import os
import sqlite3
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from accounts.models import User
from audit.models import Event
from operations import archive
from scripts.bootstrap import ROOT
from tests.conftest import database_url, environment

pytestmark = [pytest.mark.service, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def media(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"
    image = settings.MEDIA_ROOT / "lesson-images" / "cat.png"
    image.parent.mkdir(parents=True)
    image.write_bytes(b"a cat")
    return settings.MEDIA_ROOT


@contextmanager
def empty_database(tmp_path: Path) -> Iterator[str]:
    """Yield the address of an empty database."""
    if connection.vendor == "sqlite":
        yield f"sqlite:///{tmp_path}/fresh.sqlite3"
        return
    import psycopg

    name = f"softmark_fresh_{uuid4().hex[:8]}"
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
        try:
            yield urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}"))
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


def manage(*command, url=None, data=None):
    """Run a management command in a process of its own and return the result."""
    more = {"DATABASE_URL": url or database_url()} | ({"SOFTMARK_DATA": str(data)} if data else {})
    return subprocess.run(
        [sys.executable, "manage.py", *map(str, command)],
        cwd=ROOT,
        env=environment(**more),
        capture_output=True,
        text=True,
        timeout=120,
    )


@contextmanager
def connected(url=None) -> Iterator:
    """Yield another program's connection, which commits statement by statement."""
    url = url or database_url()
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(urlsplit(url).path[1:], timeout=20)) as opened:
            opened.isolation_level = None
            opened.execute("PRAGMA journal_mode=WAL")
            yield opened
    else:
        import psycopg

        with psycopg.connect(url, autocommit=True) as opened:
            yield opened


def people_in(url):
    with connected(url) as opened:
        return [email for (email,) in opened.execute("SELECT email FROM accounts_user")]


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """The address of an empty database, and a function that restores a file into it."""
    with empty_database(tmp_path) as url:
        settings = connection.settings_dict | {"NAME": urlsplit(url).path.split("/", 1)[1]}
        elsewhere = SimpleNamespace(vendor=connection.vendor, settings_dict=settings)

        def restore(file):
            monkeypatch.setattr(archive, "connection", elsewhere)
            call_command("restore", str(file), yes=True)
            monkeypatch.setattr(archive, "connection", connection)

        yield url, restore


@pytest.mark.slow
def test_it_is_restored_into_a_fresh_database_with_its_uploads(media, tmp_path):
    User.objects.create_user("ada@example.org", "correct horse")
    call_command("backup", str(tmp_path / "copy"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with empty_database(tmp_path) as url:
        done = manage("restore", tmp_path / "copy", "--yes", url=url, data=elsewhere)
        assert done.returncode == 0, done.stderr
        assert people_in(url) == ["ada@example.org"]
        assert manage("migrate", "--check", url=url).returncode == 0
    assert (elsewhere / "media/lesson-images/cat.png").read_bytes() == b"a cat"


def test_what_came_after_the_backup_is_gone_when_it_is_restored(media, tmp_path, fresh):
    """A newer release's table that refers to a replaced one goes too."""
    url, restore = fresh
    User.objects.create_user("before@example.org")
    Event.objects.create(verb="tests.done")
    call_command("backup", str(tmp_path / "copy"))
    restore(tmp_path / "copy")
    with connected(url) as opened:
        opened.execute("UPDATE accounts_user SET email = 'after@example.org'")
        opened.execute("CREATE TABLE newer (u bigint REFERENCES accounts_user (id))")
    restore(tmp_path / "copy")
    assert people_in(url) == ["before@example.org"]
    with connected(url) as opened, pytest.raises(Exception, match="newer"):
        opened.execute("SELECT * FROM newer")
    with connected(url) as opened, pytest.raises(Exception, match="never changed"):
        opened.execute("DELETE FROM audit_event")


@pytest.mark.parametrize("typed", ["no", ""])
def test_it_asks_first(media, tmp_path, monkeypatch, typed):
    call_command("backup", str(tmp_path / "copy"))
    User.objects.create_user("new@example.org")
    monkeypatch.setattr("builtins.input", lambda _: typed)
    with pytest.raises(CommandError, match="Nothing was changed"):
        call_command("restore", str(tmp_path / "copy"))
    assert User.objects.filter(email="new@example.org").exists()


def test_a_backup_goes_down_a_pipe(media, tmp_path):
    command = [sys.executable, "manage.py", "backup", "-"]
    piped = subprocess.check_output(command, cwd=ROOT, env=environment())
    (tmp_path / "piped").write_bytes(piped)
    assert archive.read_manifest(tmp_path / "piped")["format"] == archive.FORMAT


def test_it_is_of_one_moment_while_writes_go_on(media, tmp_path, fresh):
    """A writer adds two people in each transaction; a copy never has one of them alone."""
    url, restore = fresh
    written, stop = threading.Event(), threading.Event()

    def write():
        with connected() as opened:
            for number in range(1_000_000):
                opened.execute("BEGIN")
                for side in "ab":
                    opened.execute(
                        "INSERT INTO accounts_user (email, name, password, is_superuser, is_staff,"
                        f" is_active, date_joined) VALUES ('{number}{side}@example.org', '', '',"
                        " false, false, true, '2026-01-01 00:00:00+00')"
                    )
                opened.execute("COMMIT")
                written.set()
                if stop.is_set():
                    return

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert written.wait(20)
        call_command("backup", str(tmp_path / "copy"))
    finally:
        stop.set()
        writer.join(30)
    restore(tmp_path / "copy")
    copied, all_of_them = len(people_in(url)), User.objects.count()
    assert 0 < copied < all_of_them
    assert copied % 2 == 0


def test_half_a_backup_is_refused_and_changes_nothing(media, tmp_path):
    User.objects.create_user("ada@example.org")
    copy = tmp_path / "copy"
    call_command("backup", str(copy))
    whole = copy.read_bytes()
    copy.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(CommandError, match="only a part"):
        call_command("restore", str(copy), yes=True)
    copy.write_bytes(whole[:2000] + b"?" + whole[2001:])
    with pytest.raises(CommandError, match="damaged"):
        call_command("restore", str(copy), yes=True)
    assert User.objects.filter(email="ada@example.org").exists()


def test_half_a_database_in_a_whole_backup_changes_nothing(media, tmp_path, fresh):
    url, restore = fresh
    User.objects.bulk_create(User(email=f"{number}@example.org") for number in range(500))
    call_command("backup", str(tmp_path / "copy"))
    restore(tmp_path / "copy")
    with zipfile.ZipFile(tmp_path / "copy") as whole, zipfile.ZipFile(tmp_path / "half", "w") as h:
        for name in whole.namelist():
            content = whole.read(name)
            h.writestr(name, content[: len(content) // 2] if "database." in name else content)
    with pytest.raises(CommandError, match=r"put back|pg_restore failed|psql failed"):
        restore(tmp_path / "half")
    assert len(people_in(url)) == 500


def test_a_database_that_is_half_put_back_is_as_it_was(media, tmp_path, fresh, monkeypatch):
    if connection.vendor == "sqlite":
        pytest.skip("SQLite copies a file under one lock")
    url, restore = fresh
    User.objects.create_user("ada@example.org")
    call_command("backup", str(tmp_path / "copy"))
    restore(tmp_path / "copy")
    monkeypatch.setattr(archive, "_EMPTY", f"{archive._EMPTY} SELECT 1 / 0;")
    with pytest.raises(CommandError, match="division by zero"):
        restore(tmp_path / "copy")
    assert people_in(url) == ["ada@example.org"]


def test_a_backup_of_another_kind_of_database_is_refused(media, tmp_path):
    copy = tmp_path / "copy"
    with zipfile.ZipFile(copy, "w") as archived:
        archived.writestr("manifest.json", '{"format": 1, "database": "oracle", "made_at": ""}')
    with pytest.raises(CommandError, match="is a copy of oracle"):
        call_command("restore", str(copy), yes=True)


def test_it_puts_no_file_outside_of_the_uploads(media, tmp_path):
    call_command("backup", str(tmp_path / "copy"))
    with zipfile.ZipFile(tmp_path / "copy", "a") as archived:
        archived.writestr("uploads/../../evil", "x")
        with pytest.raises(archive.ArchiveError, match="outside"):
            archive._put_back_upload(archived, "uploads/../../evil")
    assert not (tmp_path / "evil").exists()


def test_a_file_that_cannot_be_written_is_named_and_leaves_nothing(media, tmp_path):
    with pytest.raises(CommandError, match="can't be written"):
        call_command("backup", str(tmp_path / "nowhere" / "copy"))
    assert not list(tmp_path.glob("*.part"))


def test_others_on_the_machine_cannot_read_it(media, tmp_path):
    call_command("backup", str(tmp_path / "copy"))
    assert (tmp_path / "copy").stat().st_mode & 0o077 == 0


def test_a_missing_program_is_named(media, tmp_path, monkeypatch):
    if connection.vendor == "sqlite":
        pytest.skip("SQLite needs none")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CommandError, match="pg_dump is missing"):
        call_command("backup", str(tmp_path / "copy"))
    assert not (tmp_path / "copy").exists()


def test_it_is_not_made_through_a_pooler_whose_other_users_would_get_its_session(tmp_path):
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has no pooler")
    done = manage("backup", tmp_path / "copy", url=f"{database_url()}?pooler=transaction")
    assert done.returncode != 0
    assert "DATABASE_URL leads through a pooler" in done.stderr
