"""Whose a lesson, a quiz or a question is, and with whom it is shared.

A share says that one instructor, or every instructor of the site, may read or edit a row, or owns
it. A row without any is the site's: every instructor reads it. Administrators see and edit all.
"""
