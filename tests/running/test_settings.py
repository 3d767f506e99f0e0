"""Settings come from the environment; missing or malformed ones stop the start by name."""

import os
import secrets
import subprocess
import sys

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import environment
from foundation import broker
from scripts.bootstrap import ROOT
from tests.each import each

PRODUCTION = {
    "SOFTMARK_SECRET_KEY": secrets.token_urlsafe(48),
    "SOFTMARK_ALLOWED_HOSTS": "learn.example",
    "SOFTMARK_EMAIL_URL": "smtp://post:secret@mail.example",
    "DATABASE_URL": "postgresql://softmark:secret@db.example/softmark",
    "REDIS_URL": "redis://redis.example/0",
}


def clean_environment() -> dict[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("SOFTMARK_", "DJANGO_")) and name not in PRODUCTION
    }


def check(settings: dict[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "check", *options],
        cwd=ROOT,
        env=clean_environment() | settings | {"DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
    )


def test_production_settings_pass_the_deployment_check() -> None:
    result = check(PRODUCTION, "--deploy", "--fail-level=INFO")
    assert result.returncode == 0, result.stderr
    assert "no issues (0 silenced)" in result.stdout


@pytest.mark.parametrize(
    "missing", ["SOFTMARK_SECRET_KEY", "SOFTMARK_ALLOWED_HOSTS", "DATABASE_URL", "REDIS_URL"]
)
def test_what_is_required_has_no_default_outside_debug(missing: str) -> None:
    result = check({name: value for name, value in PRODUCTION.items() if name != missing})
    assert result.returncode != 0
    assert f"Set the environment variable {missing}" in result.stderr


def test_a_developer_needs_to_set_nothing_but_debug() -> None:
    assert check({"SOFTMARK_DEBUG": "1"}).returncode == 0


def test_what_is_empty_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOFTMARK_DATA", " ")
    assert environment.text("SOFTMARK_DATA", "here") == "here"


def flag(name: str) -> bool:
    return environment.flag(name, default=False)


def integer(name: str) -> int:
    return environment.integer(name, default=0)


POOLER = "postgresql://pool:6432/marks?pooler=statement"
DATABASES = ("sqlite:///", "sqlite:///relative", "mysql://a/b", "postgresql://host", "nonsense")
SENTINELS = tuple(f"sentinel://{to}" for to in ("", "one/first", "one:x/0", "a/0?master=b"))


@each(
    "read, name, message, values",
    [
        (flag, "SOFTMARK_DEBUG", " must be 1 or 0", ("maybe", "2", "10")),
        (integer, "SOFTMARK_PROXIES", " ", ("-1", "1.5", "one", "²")),
        (environment.database, "DATABASE_URL", None, DATABASES),
        (environment.database, "DATABASE_URL", " cannot be read: pooler", (POOLER,)),
        (environment.redis, "REDIS_URL", " cannot be read", SENTINELS),
    ],
)
def test_a_value_that_cannot_be_is_refused(monkeypatch, read, name, message, values) -> None:
    for value in values:
        monkeypatch.setenv(name, value)
        with pytest.raises(ImproperlyConfigured, match=message and f"{name}{message}"):
            read(name)


def test_a_password_may_hold_any_character(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(
        "DATABASE_URL", "postgresql://me:p%40ss%2Fword@db:5433/marks?sslmode=require"
    )
    database = environment.database("DATABASE_URL")
    assert (database["PASSWORD"], database["PORT"]) == ("p@ss/word", "5433")
    assert database["OPTIONS"]["sslmode"] == "require"


@pytest.mark.parametrize(
    ("hosts", "host", "port", "wants"),
    [
        ("db", "db", "", None),
        ("one,two", "one,two", "", "read-write"),
        ("one:6432,two", "one,two", "6432,5432", "read-write"),
        ("[::1]:5432,[::2]:5433", "::1,::2", "5432,5433", "read-write"),
        ("%2Frun%2Fpg", "/run/pg", "", None),
    ],
)
def test_of_several_hosts_the_one_that_takes_writes_is_wanted(
    monkeypatch: pytest.MonkeyPatch, hosts: str, host: str, port: str, wants: str | None
) -> None:
    monkeypatch.setenv("DATABASE_URL", f"postgresql://me:secret@{hosts}/marks")
    found = environment.database("DATABASE_URL")
    assert (found["HOST"], found["PORT"]) == (host, port)
    assert found["OPTIONS"].get("target_session_attrs") == wants


def test_what_the_address_says_of_its_hosts_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://one,two/marks?target_session_attrs=any")
    assert environment.database("DATABASE_URL")["OPTIONS"]["target_session_attrs"] == "any"


def test_behind_a_pooler_nothing_is_asked_of_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://pool:6432/marks?pooler=transaction")
    found = environment.database("DATABASE_URL", seconds=5)
    assert found["DISABLE_SERVER_SIDE_CURSORS"]
    assert found["OPTIONS"].keys() == {"connect_timeout", "tcp_user_timeout"}


def test_sentinels_are_read_with_all_that_they_need() -> None:
    found = broker.parse_sentinels(
        "sentinel://me:p%40ss@one,[::1]:26380/2?primary=marks&sentinel_password=hush&tls=1"
    )
    assert found is not None
    assert found.nodes == [("one", 26379), ("::1", 26380)]
    assert (found.primary, found.database, found.tls) == ("marks", 2, True)
    assert found.login == {"username": "me", "password": "p@ss"}
    assert found.asking(0.5)["password"] == "hush"


@pytest.mark.parametrize("address", ["postgresql://db/marks", "sqlite:////srv/marks.sqlite3"])
def test_a_statement_has_its_limit_and_none_for_who_may_wait(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", address)
    hurried = environment.database("DATABASE_URL", seconds=5)["OPTIONS"]
    patient = environment.database("DATABASE_URL")["OPTIONS"]
    if "timeout" in hurried:
        assert (hurried["timeout"], patient["timeout"]) == (5, 20)
    else:
        assert "statement_timeout=5s" in hurried["options"]
        assert "lock_timeout=3s" in hurried["options"]
        assert "options" not in patient


@pytest.mark.slow
def test_only_commands_may_take_as_long_as_they_like() -> None:
    """The web server and workers import the settings without manage.py."""
    show = "from django.conf import settings; print(settings.DATABASES['default']['SECONDS'])"
    seconds = {}
    for name, command in {
        "manage.py": ["manage.py", "shell", "-v0", "-c"],
        "others": ["-c"],
    }.items():
        shown = subprocess.run(
            [sys.executable, *command, show],
            cwd=ROOT,
            env=clean_environment() | PRODUCTION | {"DJANGO_SETTINGS_MODULE": "config.settings"},
            capture_output=True,
            text=True,
            check=True,
        )
        seconds[name] = int(shown.stdout.split()[-1])
    assert seconds == {"manage.py": 0, "others": 5}


def test_sqlite_waits_for_other_writers_and_survives_a_power_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DATABASE_URL", "sqlite:////srv/marks.sqlite3")
    options = environment.database("DATABASE_URL")["OPTIONS"]
    assert options["transaction_mode"] == "IMMEDIATE"
    assert "synchronous=FULL" in options["init_command"]


@pytest.mark.parametrize(
    ("url", "port", "ssl", "tls"),
    [
        ("smtp://me:secret@mail.example", 587, False, True),
        ("smtp://127.0.0.1:1025?tls=0", 1025, False, False),
        ("smtps://mail.example", 465, True, False),
    ],
)
def test_mail_is_encrypted_unless_said_otherwise(
    monkeypatch: pytest.MonkeyPatch, url: str, port: int, ssl: bool, tls: bool
) -> None:
    monkeypatch.setenv("SOFTMARK_EMAIL_URL", url)
    options = environment.mailer("SOFTMARK_EMAIL_URL")["OPTIONS"]
    assert (options["port"], options["use_ssl"], options["use_tls"]) == (port, ssl, tls)
