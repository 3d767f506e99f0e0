"""How the web server runs in a container; WEB_CONCURRENCY sets the number of processes."""

import os

wsgi_app = "config.wsgi"
bind = "0.0.0.0:8000"
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
# Pages wait for the database far more than they compute.
threads = 4
timeout = 30
# Under Compose's stop_grace_period, so that requests in flight end well.
graceful_timeout = 20
# A slow leak somewhere below must not become an outage; not all processes at once.
max_requests = 5000
max_requests_jitter = 500
# In memory: a heartbeat that waits for a disk looks like a dead process.
worker_tmp_dir = "/dev/shm"
# Its default lies in a home directory, which a container's user does not have.
control_socket_disable = True
accesslog = "-"
