"""How the parts are put together; nothing else in the project imports from here."""

# The web process rings the workers' doorbell through this app: without the import, tasks
# declared with @shared_task would be bound to Celery's default app, which has no broker.
from config.celery import app as celery_app

__all__ = ["celery_app"]
