"""Running the site: is it well, what does it count, and copies of all that it keeps.

findings.py looks at every part; health.py tells it to machines and `manage.py doctor` to people.
pulse.py is a message that comes back; archive.py is behind `manage.py backup` and `restore`.
"""
