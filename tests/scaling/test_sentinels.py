"""A Redis primary with its replica: the primary is killed while submissions wait."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
import redis
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from scripts import broker, servers
from scripts.processes import Group
from tests.processes import Process, children_of, wait_until
from tests.scaling.walking import Walker, quiz_and_sessions
from tests.sites import Site, running_demo

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("demo"),
    pytest.mark.skipif(servers.redis_program() is None, reason="Redis is not installed"),
]

PASSWORD, WATCHWORD = "of-the-servers", "of-the-sentinels"
NAME = "softmark"

SENTINEL = """
bind {host}
dir {folder}
requirepass {watchword}
sentinel sentinel-pass {watchword}
sentinel monitor {name} {host} {primary} 2
sentinel auth-pass {name} {password}
sentinel down-after-milliseconds {name} 1000
sentinel failover-timeout {name} 5000
"""


class Redises:
    """A primary, a replica, and three Sentinels, one of them dead at the failover."""

    def __init__(self, folder: Path, group: Group, stack: ExitStack, *, tls: bool) -> None:
        self.folder, self.group, self.stack = folder, group, stack
        self.certificate = certify(folder) if tls else None
        self.ports = [servers.free_port() for _ in range(2)]
        primary, replica = self.ports
        self.primary = self.server("primary", primary)
        self.replica = self.server("replica", replica, "--replicaof", servers.HOST, str(primary))
        self.watching = [servers.free_port() for _ in range(3)]
        self.sentinels = [self.sentinel(port) for port in self.watching]
        wait_until(self.all_know_each_other, 60, "the acquaintance of the Sentinels")

    def server(self, name: str, port: int, *more: str) -> Process:
        folder = self.folder / name
        folder.mkdir()
        command: list[Any] = [servers.redis_program(), "--dir", folder, *broker.SETTINGS]
        command += ["--bind", servers.HOST, "--requirepass", PASSWORD, "--masterauth", PASSWORD]
        return self.start([*command, *more, *self.on(port)], folder, port, PASSWORD)

    def on(self, port: int) -> list[str]:
        """Return the options with which a server listens at this port and talks to the others."""
        if self.certificate is None:
            return ["--port", str(port)]
        file, key = str(self.certificate), str(self.certificate.with_suffix(".key"))
        return [
            *("--port", "0", "--tls-port", str(port), "--tls-replication", "yes"),
            *("--tls-cert-file", file, "--tls-key-file", key, "--tls-ca-cert-file", file),
            *("--tls-auth-clients", "no"),
        ]

    def client(self, port: int, password: str) -> redis.Redis:
        trusted = {"ssl": True, "ssl_ca_certs": str(self.certificate)} if self.certificate else {}
        return redis.Redis(
            servers.HOST, port, password=password, socket_timeout=1, retry=None, **trusted
        )

    def sentinel(self, port: int) -> Process:
        folder = self.folder / str(port)
        folder.mkdir()
        file = folder / "sentinel.conf"
        file.write_text(
            SENTINEL.format(
                host=servers.HOST,
                folder=folder,
                name=NAME,
                primary=self.ports[0],
                password=PASSWORD,
                watchword=WATCHWORD,
            )
        )
        command = [servers.redis_program(), file, "--sentinel", *self.on(port)]
        return self.start(command, folder, port, WATCHWORD)

    def start(self, command: list[Any], folder: Path, port: int, password: str) -> Process:
        def answers() -> bool:
            with suppress(redis.RedisError), self.client(port, password) as asked:
                return bool(asked.ping())
            return False

        process = Process(command, self.group, folder / "log", dict(os.environ), answers)
        return self.stack.enter_context(process)

    def all_know_each_other(self) -> bool:
        states = [self.master_by(port) for port in self.watching]
        return all(
            (int(known["num-slaves"]), int(known["num-other-sentinels"])) == (1, 2)
            for known in states
        )

    def master_by(self, port: int) -> dict[str, Any]:
        with self.client(port, WATCHWORD) as asked:
            return dict(asked.sentinel_master(NAME))

    def role_of(self, port: int) -> str:
        """Return the server's own answer; it drops all connections when its role changes."""
        with suppress(redis.RedisError), self.client(port, PASSWORD) as asked:
            return str(asked.info("replication")["role"])
        return "unknown"

    @property
    def url(self) -> str:
        nodes = ",".join(f"{servers.HOST}:{port}" for port in self.watching)
        options = f"primary={NAME}&sentinel_password={WATCHWORD}"
        return f"sentinel://:{PASSWORD}@{nodes}/0?{options}{'&tls=1' if self.certificate else ''}"


