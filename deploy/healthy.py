"""Health of this container as an exit code: `python deploy/healthy.py web`, or `… heartbeat`.

Standard library only: it runs every few seconds and must cost nothing.
"""

import os
import sys
import time
from http.client import HTTPConnection
from pathlib import Path

# A worker touches its file every two seconds, beat with every message it sends (five).
STALE_SECONDS = 30


def web(port: int = 8000) -> None:
    """The server answers, and reaches its database."""
    server = HTTPConnection("127.0.0.1", port, timeout=4)
    server.request("GET", "/readyz")
    answer = server.getresponse()
    if answer.status != 200:
        sys.exit(f"/readyz answered {answer.status}: {answer.read(200).decode().strip()}")


def heartbeat() -> None:
    """The worker or beat has lately spoken to the broker (config/celery/heartbeat.py)."""
    file = Path(os.environ["SOFTMARK_HEARTBEAT"])
    if not file.exists():
        sys.exit("No heartbeat yet.")
    age = time.time() - file.stat().st_mtime
    if age > STALE_SECONDS:
        sys.exit(f"The last heartbeat is {age:.0f} s old.")


if __name__ == "__main__":
    {"web": web, "heartbeat": heartbeat}[sys.argv[1]]()
