"""`manage.py write_openapi`: write the API's schema to a file, so that changes show in its diff."""

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from ninja.responses import NinjaJSONEncoder

from api.v1 import api

FILE = Path(settings.BASE_DIR) / "docs" / "openapi.json"


def schema_as_text() -> str:
    """Return the schema as the file has it."""
    schema = api.get_openapi_schema()
    return json.dumps(schema, cls=NinjaJSONEncoder, indent=1, ensure_ascii=False) + "\n"


class Command(BaseCommand):
    help = "Write the schema of the API, in OpenAPI, into docs/openapi.json."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--file", type=Path, default=FILE, help="write to another file")

    def handle(self, *, file: Path, **_: Any) -> None:
        file.write_text(schema_as_text())
