"""The settings of the tests' own process; the processes that tests start use config.settings.

Nothing outside a folder of this process's own is touched: it contains SQLite and the broker, which
answers only while the fixture `broker` runs it. For the tests of the deployed form `make test` sets
DATABASE_URL and REDIS_URL.
"""

import atexit
import os
import shutil
import tempfile

# One folder for all, with one for each process. The process that starts the others, which may
# be killed, makes and removes it.
if "SOFTMARK_TEST_FOLDER" not in os.environ:
    os.environ["SOFTMARK_TEST_FOLDER"] = tempfile.mkdtemp(prefix="softmark-tests-")
    atexit.register(shutil.rmtree, os.environ["SOFTMARK_TEST_FOLDER"], ignore_errors=True)
DATA = tempfile.mkdtemp(dir=os.environ["SOFTMARK_TEST_FOLDER"])

os.environ["SOFTMARK_DATA"] = DATA
os.mkdir(f"{DATA}/static")  # the target of collectstatic, which tests do not run
os.environ["SOFTMARK_DEBUG"] = "1"
# Tests lock and wait on purpose; processes that they start keep the product's limits.
os.environ["SOFTMARK_DATABASE_SECONDS"] = "0"
# An address of this kind is inherited from the process that started this one.
if os.environ.get("REDIS_URL", "redis+socket:").startswith("redis+socket:"):
    os.environ["REDIS_URL"] = f"redis+socket://{DATA}/valkey.sock"
# Playwright's synchronous interface runs an event loop, in which Django refuses to be used.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"

from config.settings import *  # noqa: E402, F403

if DATABASES["default"]["ENGINE"].endswith("postgresql"):  # noqa: F405
    DATABASES["default"]["TEST"] = {"NAME": "test_softmark"}  # noqa: F405

# Real hashing takes half a second a user, on purpose.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
