"""Celery's settings. The row is the queue: a message is a doorbell that carries no data.

Losing a message costs seconds, because a sweep takes whatever waits; so everything here
prefers to fail fast and to carry on. Each setting that is not Celery's default says why.
"""

from celery.schedules import crontab
from django.conf import settings

from config.celery.address import for_kombu

SOFT_LIMIT, HARD_LIMIT = 18, 20  # seconds; marking has its own (quizzes/tasks.py)
VISIBILITY_TIMEOUT = 30  # above the hard limit, or a slow task is handed out twice

TRANSPORT = {
    "visibility_timeout": VISIBILITY_TIMEOUT,
    # What a dead worker held is looked for every five seconds, not every hundred.
    "unacked_restore_interval": 5,
    "unacked_restore_throttle": 1,
}
# With the defaults a broker that accepts and never answers hangs a request for 45 s.
IMPATIENT = {
    "socket_connect_timeout": 0.5,
    "socket_timeout": 0.5,
    "retry_on_timeout": False,
    "max_retries": 0,
}

broker_url, SENTINELS, broker_use_ssl = for_kombu(settings.REDIS_URL, IMPATIENT["socket_timeout"])
# Whoever shares the Redis with us and uses Celery's default queue must not take our messages.
task_default_queue = "softmark"
# Messages come from us alone, and JSON cannot execute.
accept_content = ["json"]
# Publishing, from a web request: one try within a second, and the sweep makes it good.
task_publish_retry = False
broker_pool_acquire_timeout = 1
broker_transport_options = TRANSPORT | IMPATIENT | SENTINELS
# Results are rows; nobody asks Celery for one.
task_ignore_result = True
result_backend_transport_options = {"visibility_timeout": VISIBILITY_TIMEOUT}
visibility_timeout = VISIBILITY_TIMEOUT
# A worker that dies gives its message back; but one that a task killed does not, or the
# same message would kill one worker after the other.
task_acks_late = True
task_reject_on_worker_lost = False
# One message at a time: a batch can take seconds, and others may be idle.
worker_prefetch_multiplier = 1
task_soft_time_limit = SOFT_LIMIT
task_time_limit = HARD_LIMIT
# The broker may come back at any time, so never give up on it.
broker_connection_retry_on_startup = True
broker_connection_max_retries = None
# Its acknowledgement could not be sent any more: let the task be run again elsewhere.
worker_cancel_long_running_tasks_on_connection_loss = True
# A deployment stops workers in the middle of a burst: let them finish.
worker_soft_shutdown_timeout = 15
# A slow leak somewhere below must not become an outage.
worker_max_tasks_per_child = 1000
worker_max_memory_per_child = 400_000  # KiB
# Whoever can write to the broker shall not be able to command workers.
worker_enable_remote_control = False
# Events, gossip and mingle have no listener, and can make a worker deaf.
worker_consumer = "config.celery.consumer:QuietConsumer"
# One that sees at once when a process has ended.
worker_pool = "config.celery.pool:Pool"
# Django's LOGGING says where lines go.
worker_hijack_root_logger = False
timezone = "UTC"
# By the clock: beat remembers nothing, and may be started anew each day.
AT_NIGHT = crontab(hour=2, minute=40)
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
    "tell-classes": {"task": "classes.tasks.tell", "schedule": 60, "options": {"expires": 60}},
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
