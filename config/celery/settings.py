"""Celery's settings. Rows are the queue: a message only wakes a worker and carries no data.

Losing a message costs seconds, because sweeps find waiting rows; so these settings prefer to fail
fast and to carry on. Each setting that is not Celery's default says why.
"""

from celery.schedules import crontab
from django.conf import settings
from kombu import Queue

from config.celery.address import for_kombu

SOFT_LIMIT, HARD_LIMIT = 18, 20  # seconds; marking has its own limits (quizzes/tasks.py)

# With the defaults a broker that accepts and never answers hangs a request for 45 s.
IMPATIENT = {
    "socket_connect_timeout": 0.5,
    "socket_timeout": 0.5,
    "retry_on_timeout": False,
    "max_retries": 0,
}

broker_url, SENTINELS, broker_use_ssl = for_kombu(settings.REDIS_URL, IMPATIENT["socket_timeout"])
# Other users of the same Redis, with Celery's default queue, must not take our messages.
task_default_queue = "softmark"
# The broker deletes a message as it delivers it. So a message that kills its worker is not put back
# to kill the next, and no worker counts messages that it could not acknowledge.
task_queues = [Queue(task_default_queue, no_ack=True)]
# Only we send messages, and JSON cannot execute code.
accept_content = ["json"]
# Publishing from a web request: one try within a second; a sweep makes up for a failed one.
task_publish_retry = False
broker_pool_acquire_timeout = 1
broker_transport_options = IMPATIENT | SENTINELS
# Results are rows; nobody asks Celery for one.
task_ignore_result = True
task_soft_time_limit = SOFT_LIMIT
task_time_limit = HARD_LIMIT
# The broker may come back at any time, so never give up on it.
broker_connection_retry_on_startup = True
broker_connection_max_retries = None
# A slow leak somewhere below must not become an outage.
worker_max_tasks_per_child = 1000
worker_max_memory_per_child = 400_000  # KiB
# Write access to the broker must not give control over workers.
worker_enable_remote_control = False
# Django's LOGGING says where lines go.
worker_hijack_root_logger = False
timezone = "UTC"
# By the clock: beat stores no state, and may be restarted each day.
AT_NIGHT = crontab(hour=2, minute=40)
HOURLY = crontab(minute=5)
# Each expires before the next comes, so that none pile up while no worker runs.
beat_schedule = {
    "pulse": {"task": "operations.tasks.beat", "schedule": 5, "options": {"expires": 5}},
    "sweep": {"task": "quizzes.tasks.sweep", "schedule": 5, "options": {"expires": 5}},
    "stock-variants": {
        "task": "quizzes.tasks.stock_variants",
        "schedule": 20,
        "options": {"expires": 20},
    },
    "forget-roster-imports": {
        "task": "classes.tasks.forget_imports",
        "schedule": AT_NIGHT,
        "options": {"expires": 3600},
    },
    "tell-classes": {
        "task": "classes.tasks.post_letters",
        "schedule": 60,
        "options": {"expires": 60},
    },
    "tell-staff": {
        "task": "classes.tasks.post_morning",
        "schedule": HOURLY,
        "options": {"expires": 3600},
    },
    "send": {"task": "outbox.tasks.send", "schedule": 10, "options": {"expires": 10}},
    "tidy": {"task": "quizzes.tasks.tidy", "schedule": AT_NIGHT, "options": {"expires": 3600}},
    "forget-sessions": {
        "task": "accounts.tasks.forget_sessions",
        "schedule": AT_NIGHT,
        "options": {"expires": 3600},
    },
    "forget-idle": {
        "task": "accounts.tasks.forget_idle_accounts",
        "schedule": AT_NIGHT,
        "options": {"expires": 3600},
    },
    "fold-names": {
        "task": "accounts.tasks.fold_names",
        "schedule": AT_NIGHT,
        "options": {"expires": 3600},
    },
    "sweep-sentences": {
        "task": "lessons.sentences.tasks.sweep",
        "schedule": 5,
        "options": {"expires": 5},
    },
}
