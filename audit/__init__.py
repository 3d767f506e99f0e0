"""The audit log: events appended in the transaction of the action they record, never changed.

Apps register their verbs (verbs.py), record what is done (services.py), and list it (queries.py).
"""
