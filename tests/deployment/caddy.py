"""deploy/Caddyfile in a real Caddy, in front of a test's own web servers."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from scripts.servers import free_port
from tests.conftest import listens
from tests.deployment.conftest import ROOT, TOOLS
from tests.processes import wait_until


@contextlib.contextmanager
def running(command: list[object], port: int, **options: object) -> Iterator[int]:
    process = subprocess.Popen([str(word) for word in command], **options)
    try:
        wait_until(lambda: listens(port), what=f"the start of {command[0]}")
        yield port
    finally:
        process.terminate()
        process.wait(15)


@contextlib.contextmanager
def proxy_of(folder: Path, upstreams: str) -> Iterator[int]:
    """Run the shipped proxy with another name and other upstreams. Yield its port."""
    port = free_port()
    shipped = (ROOT / "deploy/Caddyfile").read_text()
    assert "dynamic a web 8000" in shipped
    file = folder / "Caddyfile"
    without_admin = shipped.replace("{\n\tservers", "{\n\tadmin off\n\tservers", 1)
    file.write_text(without_admin.replace("dynamic a web 8000", upstreams))
    command = [TOOLS / "caddy", "run", f"--config={file}", "--adapter=caddyfile"]
    host = f"http://127.0.0.1:{port}"
    environment = os.environ | {"SOFTMARK_ALLOWED_HOSTS": host, "HOME": str(folder)}
    with running(command, port, env=environment) as port:
        yield port
