"""What README.md, CONTRIBUTING.md and .env.example tell people to do can be done."""

import re
from pathlib import Path

import pytest
from django.core.management import get_commands

from tests.deployment.conftest import REQUIRED, ROOT, Compose

README = (ROOT / "README.md").read_text()
DOCUMENTS = README + (ROOT / "CONTRIBUTING.md").read_text()


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


@pytest.mark.parametrize("command", sorted(set(re.findall(r"manage\.py (\w+)", DOCUMENTS))))
def test_every_management_command_exists(command: str) -> None:
    assert command in get_commands()


@pytest.mark.parametrize("goal", sorted(set(re.findall(r"(?m)(?:^|`)make ([a-z]+)", DOCUMENTS))))
def test_every_goal_of_make_exists(goal: str) -> None:
    assert re.search(rf"^{goal}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#:]+)\)", DOCUMENTS))))
def test_every_file_that_is_linked_exists(link: str) -> None:
    assert (ROOT / link).exists()


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(r"(?m)^\| `(\w+/)`|`(\w+/[\w/]*\.\w+)`", DOCUMENTS)))
)
def test_every_folder_and_file_that_is_named_exists(path: tuple[str, str]) -> None:
    assert (ROOT / "".join(path)).exists()
