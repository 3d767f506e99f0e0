"""Rules of the architecture that the contracts in pyproject.toml cannot express."""

import ast
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

import accounts.urls
from scripts.demo import PACKAGES

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = {file.parent.name for file in ROOT.glob("*/__init__.py")}
# These look at the site from outside, and may import anything.
OUTSIDE = {"benchmarks", "scripts", "tests"}
OURS = FOLDERS - OUTSIDE
# Folders whose files are all of one kind and are found by their place.
OF_ONE_KIND = {"commands", "families", "migrations", "templatetags", "widgets"}
# Parts of every page, or replacements of any, which may lead into every app.
ABOVE_ALL = {
    *("design/jinja2/design/_header.html", "design/jinja2/design/_zone_offer.html"),
    "design/templates/404.html",
}
# {% url "app:page" %}, and in Jinja's templates url("app:page").
URL_NAME = re.compile(r"""(?:\{%-?\s*url\s+|\burl\(\s*)["']([\w:-]+)["']""")
# Methods that write if called on a manager; other objects have such names too.
WRITES = {"create", "update", "delete"}
# Methods that write on any object.
ALWAYS_WRITES = {
    *("save", "save_base", "save_without_historical_record"),
    *("get_or_create", "update_or_create", "bulk_create", "bulk_update"),
}


def sources(folder: str) -> Iterator[tuple[Path, ast.Module]]:
    """Yield every module of a folder. Kept, all trees would take more memory than Django."""
    path = ROOT / folder
    for file in path.rglob("*.py") if path.is_dir() else [path]:
        yield file, ast.parse(file.read_text())


def imported(tree: ast.Module) -> Iterator[str]:
    """Yield every module that is imported; for `from a import b` also a.b, which may be one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def writes(tree: ast.Module) -> Iterator[ast.Call]:
    """Yield calls that change rows.

    These are x.save() and the like, those on a manager, x.delete() and x.update(name=…).
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = node.func.attr
            on_rows = name in WRITES and bool(managers(node.func.value))
            in_place = name == "update" and node.keywords and not node.args
            deletes = name == "delete" and not node.args
            into_a_file = name == "save" and node.args  # as Pillow does
            if is_super(node.func.value):  # a manager's own method, which services call
                continue
            if (name in ALWAYS_WRITES and not into_a_file) or on_rows or in_place or deletes:
                yield node


def is_super(tree: ast.AST) -> bool:
    called = tree.func if isinstance(tree, ast.Call) else None
    return isinstance(called, ast.Name) and called.id == "super"


def managers(tree: ast.AST) -> list[ast.Attribute]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in ("objects", "every", "_default_manager")
    ]


def test_imports_follow_the_arrows() -> None:
    # In a process of its own, as it silences all loggers.
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


def test_one_file_counts_how_often_something_is_done() -> None:
    """It uses a private module of allauth."""
    counting = {
        file.relative_to(ROOT).as_posix()
        for package in FOLDERS
        for file in (ROOT / package).rglob("*.py")
        if "ratelimit" in (text := file.read_text())
        and any("ratelimit" in name for name in imported(ast.parse(text)))
    }
    assert counting == {"foundation/rate_limits.py"}


