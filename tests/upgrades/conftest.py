"""Exclude scripts for the shell of another release from collection."""

collect_ignore = ["fill_old_site.py"]
