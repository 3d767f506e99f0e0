"""Files in the demo's folder: a lock, a secret key, a socket, and stamps that save work."""

import fcntl
import hashlib
import json
import os
import secrets
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from scripts.bootstrap import ROOT
from scripts.console import Problem


def lock_folder(folder: Path) -> int:
    """Lock the folder; a demo that was just killed gets three seconds to end."""
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    for _ in range(30):
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        time.sleep(0.1)
    where = ""
    with suppress(OSError, ValueError, KeyError):
        where = f" at {json.loads((folder / 'ready.json').read_text())['url']}"
    raise Problem(
        f"A demo is already running{where}, in the folder {folder}. Use that one, or stop it with "
        "Ctrl-C where you started it."
    )


def secret_key(folder: Path) -> str:
    """Return the secret key, made once and kept, so that a restart logs nobody out."""
    file = folder / "secret_key"
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(secrets.token_urlsafe(48))
    return file.read_text()


def broker_socket(folder: Path) -> Path:
    """Return a path for the broker's Unix socket, which may have about 100 characters."""
    file = folder / "valkey.sock"
    if len(str(file)) < 100:
        return file
    name = hashlib.sha256(str(folder).encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"softmark-{name}.sock"


class Stamp:
    """A record of the state of the project's files when something was made from them."""

    def __init__(self, file: Path, patterns: list[str]) -> None:
        self.file = file
        key = hashlib.sha256()
        for path in sorted(path for pattern in patterns for path in ROOT.glob(pattern)):
            if "__pycache__" not in path.parts and path.is_file():
                status = path.stat()
                key.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode())
        self.key = key.hexdigest()

    def is_current(self) -> bool:
        return self.file.exists() and self.file.read_text() == self.key

    def set(self) -> None:
        self.file.write_text(self.key)
