"""Two web servers behind the proxy that ships: any of them serves any page."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import PBKDF2PasswordHasher

from scripts.processes import Group
from tests.deployment.caddy import proxy_of
from tests.faults.one_question import make_quiz
from tests.faults.saving import kill_with_children
from tests.operations.serving import web_server
from tests.processes import Process
from tests.scaling.walking import Walker

pytestmark = [pytest.mark.slow, pytest.mark.service, pytest.mark.django_db(transaction=True)]

EMAIL, PASSWORD = "student@example.org", "correct horse battery"

# Like the shipped one, but in turn instead of at random, so that no two requests in a row
# reach the same server.
IN_TURN = """to {servers}
\t\tlb_policy round_robin
\t\theader_down X-Served-By {{http.reverse_proxy.upstream.hostport}}"""


@contextmanager
def two_behind_one(group: Group, folder: Path) -> Iterator[tuple[str, dict[str, Process]]]:
    """Yield the proxy's address, and the servers by theirs."""
    first, second = folder / "first", folder / "second"
    first.mkdir()
    second.mkdir()
    with (
        web_server(group, first, SOFTMARK_PROXIES="1") as (one, process),
        web_server(group, second, SOFTMARK_PROXIES="1") as (two, other),
    ):
        servers = {one.removeprefix("http://"): process, two.removeprefix("http://"): other}
        with proxy_of(folder, IN_TURN.format(servers=" ".join(servers))) as port:
            yield f"http://127.0.0.1:{port}", servers


@pytest.fixture
def student():
    # The product reads PBKDF2; the tests' own hasher is another one.
    password = PBKDF2PasswordHasher().encode(PASSWORD, "salt")
    return get_user_model().objects.create(email=EMAIL, password=password)


def test_a_whole_way_alternates_between_them_and_outlives_one(
    worker: Process, student, group: Group, tmp_path: Path
) -> None:
    quiz = make_quiz()
    with two_behind_one(group, tmp_path) as (url, servers), Walker(url) as walker:
        walker.log_in(EMAIL, PASSWORD)
        walker.start(quiz.slug)
        for choice in "bcd":
            walker.save(choice)
        assert all(one != other for one, other in pairwise(walker.served))

        killed = walker.served[-1]
        process = servers[killed].process
        assert process is not None
        kill_with_children(process.pid)
        before = len(walker.served)
        walker.save("a")
        walker.submit()
        walker.wait_for_marks()
        assert "Results" in walker.results()
        assert set(walker.served[before:]) == set(servers) - {killed}
