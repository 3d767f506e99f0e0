#!/usr/bin/env python
"""Django's command line for Softmark."""

import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    # Migrating and loading may take as long as they like; nobody waits for a page.
    os.environ["SOFTMARK_DATABASE_SECONDS"] = "0"
    execute_from_command_line(sys.argv)
