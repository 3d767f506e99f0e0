"""Classes: courses, the people in them, and how people come in.

Services write, queries read; `rosters.py` reads lists of people out of files and pasted text, and
knows no database.
"""
