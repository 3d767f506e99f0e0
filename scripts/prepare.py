"""Bring the demo's database up to date: tables, the content that ships, the demo accounts.

One process for all of it, because starting Django costs more than most of these. What the
accounts command says about the logins goes into the file that is named as the argument.
"""

import gc
import os
import sys
from pathlib import Path

import django
from django.core.management import call_command

# It is short-lived and has memory enough; collecting garbage takes up to a tenth of its time.
gc.disable()
os.environ["SOFTMARK_DATABASE_SECONDS"] = "0"  # as for manage.py
django.setup()
call_command("migrate", interactive=False, verbosity=0)
call_command("load_content")
with Path(sys.argv[1]).open("w") as logins:
    call_command("demo_accounts", stdout=logins)
