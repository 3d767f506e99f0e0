"""Settings of the web server in a container; WEB_CONCURRENCY sets the number of processes."""

import gc
import os
import tempfile
from typing import Any

wsgi_app = "config.wsgi"
bind = "0.0.0.0:8000"
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
worker_class = "config.web_worker.PatientWorker"
# Pages compute far more than they wait, so more threads would only delay each of them. Writes come
# before pages (config/web_worker.py).
threads = 2
# Import the app once, before forking, so that a replaced process answers at once.
preload_app = True
timeout = 30
# Longer than the proxy's (deploy/Caddyfile): whoever closes first may close under a request that
# is on its way. An idle connection costs no thread.
keepalive = 60
# Under Compose's stop_grace_period, so that requests in flight end well.
graceful_timeout = 20
# A slow leak somewhere below must not become an outage; not all processes at once.
max_requests = 5000
max_requests_jitter = 500
# In memory: a heartbeat that waits for a disk looks like a dead process.
worker_tmp_dir = "/dev/shm"  # nosec B108
# Its default lies in a home directory, which a container's user does not have.
control_socket_disable = True
# The application logs each request itself, without query strings (operations/requests.py).
accesslog = None

# Counts for /metrics are added up over all processes, in files that must be named before the
# first of them is imported. A reload keeps them.
wanted = os.environ.get("SOFTMARK_METRICS_TOKEN") or os.environ.get("SOFTMARK_METRICS_FROM")
if wanted and "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = tempfile.mkdtemp(prefix="softmark-metrics-")


def when_ready(server: Any) -> None:
    """Exclude imported modules from garbage collection, which would search them again and again.

    It comes less often too: a page makes objects by the ten thousand and drops them all.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
