"""The instructions of README.md, its neighbours and .env.example can be followed."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import get_commands

from tests.deployment.conftest import REQUIRED, ROOT, Compose

PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
# The changelog names what is gone, and docs/gradebook.md files of Canvas and Moodle.
DOCUMENTS = "".join(
    page.read_text() for page in PAGES if page.stem not in ("CHANGELOG", "gradebook")
)
MAKEFILE = (ROOT / "Makefile").read_text()


def code_blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", DOCUMENTS, re.DOTALL)


def test_the_example_asks_for_all_that_is_required_and_gives_none_of_it() -> None:
    example = (ROOT / ".env.example").read_text()
    for name in REQUIRED:
        assert re.search(rf"^{name}=$", example, re.MULTILINE), name


def test_the_example_works_once_it_is_filled_in(compose: Compose, tmp_path: Path) -> None:
    filled = (ROOT / ".env.example").read_text()
    for name, value in REQUIRED.items():
        filled = filled.replace(f"\n{name}=\n", f"\n{name}={value}\n")
    (tmp_path / "env").write_text(filled)
    shown = compose(f"--env-file={tmp_path / 'env'}", "config", "--services", variables={})
    assert shown.returncode == 0, shown.stderr
    assert "proxy" in shown.stdout.split()


def test_the_file_that_opens_database_and_broker_to_other_machines_is_valid(
    compose: Compose, tmp_path: Path
) -> None:
    [override] = code_blocks("yaml")
    (tmp_path / "override.yml").write_text(override)
    checked = compose("config", "--quiet", variables=REQUIRED, files=[tmp_path / "override.yml"])
    assert checked.returncode == 0, checked.stderr


def test_services_that_commands_name_exist(services: dict[str, object]) -> None:
    commands = "".join(code_blocks("sh"))
    named = re.findall(r"compose exec (?:-T )?(\w+)", commands)
    named += re.findall(r"--scale (\w+)=", commands)
    named += " ".join(re.findall(r"compose stop (.+)", commands)).split()
    assert named
    assert set(named) <= set(services)


def test_every_management_command_and_goal_of_make_that_is_named_exists() -> None:
    assert set(re.findall(r"manage\.py (\w+)", DOCUMENTS)) <= set(get_commands())
    goals = set(re.findall(r"(?m)(?:^|`)make ([a-z]+)", DOCUMENTS))
    assert goals <= set(re.findall(r"(?m)^([a-z]+):", MAKEFILE))


def test_every_link_between_pages_leads_to_a_file_and_a_heading_of_it(subtests) -> None:
    for page in PAGES:
        for link, anchor in re.findall(r"\]\(([^)#:]*)#?([\w-]*)\)", page.read_text()):
            with subtests.test(page=page.name, link=link, anchor=anchor):
                target = page.parent / link if link else page
                assert target.exists()
                assert not anchor or anchor in anchors(target.read_text())


def anchors(text: str) -> set[str]:
    """Return what a link to each heading of a page ends with."""
    headings = re.findall(r"(?m)^#+ (.+)$", text)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_every_folder_and_file_that_is_named_exists(subtests) -> None:
    """Paths are whole, or relative to an app that tables and walks describe."""
    for path in sorted(set(re.findall(r"(?m)^\| `(\w+/)`|`(\w+/[\w/]*\.\w+)`", DOCUMENTS))):
        with subtests.test(path=path):
            assert any((ROOT / app / "".join(path)).exists() for app in ("", "quizzes", "classes"))


@pytest.fixture
def hooks() -> list[dict[str, Any]]:
    """The hooks that git runs before a commit."""
    [local] = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert local["repo"] == "local"  # nothing is fetched
    return local["hooks"]


def test_a_commit_is_checked_as_make_lint_does(hooks: list[dict[str, Any]]) -> None:
    recipe = re.search(r"^lint:.*\n((?:\t.+\n)+)", MAKEFILE, re.MULTILINE)[1]
    linted = re.findall(r"^\t\$\(bin\)/(.+)$", recipe, re.MULTILINE)
    run = [hook["entry"] for hook in hooks if hook["language"] == "system"]
    assert run == [f".venv/bin/{command}" for command in linted]


def test_no_file_names_a_package_index(hooks: list[dict[str, Any]]) -> None:
    [pattern] = [hook["entry"] for hook in hooks if hook["language"] == "pygrep"]
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    files = [file for name in names.split("\0") if (file := ROOT / name).is_file()]
    assert len(files) > 100
    assert not [
        f"{file.relative_to(ROOT)}: {found[0].decode()}"
        for file in files
        if (found := re.search(pattern.encode(), file.read_bytes()))
    ]


def test_the_public_ci_checks_what_every_change_has_to_pass() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
    for job in workflow["jobs"].values():
        [python] = [step for step in job["steps"] if "setup-python" in step.get("uses", "")]
        assert python["with"] == {"python-version-file": ".python-version"}
    checks = workflow["jobs"]["checks"]
    assert checks["steps"][-1]["run"] == "${{ matrix.run }}"
    goals = set(re.findall("make ([a-z-]+)", " ".join(checks["strategy"]["matrix"]["run"])))
    # Commands that run in one job there are a job each here: slow tests need not wait.
    asked = re.sub("test ARGS=--all", "test\nmake test-slow", (ROOT / ".ci/run").read_text())
    assert goals == set(re.findall("make ([a-z-]+)", asked)) == {"lint", "test", "test-slow"}
