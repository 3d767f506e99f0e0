"""Every example of docs/api.md and every cell of the notebook runs against a server."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from django.conf import settings

from api.services import create_token
from classes.models import Override

DOCS = Path(settings.BASE_DIR) / "docs"
MANUAL = (DOCS / "api.md").read_text()
NOTEBOOK = json.loads((DOCS / "class-in-pandas.ipynb").read_text())

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def programs(live_server, ines, course, marked_attempts, monkeypatch):
    """Set the environment variables of a program: the site's address and a token."""
    secret = create_token(owner=ines, name="N", scope="exceptions", course=course, days=1)[1]
    monkeypatch.setenv("SOFTMARK_URL", live_server.url)
    monkeypatch.setenv("SOFTMARK_TOKEN", secret)


def examples(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", MANUAL, re.DOTALL)


def run_pieces(pieces: list[str], name: str) -> dict[str, object]:
    """Run the pieces one after the other and return their final names."""
    left: dict[str, object] = {"__name__": name}
    for number, piece in enumerate(pieces):
        exec(compile(piece, f"{name} {number}", "exec"), left)  # noqa: S102 - ours
    left["site"].close()
    return left


def test_the_commands_of_the_manual_answer(programs, course):
    [command] = examples("sh")
    printed = subprocess.check_output(["sh", "-ec", command], text=True)
    assert [each["title"] for each in json.loads(printed)["items"]] == [course.title]


def test_the_programs_of_the_manual_run(programs, marked_attempts, capsys):
    left = run_pieces(examples("python"), "api.md")
    assert [each["name"] for each in left["students"].values()] == ["Ada", "Bob", "Cyd"]
    assert left["mistakes"]
    assert left["made"]["factor"] == 1.5
    assert not Override.objects.exists()
    assert "Bob" in capsys.readouterr().out


def test_the_manual_names_every_address_and_every_refusal():
    schema = json.loads((DOCS / "openapi.json").read_text())
    table = MANUAL.partition("| address")[2]
    for path, methods in schema["paths"].items():
        listed = re.sub(r"/\{\w+\}$", "", path.removeprefix("/api/v1/"))
        assert f"`{re.sub(r'\{\w+\}', '{id}', listed)}`" in table
        for expected in methods.values():
            for status in expected["responses"]:
                assert int(status) == 200 or f"| {status} |" in MANUAL


@pytest.mark.slow
def test_the_notebook_loads_a_class_and_draws_its_marks(programs, marked_attempts, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    cells = ["".join(cell["source"]) for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]
    left = run_pieces(cells, "notebook")
    marks = left["marks"]
    assert list(marks["name"]) == ["Ada", "Bob"]
    assert list(marks["score"]) == [0, marks["score"].max()]
    assert sum(bar.get_height() for bar in left["axes"].patches) == 2
    assert (left["steps"]["mistake"] != "").any()
    left["plt"].close("all")


def test_the_notebook_keeps_nobodys_marks():
    for cell in NOTEBOOK["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
