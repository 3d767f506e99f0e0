"""Installation of the system's packages, if permitted without a password."""

import os
import shutil
import subprocess


def install(packages: list[str]) -> bool:
    """Install Debian packages as root, or by a sudo that asks nothing. Return whether it worked."""
    become_root = _become_root()
    if become_root is None or not shutil.which("apt-get"):
        return False
    apt = [*become_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]
    subprocess.run([*apt, "update"], stdin=subprocess.DEVNULL, capture_output=True)
    command = [*apt, "install", "--yes", "--no-install-recommends", *packages]
    installed = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    return installed.returncode == 0


def _become_root() -> list[str] | None:
    """Return the prefix of a command that needs root; None if sudo would ask for a password."""
    if os.geteuid() == 0:
        return []
    sudo = ["sudo", "--non-interactive"]
    if (
        shutil.which("sudo")
        and subprocess.run([*sudo, "true"], capture_output=True).returncode == 0
    ):
        return sudo
    return None
