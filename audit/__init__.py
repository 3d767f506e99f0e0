"""Who did what to whom, and why: appended in the transaction of the deed, and never changed.

Apps register their verbs (verbs.py), record what is done (services.py), and list it (queries.py).
"""
