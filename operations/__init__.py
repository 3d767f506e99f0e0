"""Operating the site: health checks, metrics, logs and backups.

findings.py examines every part; health.py reports to machines and `manage.py doctor` to people.
pulse.py sends messages through the broker and back; archive.py is behind `manage.py backup` and
`restore`.
"""
