"""Static files under hashed names, so that browsers keep them for ever, and compressed."""

from typing import Any

from django.conf import settings
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFiles(CompressedManifestStaticFilesStorage):
    # Scripts that import one another must find the hashed names too.
    support_js_module_import_aggregation = True

    def create_compressor(self, **options: Any) -> Compressor:
        # Brotli takes two of collectstatic's three seconds: too long to wait for a demo.
        return Compressor(use_brotli=not settings.SOFTMARK_DEMO, **options)
