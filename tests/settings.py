"""The settings of the tests' own process; the processes that tests start use config.settings."""

import os
import tempfile

os.environ.setdefault("SOFTMARK_DEBUG", "1")
os.environ.setdefault("SOFTMARK_DATA", tempfile.mkdtemp(prefix="softmark-tests-"))

from config.settings import *  # noqa: F403

# Real hashing takes half a second a user, on purpose.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