def certify(folder: Path) -> Path:
    """Write a self-signed certificate for this machine beside its key, and return its path."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "redises")])
    here = x509.SubjectAlternativeName([x509.IPAddress(ip_address(servers.HOST))])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(here, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = folder / "redises.pem"
    file.write_bytes(made.public_bytes(Encoding.PEM))
    plain = (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.with_suffix(".key").write_bytes(key.private_bytes(*plain))
    return file


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "tls"])
def redises(
    request: pytest.FixtureRequest, group: Group, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Redises]:
    with ExitStack() as stack:
        yield Redises(tmp_path_factory.mktemp("redises"), group, stack, tls=request.param)


@pytest.fixture(scope="module")
def watched_site(redises: Redises, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site whose workers never look for waiting work by themselves, only when notified."""
    folder = tmp_path_factory.mktemp("watched-site") / "data"
    variables = {"SOFTMARK_SWEEP_SECONDS": "3600", "SOFTMARK_METRICS_FROM": "127.0.0.0/8"}
    if redises.certificate:
        variables["SSL_CERT_FILE"] = str(redises.certificate)  # what the system trusts
    with running_demo(folder, f"--redis-url={redises.url}", **variables) as site:
        yield site


def send_to_worker(site: Site, number: signal.Signals) -> None:
    pid = site.pids["worker"]
    for each in [pid, *children_of(pid)]:
        os.kill(each, number)


def hand_in(student: Walker, choice: str) -> float:
    """Save and submit. Return the seconds until the receipt."""
    student.save(choice)
    began = time.monotonic()
    student.submit()
    return time.monotonic() - began


def test_a_primary_that_is_killed_while_submissions_wait_costs_seconds(
    watched_site: Site, redises: Redises
) -> None:
    with ExitStack() as stack:
        slug, found = quiz_and_sessions(watched_site, 9)
        students = [stack.enter_context(Walker(watched_site.url, session)) for session in found]
        for student in students:
            student.start(slug)
        hand_in(students[0], "a")
        students[0].wait_for_marks()  # opens everybody's connection to the primary

        send_to_worker(watched_site, signal.SIGSTOP)
        for student in students[1:4]:
            hand_in(student, "b")
        redises.sentinels[0].kill()
        redises.primary.kill()
        took = [hand_in(student, "a") for student in students[4:8]]
        send_to_worker(watched_site, signal.SIGCONT)
        # One at most, on a busy machine; retrying a dead Sentinel took four.
        assert max(took) < 3
        for student in students[:8]:
            student.wait_for_marks()

        wait_until(lambda: redises.role_of(redises.ports[1]) == "master", 30, "the promotion")
        hand_in(students[8], "a")
        students[8].wait_for_marks()
        count = watched_site.manage("shell", "-v0", "--no-imports", f"--command={COUNT}")
        assert count.split() == ["9", "9", "9"]
        assert students[0].read("/readyz").json()["checks"]["broker"]["ok"]

        # The former primary comes back as a replica, and gets no requests.
        redises.primary.start()
        wait_until(lambda: redises.role_of(redises.ports[0]) == "slave", 60, "its new role")


COUNT = """
from quizzes.models import Answer, Grade, Submission
graded = Submission.objects.filter(state=Submission.State.GRADED)
print(graded.count(), Answer.objects.count(), Grade.objects.count())
"""
