"""What collectstatic makes of our scripts: one file a page, in which nothing gets mixed up."""

import re

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import InMemoryStorage

from config.storage import Bundles


def bundle(**modules: str) -> str:
    storage = InMemoryStorage()
    for name, content in modules.items():
        storage.save(f"app/{name}.js", ContentFile(content))
    return Bundles(storage).open("app/page.js").read().decode()


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


def test_other_scripts_stay_as_they_are() -> None:
    content = 'import { a } from "./one.js";\n'
    assert bundle(page=content, one="export const a = 1;\n") == content


@pytest.mark.parametrize(
    "line", ['import one from "./one.js";', "export default 1;", "export { a };"]
)
def test_what_it_cannot_bundle_stops_it_and_is_named(line: str) -> None:
    with pytest.raises(ValueError, match=re.escape(line)):
        bundle(page=f"// @bundle\n{line}\n", one="")
