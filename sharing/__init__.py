"""Ownership and sharing of lessons, quizzes and questions.

A share lets one instructor, or every instructor of the site, read or edit a row, or makes them its
owner. A row without shares is the site's: every instructor reads it. Administrators edit all.
"""
