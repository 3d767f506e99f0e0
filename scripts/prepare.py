"""Bring the demo's database up to date: tables, the content that ships, the demo accounts.

One process does it all, because starting Django costs more than most of these. The output of the
accounts command, about the logins, goes into the file that is named as the argument.
"""

import gc
import os
import sys
from pathlib import Path

import django
from django.core.management import call_command

# The process is short-lived; collecting garbage would take up to a tenth of its time.
gc.disable()
os.environ["SOFTMARK_DATABASE_SECONDS"] = "0"  # as for manage.py
django.setup()
call_command("migrate", interactive=False, verbosity=0)
call_command("load_content")
with Path(sys.argv[1]).open("w") as logins:
    call_command("demo_accounts", stdout=logins)
