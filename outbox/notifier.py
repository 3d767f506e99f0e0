"""The notifier of the sending task.

The task is named, not imported, so that services may wake it themselves: callers that post
messages along with other changes cannot forget to.
"""

from celery import signature

from foundation.notifier import Notifier

SEND = "outbox.tasks.send"
sending_notifier = Notifier(signature(SEND))
