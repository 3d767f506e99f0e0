"""docker-compose.yml, judged by Compose itself and compared with the settings it feeds."""

import ast
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.celery import app, watch
from scripts.demo import WORKER
from tests.deployment.conftest import REQUIRED, ROOT, Compose

APP_SERVICES = ["web", "worker", "beat", "migrate"]
# Implied by the deployed form, or set by the image.
NOT_FOR_COMPOSE = {"SOFTMARK_DEBUG", "SOFTMARK_DEMO", "SOFTMARK_DATA", "SOFTMARK_HEARTBEAT"}


def names_that_the_settings_read() -> set[str]:
    """Return the first argument of every reader: environment.text("THIS", …)."""
    tree = ast.parse((ROOT / "config/settings.py").read_text())
    return {
        call.args[0].value
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == "environment"
    }


def seconds(duration: str) -> int:
    parts = re.findall(r"(\d+)([hms])", duration)
    return sum(int(number) * {"h": 3600, "m": 60, "s": 1}[unit] for number, unit in parts)


def test_it_is_valid_with_nothing_but_what_is_required(compose: Compose) -> None:
    checked = compose("config", "--quiet", variables=REQUIRED)
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize("name", REQUIRED)
@pytest.mark.parametrize("value", [None, ""], ids=["unset", "empty"])
def test_it_refuses_to_start_without_a_secret_and_says_what_to_do(
    compose: Compose, name: str, value: str | None
) -> None:
    variables = {key: text for key, text in REQUIRED.items() if key != name}
    if value is not None:
        variables[name] = value
    checked = compose("config", "--quiet", variables=variables)
    assert checked.returncode != 0
    assert re.search(rf"{name} is missing a value: put .+ into \.env", checked.stderr)


def test_no_secret_has_a_default() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    for name in REQUIRED:
        assert not re.search(rf"\${{{name}:?-", text)


def test_it_has_the_services_of_the_deployed_form(services: dict[str, Any]) -> None:
    assert set(services) == {"web", "worker", "beat", "migrate", "db", "redis", "proxy"}


def test_every_service_that_stays_up_has_a_health_check(services: dict[str, Any]) -> None:
    for name, service in services.items():
        if name != "migrate":
            assert service["healthcheck"]["test"], name


def test_the_app_waits_for_the_migrations_and_these_for_the_database(
    services: dict[str, Any],
) -> None:
    for name in ["web", "worker", "beat"]:
        assert services[name]["depends_on"] == {
            "migrate": {"condition": "service_completed_successfully", "required": True}
        }
    assert services["migrate"]["depends_on"]["db"]["condition"] == "service_healthy"


@pytest.mark.parametrize("service", ["web", "worker"])
def test_it_scales(compose: Compose, tmp_path: Path, service: str) -> None:
    replicas = tmp_path / "replicas.yml"
    replicas.write_text(f"services: {{{service}: {{deploy: {{replicas: 4}}}}}}")
    room = REQUIRED | {"SOFTMARK_PORT": "8000-8003"}
    checked = compose("config", "--quiet", variables=room, files=[replicas])
    assert checked.returncode == 0, checked.stderr


def test_every_web_container_can_have_a_port_of_its_own(compose: Compose) -> None:
    shown = compose("config", variables=REQUIRED | {"SOFTMARK_PORT": "8000-8003"})
    [port] = yaml.safe_load(shown.stdout)["services"]["web"]["ports"]
    assert (port["published"], port["target"]) == ("8000-8003", 8000)


def test_a_worker_claims_nothing_that_only_one_can_have(services: dict[str, Any]) -> None:
    assert not {"container_name", "ports", "hostname", "volumes"} & set(services["worker"])


