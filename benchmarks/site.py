"""The demo in a folder of its own, for benchmarks over HTTP."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def run_demo() -> Iterator[str]:
    """Run the whole site, with its database in this process. Yield its address."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "demo"
        command = [sys.executable, "-m", "scripts.demo", "--port=0", f"--data={data}"]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
        try:
            ready = _wait_for(data / "ready.json")
            os.environ |= ready["environment"] | {"DJANGO_SETTINGS_MODULE": "config.settings"}
            import django

            django.setup()
            yield ready["url"].rstrip("/")
        finally:
            process.terminate()
            process.wait(30)


def _wait_for(path: Path) -> dict:
    deadline = time.monotonic() + 180
    while not path.exists():
        if time.monotonic() > deadline:
            sys.exit("The demo did not start.")
        time.sleep(0.1)
    return json.loads(path.read_text())


def report(name: str, seconds: Sequence[float]) -> None:
    """Print the median and the 95th percentile in milliseconds."""
    p95 = statistics.quantiles(seconds, n=20)[-1]
    print(
        f"{name}: median {statistics.median(seconds) * 1000:.0f} ms, "
        f"p95 {p95 * 1000:.0f} ms over {len(seconds)}"
    )


def log_in(email: str):
    """Create a student and log them in. Return the student and the cookie."""
    from django.contrib.auth import get_user_model
    from django.test import Client

    student = get_user_model().objects.create_user(email, "secret")
    client = Client()
    client.force_login(student)
    return student, f"sessionid={client.cookies['sessionid'].value}"


def read_page(address: str, cookie: str) -> tuple[str, str]:
    """Read a page with a form. Return its CSRF cookie and the form's token."""
    request = urllib.request.Request(address, headers={"Cookie": cookie})
    with urllib.request.urlopen(request) as response:
        csrf = response.headers.get_all("Set-Cookie")[0].partition(";")[0]
        html = response.read().decode()
    token = html.partition('name="csrfmiddlewaretoken" value="')[2].partition('"')[0]
    return csrf, token


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def post(address: str, fields: Mapping[str, str], cookie: str) -> None:
    """Post a form, without following a redirect."""
    request = urllib.request.Request(
        address, urllib.parse.urlencode(fields).encode(), headers={"Cookie": cookie}
    )
    try:
        urllib.request.build_opener(_NoRedirect).open(request).close()
    except urllib.error.HTTPError as answer:
        if answer.code != 302:
            raise
