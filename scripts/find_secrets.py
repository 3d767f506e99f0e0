"""Does anything that looks like a secret stand in a file of the repository? `make lint` asks."""

import subprocess
import sys
from pathlib import Path

# Tests make up passwords, and hashes of packages look random.
NOT_LOOKED_INTO = r"^(tests/|requirements.*\.txt$)"
# What only shows the form of an address, names a form, or says where a secret comes from.
NO_SECRET = r"user:password@|softmark:\$\{POSTGRES|accounts\.forms\.|^PASSWORD = .softmark-demo."


def main() -> int:
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.splitlines()
    hook = Path(sys.executable).with_name("detect-secrets-hook")
    options = ["--exclude-files", NOT_LOOKED_INTO, "--exclude-lines", NO_SECRET]
    return subprocess.run([hook, *options, *filter(lambda f: Path(f).is_file(), files)]).returncode


if __name__ == "__main__":
    sys.exit(main())
