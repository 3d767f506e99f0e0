"""Static files: bundled, compressed and under hashed names, so that browsers keep them for ever.

Scripts and style sheets are bundled, because a browser with an empty cache discovers imports one
level at a time. Medians of ten cold loads of an attempt's page, alternating, in Chromium with 50 ms
of latency; *single* is Django's own storage, with a `modulepreload` for each module and a link for
each style sheet:

| | requests | kB | script runs after | first paint after |
| --- | --- | --- | --- | --- |
| HTTP/1.1, together | 9 | 133 | 291 ms | 306 ms |
| HTTP/1.1, single | 43 | 179 | 571 ms, 1.96 × | 440 ms, 1.44 × |
| HTTP/2, together | 9 | 126 | 271 ms | 276 ms |
| HTTP/2, single | 43 | 142 | 461 ms, 1.70 × | 444 ms, 1.61 × |

A lesson's page: 9 and 53 requests, 1.99 × and 1.63 × until its script runs. esbuild saves 15 kB of
the 133 and no time (303 ms beside 290). But it comes from npm alone, and a demo or an image would
need that where Python is enough. Of what it saves, most are comments, which bundles leave out.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.files.base import ContentFile
from django.core.files.storage import Storage
from django.http import Http404, HttpRequest, HttpResponse
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage

from foundation.methods import allow_methods

# A line that imports all of a folder, so that adding a file edits no other.
_EVERY = re.compile(
    r'^(?:@import "|import "\./)(?P<folder>[\w-]+)/\*(?P<suffix>\.css|\.js)";$', re.MULTILINE
)

# The form in our own style sheets; those of other packages stay as they are.
_IMPORT = re.compile(r'^@import "(?P<name>[\w./-]+\.css)"(?: (?P<media>\w+))?;$', re.M)

# The form in our own scripts. A script that begins with the mark becomes one file.
_MARK = b"// @bundle"
_FROM = re.compile(
    r'^import (?:\{(?P<names>[\w\s,]+)\} from )?"(?P<name>\.\.?/[\w./-]+\.js)";$', re.MULTILINE
)
_EXPORT = re.compile(
    r"^export (?P<what>(?:async )?function|class|const) (?P<name>\w+)", re.MULTILINE
)
# Comments are a fifth of a bundle: in scripts those that fill a line.
_SCRIPT_COMMENT = re.compile(r"^ *//.*\n", re.M)
_SHEET_COMMENT = re.compile(r"/\*.*?\*/\n*", re.S)
_OTHER = re.compile(r"^(?:import|export)\b.*", re.M)


class StaticFiles(CompressedManifestStaticFilesStorage):
    # Imports between scripts are rewritten to the hashed names too.
    support_js_module_import_aggregation = True

    def post_process(
        self, paths: dict[str, tuple[Storage, str]], *args: Any, **options: Any
    ) -> Iterator[Any]:
        bundled = {
            name: (Bundles(storage), path)
            for name, (storage, path) in paths.items()
            if name.endswith((".css", ".js"))
        }
        yield from super().post_process(paths | bundled, *args, **options)

    def create_compressor(self, **options: Any) -> Compressor:
        # Brotli takes two of collectstatic's three seconds: too long to wait for a demo.
        return Compressor(use_brotli=not settings.SOFTMARK_DEMO, **options)


@dataclass(frozen=True)
class Bundles:
    """A storage that opens style sheets and scripts with their imports included."""

    storage: Storage

    def open(self, path: str) -> ContentFile:
        with self.storage.open(path) as file:
            content = file.read()
        if path.endswith(".js"):
            if content.startswith(_MARK):
                content = _SCRIPT_COMMENT.sub("", self._script(path)).encode()
        elif b"@import" in content:
            content = _SHEET_COMMENT.sub("", self._sheet(path)).encode()
        return ContentFile(content)

    def _read(self, path: str) -> str:
        """Return the file, with a line for each file of a folder that it imports."""
        with self.storage.open(path) as file:
            content = file.read().decode()
        return _EVERY.sub(lambda line: self._every(path, line), content)

    def _every(self, path: str, line: re.Match[str]) -> str:
        _folders, files = self.storage.listdir(
            posixpath.join(posixpath.dirname(path), line["folder"])
        )
        return _imports(files, line["suffix"], f"{line['folder']}/")

    def _sheet(self, path: str) -> str:
        return _IMPORT.sub(lambda line: self._imported(path, line), self._read(path))

    def _imported(self, path: str, line: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), line["name"]))
        content = self._sheet(target)
        if "url(" in content and posixpath.dirname(target) != posixpath.dirname(path):
            raise ValueError(f"{path} imports {target}, whose addresses are relative to its folder")
        return f"@media {line['media']} {{\n{content}}}\n" if line["media"] else content

    def _script(self, entry: str) -> str:
        """Return every module once, each as a function of its own, after those that it imports."""
        modules: dict[str, str] = {}
        self._collect(entry, modules)
        return "".join(modules.values())

    def _collect(self, path: str, modules: dict[str, str]) -> None:
        if path in modules:
            return
        content = self._read(path)
        names = {}
        for line in _FROM.finditer(content):
            names[line[0]] = posixpath.normpath(
                posixpath.join(posixpath.dirname(path), line["name"])
            )
            self._collect(names[line[0]], modules)
        modules[path] = _as_function(path, content, names)


@allow_methods("GET")
def import_all(request: HttpRequest, folder: str, suffix: str) -> HttpResponse:
    """Return the file that `*.css` or `*.js` names in DEBUG, where nothing is bundled."""
    if (found := finders.find(folder)) is None:
        raise Http404
    files = [file.name for file in Path(found).iterdir()]
    content_type = {".css": "text/css", ".js": "text/javascript"}[suffix]
    return HttpResponse(_imports(files, suffix), content_type=content_type)


def _imports(files: Iterable[str], suffix: str, folder: str = "") -> str:
    """Return an import line for each file with this suffix, sorted by name."""
    before = '@import "' if suffix == ".css" else 'import "./'
    return "\n".join(f'{before}{folder}{name}";' for name in sorted(files) if name.endswith(suffix))


def _as_function(path: str, content: str, imports: dict[str, str]) -> str:
    """Return a module as a constant with its exports; its other names are local."""
    for line, target in imports.items():
        wanted = _FROM.fullmatch(line)["names"]
        binding = f"const {{{wanted}}} = {_constant(target)};" if wanted else ""
        content = content.replace(line, binding)
    exported = [found["name"] for found in _EXPORT.finditer(content)]
    content = _EXPORT.sub(r"\g<what> \g<name>", content)
    if other := _OTHER.search(content):
        raise ValueError(f"{path} cannot be bundled for this line: {other[0]}")
    body = f"{content}\nreturn {{ {', '.join(exported)} }};"
    return f"const {_constant(path)} = (() => {{\n{body}\n}})();\n"


def _constant(path: str) -> str:
    return "$" + re.sub(r"\W", "_", path)