def contracts() -> list[dict[str, Any]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    return [{"root_packages": settings["root_packages"]}, *settings["contracts"]]


def test_every_list_of_packages_is_whole() -> None:
    """Lists: the contracts, the image, and the packages for which `make demo` prepares again."""
    apps = {app for app in settings.INSTALLED_APPS if (ROOT / app).is_dir()}
    assert apps | {"attention_core", "config", "foundation"} == OURS
    assert set(contracts()[0]["root_packages"]) == OURS
    image = (ROOT / ".dockerignore").read_text().splitlines()
    folders = {line[1:] for line in image if line.startswith("!") and (ROOT / line[1:]).is_dir()}
    assert folders == OURS | {"content", "deploy"}
    assert set(PACKAGES) == OURS | {"content"}


def test_every_feature_has_its_layers() -> None:
    """A folder with a module of its own for views, forms, services or queries is a feature."""
    [layers] = [each for each in contracts() if "(views)" in each.get("layers", ())]
    parts = {layer.strip("()") for layer in layers["layers"]}
    features = {
        f"{app}.{init.parent.name}"
        for app in ("classes", "lessons", "quizzes")
        for init in (ROOT / app).glob("*/__init__.py")
        if init.parent.name != "admin" and parts & {each.stem for each in init.parent.iterdir()}
    }
    assert set(layers["containers"]) == features


def test_no_folder_holds_more_modules_than_one_reads_at_a_glance() -> None:
    crowded = {
        folder.relative_to(ROOT).as_posix(): count
        for app in ("classes", "demo", "quizzes")
        for init in (ROOT / app).rglob("__init__.py")
        if (folder := init.parent).name not in OF_ONE_KIND
        and (count := len([*folder.glob("[!_]*.py")])) > 14
    }
    assert not crowded


def test_the_core_needs_numpy_and_nothing_else() -> None:
    allowed = sys.stdlib_module_names | {"attention_core", "numpy"}
    strangers = {
        (file.name, module)
        for file, tree in sources("attention_core")
        for module in imported(tree)
        if module.split(".")[0] not in allowed
    }
    assert not strangers


@pytest.mark.parametrize("folder", ["lessons/markdown", "lessons/widgets", "lessons/rendering.py"])
def test_rendering_knows_no_database(folder: str) -> None:
    found = {
        (file.name, module)
        for file, tree in sources(folder)
        for module in imported(tree)
        if module.startswith(("django.apps", "django.db", "django.core.cache"))
    }
    assert not found


@pytest.mark.parametrize(
    ("folder", "above"),
    [
        ("lessons", "quizzes"),
        ("quizzes", "classes"),
        *product(
            ("audit", "design", "foundation", "outbox"),
            ("accounts", "classes", "lessons", "quizzes"),
        ),
    ],
)
def test_no_floor_names_templates_files_or_relations_of_one_above_it(folder, above) -> None:
    """Imports miss these: {% include "quizzes/…" %}, "quizzes__slots", lesson.quizzes.all."""
    name = re.compile(rf"\b{above}(__|_set\b|/\w|\.\w)")
    found = [
        f"{file.relative_to(ROOT)}: {match[0]}"
        for kind in ("py", "html", "js", "css")
        for file in (ROOT / folder).rglob(f"*.{kind}")
        for match in name.finditer(file.read_text())
    ]
    assert not found


def app_layers() -> dict[str, int]:
    """Return every package with its layer, the topmost first."""
    [contract] = [each for each in contracts() if each.get("layers", [""])[0] == "config"]
    layers = [layer.split(" | ") for layer in contract["layers"]]
    return {app: place for place, apps in enumerate(layers) for app in apps}


def app_of(url_name: str) -> str:
    """Return the app whose page has this name, or "" if it is not one of ours."""
    namespace, _, page = url_name.rpartition(":")
    if namespace == "admin":
        return page.split("_")[0]
    return namespace.split(":")[0] or WITHOUT_NAMESPACE.get(page, "")


# The addresses of an account, some of which take the place of allauth's.
WITHOUT_NAMESPACE = {each.name: "accounts" for each in accounts.urls.urlpatterns}


def led_to(template: str) -> set[str]:
    return {app for name in URL_NAME.findall(template) if (app := app_of(name))}


def test_no_template_leads_to_a_page_of_an_app_above_its_own() -> None:
    layers = app_layers()
    found = {
        f"{file.relative_to(ROOT)}: {above}"
        for app, layer in layers.items()
        for kind in ("templates", "jinja2")
        for file in (ROOT / app / kind).rglob("*.*")
        for above in led_to(file.read_text())
        if app != above and layers.get(above, layer + 1) <= layer
    }
    assert not {each for each in found if each.split(":")[0] not in ABOVE_ALL}
    assert {each.split(":")[0] for each in found} >= ABOVE_ALL


@pytest.mark.parametrize(
    ("template", "apps"),
    [
        ("{% url 'lessons:catalogue' %}", {"lessons"}),
        ('{%- url "api:v1:api-root" as root %}', {"api"}),
        ('{{ url("quizzes:quiz", quiz.slug) }}', {"quizzes"}),
        ("{% url 'admin:lessons_lesson_add' %}", {"lessons"}),
        ("{% url 'account' %}", {"accounts"}),
        ("{% url 'account_login' %} {% url place %}", set()),
    ],
)
def test_the_scan_finds_where_a_template_leads(template: str, apps: set[str]) -> None:
    assert led_to(template) == apps


@pytest.mark.parametrize(
    "folder", ["api", "audit", "classes", "foundation", "lessons", "outbox", "quizzes"]
)
def test_only_services_write_rows(folder: str) -> None:
    free = {"services", "services.py", "sending.py", "migrations", "management"}
    found = [
        f"{file.relative_to(ROOT)}:{call.lineno}"
        for file, tree in sources(folder)
        if not free & set(file.relative_to(ROOT / folder).parts)
        for call in writes(tree)
    ]
    assert not found


# Methods that limit owned rows to a user; and places that may read whole tables, with reasons.
BY_OWNER = {"visible_to", "editable_by", "owned_by", "visible_to_all", "of_the_site", "none"}
WHOEVER_OWNS = {
    "api/queries.py": "what was given in one's classes is seen by whoever teaches them",
    "quizzes/admin/large.py": "finds attempts by a title, among those that are visible",
    "quizzes/regrades/views.py": "what was asked at a sitting over which one may rule",
}


def test_whoever_asks_for_what_is_owned_says_for_whom() -> None:
    found = {
        f"{name}:{node.lineno}"
        for app in ("api", "classes", "lessons", "quizzes")
        for file, tree in sources(app)
        if (name := str(file.relative_to(ROOT))) not in WHOEVER_OWNS
        if app == "api" or {"admin", "views", "views.py", "forms.py"} & set(file.parts)
        for node in of_owned(tree)
    }
    assert not found


def of_owned(tree: ast.Module) -> Iterator[ast.Attribute]:
    """Yield first attributes of owned models' managers that do not name a user."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(
                value=ast.Attribute(
                    value=ast.Name(id="Lesson" | "Quiz" | "ConceptQuestion"),
                    attr="objects" | "every",
                ),
                attr=asked,
            ) if asked not in BY_OWNER:
                yield node


@pytest.mark.parametrize(
    ("code", "is_found"),
    [
        *(("Quiz.objects.all()", True), ("ConceptQuestion.every.filter(pk=1)", True)),
        *(
            ("Lesson.objects.visible_to(user).filter(pk=1)", False),
            ("Attempt.objects.all()", False),
        ),
    ],
)
def test_the_scan_finds_who_asks_for_everybodys(code: str, is_found: bool) -> None:
    assert bool(list(of_owned(ast.parse(code)))) is is_found


@pytest.mark.parametrize(
    "code",
    [
        "row.save()",
        "row.save_without_historical_record()",
        "Row.objects.filter(pk=1).update(**values)",
        "rows.update(title=title)",
        "Row._default_manager.create(title=title)",
        "quiz.slots.update_or_create(position=1)",
        "quiz.slots.all().delete()",
    ],
)
def test_the_scan_finds_what_writes(code: str) -> None:
    assert list(writes(ast.parse(code)))


@pytest.mark.parametrize(
    "code", ["context.update({})", "super().save_model(row)", "storage.delete(path)", "a.create(b)"]
)
def test_the_scan_ignores_what_writes_no_rows(code: str) -> None:
    assert not list(writes(ast.parse(code)))


def test_no_helper_of_tests_is_written_twice() -> None:
    """Shared helpers are in tests/world.py, or a fixture of the nearest conftest."""
    written = defaultdict(list)
    for file, tree in sources("tests"):
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name[:5] != "test_":
                body = node.body[ast.get_docstring(node) is not None :]
                written[node.name, *map(ast.dump, body)].append(str(file.relative_to(ROOT)))
    twice = {name: files for (name, *_), files in written.items() if len(files) > 1}
    assert not twice


# Conditions on rows that may be spelt out in one place alone. Elsewhere a method is called.
SPELT = {
    "whether points reach the pass mark": (
        re.compile(r"""[<>]=?\s*[\w.\[\]"']*pass_mark\b"""),
        {"quizzes/passing.py"},
    ),
    "which submission counts": (
        re.compile(r"""reopened["']?\)?\s*\+\s*1"""),
        {"quizzes/models/grading.py"},
    ),
    "which attempts are graded": (
        re.compile(r"""Mode\.GRADED|mode(__in)?["']?\s*[=:]\s*\(?["']graded"""),
        {
            "quizzes/models/attempts.py",
            "demo/filling_classes.py",  # in a statement that creates a class's years
        },
    ),
    "which grade is the latest": (
        re.compile(r"""revision__gt|order_by\([^)]*["']-?revision["']"""),
        {
            "quizzes/models/grading.py",
            "quizzes/marking/queries.py",  # a review shows how each mark came about
            "quizzes/marking/replaying.py",  # checks all that were ever appended
        },
    ),
}


