"""The project's configuration; no other package imports from here, except for the Celery app."""

# The web process wakes workers through this app: without the import, tasks
# declared with @shared_task would be bound to Celery's default app, which has no broker.
from config.celery import app as celery_app

__all__ = ["celery_app"]
