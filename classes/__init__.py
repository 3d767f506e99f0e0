"""Classes: courses, their members and their assignments.

Services write, queries read; `rosters.py` parses lists of people from files and pasted text,
without a database.
"""
