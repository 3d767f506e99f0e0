"""A lesson's page loads one style sheet and one script of its own, with any widgets."""

import re
from pathlib import Path

from django.core.files.storage import FileSystemStorage

from config.static_files import Bundles

STATIC = Path(__file__).parents[3] / "lessons/static"
WIDGETS = STATIC / "lessons/widgets"
FILES = FileSystemStorage(STATIC)


def test_every_script_of_a_widget_is_in_the_page_s_once_after_those_it_needs():
    script = Bundles(FILES).open("lessons/page.js").read().decode()
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)
    made = re.findall(r"^const \$(\w+) = \(\(\) => {$", script, re.MULTILINE)
    assert len(made) == len(set(made))
    assert {f"lessons_widgets_{file.stem}_js" for file in WIDGETS.glob("*.js")} <= set(made)
    for place, name in enumerate(made):
        module = script.split(f"const ${name} = ")[1].split("\n})();")[0]
        assert set(re.findall(r"} = \$(\w+_js);", module)) <= set(made[:place])


def test_every_style_sheet_of_a_widget_is_in_the_page_s():
    sheet = Bundles(FILES).open("lessons/page.css").read().decode()
    assert "@import" not in sheet
    for file in WIDGETS.glob("*.css"):
        assert re.sub(r"/\*.*?\*/\n*", "", file.read_text(), flags=re.S) in sheet
