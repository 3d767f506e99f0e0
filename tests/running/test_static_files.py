"""Bundles of collectstatic: one script or style sheet a page, none mixed up."""

import re

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import InMemoryStorage
from django.http import Http404

from config.static_files import Bundles, import_all


def bundled(page: str, files: dict[str, str]) -> str:
    storage = InMemoryStorage()
    for name, content in files.items():
        storage.save(f"app/{name}", ContentFile(content))
    return Bundles(storage).open(f"app/{page}").read().decode()


def bundle(**modules: str) -> str:
    return bundled("page.js", {f"{name}.js": content for name, content in modules.items()})


def test_a_marked_script_holds_what_it_imports_once_and_in_order() -> None:
    made = bundle(
        page='// @bundle\nimport { a } from "./one.js";\nimport { b } from "./two.js";\na(b);\n',
        one='import {\n  b,\n} from "./two.js";\nconst own = b;\nexport function a() {}\n',
        two="const own = 2;\nexport const b = own;\n",
    )
    assert not re.search(r"^(import|export)\b", made, re.MULTILINE)
    starts = re.findall(r"^const (\$\w+) = \(\(\) => \{$", made, re.MULTILINE)
    assert starts == ["$app_two_js", "$app_one_js", "$app_page_js"]
    assert "const { a } = $app_one_js;" in made
    assert "return { b };" in made


def test_a_module_can_be_imported_for_what_it_does() -> None:
    made = bundle(page='// @bundle\nimport "./one.js";\n', one="document.title = 1;\n")
    assert not re.search(r"^(import|export)\b", made, re.MULTILINE)
    assert made.index("document.title = 1;") < made.index("const $app_page_js")


def test_bundles_leave_out_comments_and_no_address() -> None:
    made = bundle(page='// @bundle\n// Why.\nconst at = "https://a.test"; // where\n  // so\n')
    assert 'const at = "https://a.test"; // where\n' in made
    assert not re.search(r"Why|so\n|@bundle", made)
    files = {"page.css": '@import "a.css";\n', "a.css": "/* Why,\n   at length. */\n\na {}\n"}
    assert bundled("page.css", files) == "a {}\n\n"


def test_other_scripts_stay_as_they_are() -> None:
    content = 'import { a } from "./one.js";\n'
    assert bundle(page=content, one="export const a = 1;\n") == content


@pytest.mark.parametrize(
    "line", ['import one from "./one.js";', "export default 1;", "export { a };"]
)
def test_what_it_cannot_bundle_stops_it_and_is_named(line: str) -> None:
    with pytest.raises(ValueError, match=re.escape(line)):
        bundle(page=f"// @bundle\n{line}\n", one="")


def test_a_style_sheet_takes_in_a_whole_folder_in_the_order_of_names() -> None:
    files = {
        "page.css": 'first {}\n@import "parts/*.css";\nlast {}\n',
        "parts/b.css": "b {}\n",
        "parts/a.css": '@import "more/c.css";\na {}\n',
        "parts/more/c.css": "c {}\n",
        "parts/a.js": "not.a.style();\n",
    }
    made = bundled("page.css", files)
    assert re.findall(r"(\w+) {}", made) == ["first", "c", "a", "b", "last"]


def test_a_script_takes_in_a_whole_folder_each_file_once_after_those_it_needs() -> None:
    files = {
        "page.js": '// @bundle\nimport "./parts/*.js";\n',
        "parts/a.js": 'import { b } from "./b.js";\nb();\n',
        "parts/b.js": "export function b() {}\n",
    }
    made = bundled("page.js", files)
    assert not re.search(r"^(import|export)\b", made, re.MULTILINE)
    starts = re.findall(r"^const (\$\w+) = \(\(\) => \{$", made, re.MULTILINE)
    assert starts == ["$app_parts_b_js", "$app_parts_a_js", "$app_page_js"]


@pytest.mark.parametrize(
    ("suffix", "content_type", "line"),
    [
        (".css", "text/css", '@import "comparison.css";'),
        (".js", "text/javascript", 'import "./attention_map.js";'),
    ],
)
def test_a_developer_s_browser_gets_every_file_of_a_folder(
    rf, suffix: str, content_type: str, line: str
) -> None:
    answer = import_all(rf.get("/"), "lessons/widgets", suffix)
    assert answer["Content-Type"] == content_type
    lines = answer.content.decode().splitlines()
    assert line in lines
    assert lines == sorted(lines)
    assert all(each.endswith(f'{suffix}";') for each in lines)


def test_a_folder_that_is_not_there_is_not_found(rf) -> None:
    with pytest.raises(Http404):
        import_all(rf.get("/"), "lessons/nothing", ".css")