@pytest.mark.parametrize("question", SPELT)
def test_what_is_asked_of_rows_is_spelt_in_one_place(question: str) -> None:
    spelling, homes = SPELT[question]
    found = {
        name
        for package in OURS
        for file in (ROOT / package).rglob("*.py")
        if "migrations" not in file.parts
        if (name := file.relative_to(ROOT).as_posix()) and spelling.search(file.read_text())
    }
    assert found == homes


@pytest.mark.parametrize(
    ("code", "questions"),
    [
        ('F("answer__item__attempt__reopened") + 1', {"which submission counts"}),
        ("each.number == own.reopened + 1", {"which submission counts"}),
        ("WHERE id = %s AND reopened + 1 = %s", {"which submission counts"}),
        ("locked.reopened += 1", set()),
        ("score >= sitting.pass_mark", {"whether points reach the pass mark"}),
        ("filter(mode=Attempt.Mode.GRADED)", {"which attempts are graded"}),
        ('filter(attempt__mode="graded")', {"which attempts are graded"}),
        ('{"mode": "graded"}', {"which attempts are graded"}),
        ('rows.order_by("answer", "revision")', {"which grade is the latest"}),
        ('own.filter(revision__gt=OuterRef("revision"))', {"which grade is the latest"}),
        ("Grade.objects.graded().counting().latest()", set()),
    ],
)
def test_the_scan_finds_what_is_spelt_out(code: str, questions: set[str]) -> None:
    assert {name for name, (spelling, _) in SPELT.items() if spelling.search(code)} == questions


def test_whoever_asks_which_grade_counts_finds_one_method() -> None:
    found = [
        node.name
        for file, tree in sources("quizzes")
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        if "which grade counts" in (ast.get_docstring(node) or "")
    ]
    assert found == ["counting"]
