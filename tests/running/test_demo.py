"""`make demo` starts, answers, keeps the data, and leaves nothing behind however it ends."""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.http import HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware

from scripts.bootstrap import ROOT
from scripts.demo import STATIC, Demo
from scripts.processes import Group
from tests.processes import wait_until
from tests.sites import Site, running_demo

SERVICES = {"broker", "worker", "beat", "web server"}

pytestmark = pytest.mark.xdist_group("demo")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all tests here, so that only the first start has to prepare everything."""
    return tmp_path_factory.mktemp("demo") / "data"


def answers(site: Site) -> bool:
    try:
        with urllib.request.urlopen(f"{site.url}/healthz", timeout=2) as page:
            return bool(page.status == 200)
    except OSError:
        return False


def processes_of(folder: Path) -> list[str]:
    """Return every process that was started for the demo in a folder, under any parent."""
    mark = f"SOFTMARK_DATA={folder}"
    if not Path("/proc/self/environ").exists():
        listed = subprocess.run(["ps", "axeww"], capture_output=True, text=True, check=True)
        return [line for line in listed.stdout.splitlines() if mark in line]
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError, PermissionError):
            if mark.encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append(process.name)
    return found


def assert_nothing_is_left(folder: Path, seconds: float = 5) -> None:
    wait_until(lambda: not processes_of(folder), seconds, "the end of all processes")


def refusal(*options: str) -> str:
    """Return the error message of a demo that cannot start."""
    demo = subprocess.run(
        [sys.executable, "-m", "scripts.demo", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert demo.returncode == 1
    assert "Traceback" not in demo.stderr
    return demo.stderr


@pytest.mark.slow
class TestWhileItRuns:
    @pytest.fixture(scope="class")
    @classmethod
    def demo(cls, folder: Path) -> Iterator[Site]:
        with running_demo(folder) as site:
            yield site
        assert_nothing_is_left(folder)

    def test_it_is_a_broker_a_worker_beat_and_a_web_server(self, demo: Site) -> None:
        assert set(demo.pids) == SERVICES
        assert answers(demo)
        assert len(processes_of(demo.folder)) >= len(SERVICES)

    def test_its_data_is_for_its_owner_alone(self, demo: Site) -> None:
        assert demo.folder.stat().st_mode & 0o077 == 0

    def test_a_second_one_in_the_same_folder_is_refused(self, demo: Site) -> None:
        sentence = refusal(f"--data={demo.folder}", "--port=0")
        assert f"A demo is already running at {demo.url}/" in sentence

    def test_a_port_in_use_gets_a_sentence(self, demo: Site, tmp_path: Path) -> None:
        port = demo.url.rsplit(":", 1)[1]
        sentence = refusal(f"--data={tmp_path}", f"--port={port}")
        assert f"Port {port} is in use by another program" in sentence
        assert f"make demo PORT={int(port) + 1}" in sentence

    @pytest.mark.parametrize("name", sorted(SERVICES))
    def test_what_dies_by_itself_is_started_again(self, demo: Site, name: str) -> None:
        before = demo.pids
        os.kill(before[name], signal.SIGKILL)
        wait_until(lambda: f"The {name} was killed (SIGKILL)" in demo.output)
        wait_until(lambda: demo.pids[name] != before[name], what=f"the restart of the {name}")
        wait_until(lambda: answers(demo))


@pytest.mark.slow
@pytest.mark.parametrize("dead", ["worker", "broker"])
def test_ctrl_c_stops_everything_also_when_one_is_dead(folder: Path, dead: str) -> None:
    with running_demo(folder) as site:
        os.kill(site.pids[dead], signal.SIGKILL)
        site.supervisor.send_signal(signal.SIGINT)
        assert site.supervisor.wait(20) == 0
    assert_nothing_is_left(folder)


@pytest.mark.slow
def test_a_kill_9_leaves_no_orphan(folder: Path) -> None:
    with running_demo(folder) as site:
        site.supervisor.kill()
        site.supervisor.wait()
        assert_nothing_is_left(folder)


@pytest.mark.slow
def test_a_kill_9_of_what_started_it_leaves_no_orphan(folder: Path) -> None:
    """The case is that of somebody who kills make itself."""
    (folder / "ready.json").unlink(missing_ok=True)
    starter = subprocess.Popen(
        [sys.executable, "-c", "import subprocess, sys; subprocess.run(sys.argv[1:])"]
        + [sys.executable, "-m", "scripts.demo", "--port=0", f"--data={folder}", "--follow-parent"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_until((folder / "ready.json").exists, 60)
    starter.kill()
    starter.wait()
    assert_nothing_is_left(folder, 20)


@pytest.mark.slow
def test_a_second_start_prepares_nothing_again_and_keeps_the_data(folder: Path) -> None:
    group = "from django.contrib.auth.models import Group; Group.objects."
    with running_demo(folder) as first:
        first.run(f"{group}get_or_create(name='kept')")
        secret = first.environment["SOFTMARK_SECRET_KEY"]
    with running_demo(folder) as second:
        output = second.output
        assert "Preparing" not in output
        assert "Compressing" not in output
        assert second.environment["SOFTMARK_SECRET_KEY"] == secret
        second.run(f"{group}get(name='kept')")


@pytest.mark.parametrize("port", ["http", "-1", "65536"])
def test_what_is_no_port_gets_a_sentence(tmp_path: Path, port: str) -> None:
    assert "A port is a number" in refusal(f"--data={tmp_path}", f"--port={port}")


@pytest.mark.parametrize(
    ("ends", "expected"), [("true", "weeks of work now"), ("false", "couldn't be made")]
)
def test_the_result_of_the_class_is_printed_once_and_harms_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], ends: str, expected: str
) -> None:
    options = argparse.Namespace(database_url=None, redis_url=None)
    demo = Demo(tmp_path, 8000, options, group=None)  # type: ignore[arg-type]
    demo.filling = subprocess.Popen([ends])
    demo.filling.wait()
    demo.announce_class()
    demo.announce_class()
    assert capsys.readouterr().out.count(expected) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("was_whole", "status"), [(True, 200), (False, 404)])
def test_what_an_open_page_loads_later_answers_after_an_upgrade_but_half_a_file_does_not(
    tmp_path: Path, settings, rf, was_whole: bool, status: int
) -> None:
    name = "design/fonts/softmark-sans.0123456789ab.woff2"
    settings.STATIC_ROOT = tmp_path / "static"
    (settings.STATIC_ROOT / name).parent.mkdir(parents=True)
    (settings.STATIC_ROOT / name).write_text("of the release before")
    (tmp_path / "logs").mkdir()
    options = argparse.Namespace(database_url=None, redis_url=None)
    with Group() as group:
        demo = Demo(tmp_path, 8000, options, group)
        stamp = demo.stamp("static", STATIC)
        if was_whole:
            stamp.file.write_text("the release before")
        assert demo.collect_static_files(stamp, tmp_path / "logs/static.log").wait() == 0
    assert not stamp.file.exists()
    site = WhiteNoiseMiddleware(lambda request: HttpResponse(status=404), settings)
    assert site(rf.get(f"/static/{name}")).status_code == status
    new = json.loads((settings.STATIC_ROOT / "staticfiles.json").read_text())["paths"]
    assert site(rf.get(f"/static/{new['design/site.css']}")).status_code == 200
