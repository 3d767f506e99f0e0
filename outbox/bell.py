"""The bell of the task that sends, for whoever posts.

The task is named and not imported, so that services may ring: what is posted along with other
deeds is then not forgotten by their callers.
"""

from celery import signature

from foundation.doorbell import Doorbell

SEND = "outbox.tasks.send"
sending_bell = Doorbell(signature(SEND))
