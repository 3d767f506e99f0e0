"""The student's pages. Views read by queries, write by services, leave what is shown to presenters.

Somebody else's attempt is not found, whoever asks; its review is there for instructors alone.
"""
