"""The ground floor: what apps share that is neither lesson nor quiz. It imports none of them.

doorbell.py rings for a task; locking.py takes rows out of a queue; loading.py decides what becomes
of a row that a file describes; large.py lists a million rows in the admin; methods.py says which
methods a view takes; personal.py, what is held of people.
"""
