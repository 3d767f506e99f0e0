"""Search the repository for text that looks like a secret: part of `make lint`."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Tests invent passwords, and hashes of packages look random.
EXCLUDED_FILES = r"^(tests/|requirements.*\.txt$)"
# Examples of addresses, names of forms, sources of secrets, and the demo's public password.
EXCLUDED_LINES = (
    r"user:password@|softmark:\$\{POSTGRES|accounts\.forms\.|^PASSWORD = .softmark-demo."
)


def main() -> int:
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.splitlines()
    hook = Path(sys.executable).with_name("detect-secrets-hook")
    options = ["--exclude-files", EXCLUDED_FILES, "--exclude-lines", EXCLUDED_LINES]
    files = [file for file in files if Path(file).is_file()]
    processors = os.process_cpu_count() or 1

    def search(share: int) -> int:
        return subprocess.run([hook, *options, *files[share::processors]]).returncode

    with ThreadPoolExecutor() as pool:
        return max(pool.map(search, range(processors)))


if __name__ == "__main__":
    sys.exit(main())
