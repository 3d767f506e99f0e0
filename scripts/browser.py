"""The browser that the tests drive, installed if it is missing."""

import shutil
import subprocess
from pathlib import Path

from scripts import system
from scripts.bootstrap import PYTHON
from scripts.console import Problem, step

# The headless shell first: it uses a third less of the processor.
NAMES = (
    *("chromium-headless-shell", "chromium", "chromium-browser"),
    *("google-chrome", "google-chrome-stable"),
)
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
ASK_PLAYWRIGHT = (
    "from playwright.sync_api import sync_playwright as s\n"
    "with s() as p: print(p.chromium.executable_path)"
)


def ensure() -> str:
    """Return the path of a Chromium; install one first if there is none."""
    found = find()
    if found is None:
        with step("Installing the Chromium browser for the tests"):
            _install()
        found = find()
    if found is None:
        raise Problem(
            "The tests need a Chromium browser, and it couldn't be installed. Install Chromium or "
            f"Google Chrome (or, with a network: {PYTHON} -m playwright install --with-deps "
            "chromium), then run the command again."
        )
    return found


def find() -> str | None:
    """Return the path of a Chromium that runs, the system's or Playwright's; None if none does."""
    candidates = [shutil.which(name) for name in NAMES] + list(PLACES)
    for candidate in candidates:
        if candidate and _runs(candidate):
            return candidate
    asked = subprocess.run([PYTHON, "-c", ASK_PLAYWRIGHT], capture_output=True, text=True)
    own = asked.stdout.strip()
    return own if own and _runs(own) else None


def _runs(browser: str) -> bool:
    # Ubuntu's chromium-browser may be a stub that only says where to get one.
    if not Path(browser).exists():
        return False
    return subprocess.run([browser, "--version"], capture_output=True).returncode == 0


def _install() -> None:
    """Install a Chromium from the system's packages if permitted, else Playwright's own."""
    if not (system.install(["chromium-headless-shell"]) or system.install(["chromium"])):
        subprocess.run([PYTHON, "-m", "playwright", "install", "chromium"], capture_output=True)
