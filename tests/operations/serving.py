"""The web server of the deployed form, on the test's database."""

import sys
import urllib.request
from contextlib import contextmanager, suppress

from scripts.bootstrap import ROOT
from scripts.servers import free_port
from tests.conftest import environment
from tests.processes import Process


@contextmanager
def web_server(group, folder, **variables):
    """Run the web server as a container does, on a port and folder of its own."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"

    def answers():
        with suppress(OSError):
            return urllib.request.urlopen(f"{url}/healthz").status == 200
        return False

    variables = environment(
        # The test's own secret signs its sessions, and no static files are collected.
        SOFTMARK_DEBUG="1",
        **variables,
    )
    command = [sys.executable, "-m", "gunicorn", "--config", ROOT / "deploy/gunicorn.conf.py"]
    command += [f"--bind=127.0.0.1:{port}"]
    with Process(command, group, folder / "web.log", variables, answers) as process:
        yield url, process
        process.stop()
