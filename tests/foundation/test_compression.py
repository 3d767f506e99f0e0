"""Long pages are compressed, and are not sent again to browsers that have them."""

import gzip

from django.http import HttpResponse

from foundation.compression import compressed_page
from foundation.methods import conditional_page


@compressed_page
@conditional_page
def long(request):
    return HttpResponse("the same for all " * 1000)


def test_a_long_page_is_compressed_for_those_who_ask(rf):
    asked = {"Accept-Encoding": "gzip"}
    plain, compressed = long(rf.get("/")), long(rf.get("/", headers=asked))
    assert gzip.decompress(compressed.content) == plain.content
    assert len(compressed.content) < len(plain.content) / 10
    assert plain["Vary"] == compressed["Vary"] == "Accept-Encoding"
    again = asked | {"If-None-Match": compressed["ETag"]}
    assert long(rf.get("/", headers=again)).status_code == 304