def test_only_the_web_can_be_reached_from_outside(services: dict[str, Any]) -> None:
    published = {name for name, service in services.items() if "ports" in service}
    assert published == {"web", "proxy"}
    assert {port["host_ip"] for port in services["web"]["ports"]} == {"127.0.0.1"}
    outside = {name for name, service in services.items() if "outside" in service["networks"]}
    assert outside == {"web", "proxy"}


def test_database_and_broker_keep_their_data_in_volumes(services: dict[str, Any]) -> None:
    kept = {
        name: [(volume["type"], volume["target"]) for volume in services[name]["volumes"]]
        for name in ["db", "redis"]
    }
    assert kept == {"db": [("volume", "/var/lib/postgresql/data")], "redis": [("volume", "/data")]}


def test_uploads_outlive_the_web_containers(services: dict[str, Any]) -> None:
    uploads, static = services["web"]["volumes"]
    assert (uploads["type"], uploads["target"]) == ("volume", "/app/.data/media")
    # Filled from the image by a web container, it would be root's, and closed to `migrate`.
    assert (static["read_only"], static["volume"]) == (True, {"nocopy": True})
    # A volume takes its owner from the folder it covers; the app's user is not root.
    [static] = services["migrate"]["volumes"]
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert f"--owner=softmark {uploads['target']} {static['target']}" in dockerfile


def test_the_broker_persists_and_never_evicts(services: dict[str, Any]) -> None:
    command = " ".join(services["redis"]["command"])
    assert "--appendonly yes" in command
    assert "--appendfsync everysec" in command
    assert "--maxmemory-policy noeviction" in command


def test_what_the_app_is_given_is_what_the_settings_read(services: dict[str, Any]) -> None:
    wanted = names_that_the_settings_read() - NOT_FOR_COMPOSE
    for name in APP_SERVICES:
        passed = set(services[name]["environment"]) - {"WEB_CONCURRENCY"}
        assert passed == wanted, name


def test_a_stopping_worker_has_time_to_finish(services: dict[str, Any]) -> None:
    assert app.conf.task_time_limit < watch.SECONDS_TO_END
    assert seconds(services["worker"]["stop_grace_period"]) > watch.SECONDS_TO_END


def test_a_worker_that_ends_is_started_again_and_talks_to_no_other(
    services: dict[str, Any],
) -> None:
    worker = services["worker"]
    assert worker["restart"] == "unless-stopped"
    assert {each for each in WORKER if str(each).startswith("--without")} <= {*worker["command"]}


def test_no_container_may_more_than_it_needs(services: dict[str, Any]) -> None:
    for name, service in services.items():
        assert service["read_only"], name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert int(service["mem_limit"]) > 0, name
        assert int(service["pids_limit"]) > 0, name
        assert all("size=" in each for each in service["tmpfs"]), name


def test_no_secret_stands_in_a_command(services: dict[str, Any]) -> None:
    for name, service in services.items():
        words = str(service.get("command")) + str(service.get("healthcheck"))
        assert not [secret for secret in REQUIRED.values() if secret in words], name


def test_the_broker_is_given_its_password_by_a_file(
    services: dict[str, Any], tmp_path: Path
) -> None:
    """The command runs in a shell, with a folder of ours and `echo` as the server."""
    script = services["redis"]["command"][-1].replace("$$", "$")
    script = script.replace("/run/softmark", str(tmp_path)).replace("exec redis-server", "echo")
    password = services["redis"]["environment"]["REDISCLI_AUTH"]
    done = subprocess.run(
        ["sh", "-c", script], env={"REDISCLI_AUTH": password}, capture_output=True, text=True
    )
    assert (done.returncode, password in done.stdout) == (0, False)
    assert (tmp_path / "redis.conf").read_text() == f"requirepass {password}\n"
    assert (tmp_path / "redis.conf").stat().st_mode & 0o077 == 0


def test_images_are_pinned_by_tag(services: dict[str, Any]) -> None:
    for name, service in services.items():
        assert re.fullmatch(r"[^:]+:(?!latest).+", service["image"]), name
