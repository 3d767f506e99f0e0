"""What is for the shell of another release is no module of this one."""

collect_ignore = ["fill_old_site.py"]
