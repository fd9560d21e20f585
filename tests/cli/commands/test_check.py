"""``mixsafe verify --certificates`` and ``mixsafe check``, from file to exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mixsafe_cli.app import app


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def source(four_walkers: dict[str, Any], tmp_path: Path) -> Path:
    path = tmp_path / "walkers.json"
    path.write_text(json.dumps(four_walkers))
    return path


@pytest.mark.parametrize(("k", "status"), [((), 0), (("--k", 2, "--rule", "some"), 1)])
def test_check_comes_to_the_verdict_that_verify_came_to(
    source: Path, tmp_path: Path, k: tuple[object, ...], status: int
) -> None:
    folder = tmp_path / "proofs"
    assert run("verify", source, *k, "--certificates", folder, "--quiet").exit_code == status
    for place in (folder, folder / "certificate.json"):
        found = run("check", place)
        assert found.exit_code == status, found.stderr
        assert "every witness replayed" in found.stdout


def test_a_question_left_open_is_status_3(tmp_path: Path) -> None:
    path, folder = tmp_path / "open.json", tmp_path / "proofs"
    zones = [[1, [0, 1]], [2, [1, 2]], [3, [0, 2]]]
    known = [[user, t] for user in range(3) for t in (0, 3)]
    asked = {"users": 3, "horizon": 3, "zones": zones, "knowledge": known}
    path.write_text(json.dumps({**asked, "requirements": [[1, 1, 2]]}))
    limits = ("--engine", "bounds", "--certificates", folder, "--quiet")
    status = run("verify", path, *limits).exit_code
    assert run("check", folder, "--quiet").exit_code == status


def test_several_problems_are_one_file_of_certificates(
    four_walkers: dict[str, Any], tmp_path: Path
) -> None:
    path, folder = tmp_path / "many.jsonl", tmp_path / "proofs"
    path.write_text("".join(f"{json.dumps({**four_walkers, 'name': n})}\n" for n in "ab"))
    assert run("verify", path, "--certificates", folder, "--quiet").exit_code == 0
    found = run("check", folder, "--json", "-")
    answers = [json.loads(line) for line in found.stdout.splitlines()]
    assert [answer["name"] for answer in answers] == ["a", "b"]
    assert all(answer["safe_replayed"] == 2 for answer in answers)


def test_a_changed_certificate_is_one_line_and_status_2(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "proofs"
    run("verify", source, "--certificates", folder, "--quiet")
    path = folder / "certificate.json"
    path.write_text(path.read_text().replace('"k":3', '"k":4'))
    found = run("check", folder)
    assert found.exit_code == 2
    assert "was changed or damaged" in found.stderr
    assert len(found.stderr.splitlines()) == 1


@pytest.mark.parametrize("text", ["", "{}", "[1]", "{", "null", '{"format": 3}', "\0"])
def test_what_is_no_certificate_is_one_line_and_status_2(text: str, tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    path.write_text(text)
    found = run("check", path)
    assert found.exit_code == 2
    assert len(found.stderr.splitlines()) == 1
    assert "bug" not in found.stderr


def test_a_folder_without_a_certificate_is_refused(tmp_path: Path) -> None:
    found = run("check", tmp_path)
    assert found.exit_code == 2
    assert "no certificate" in found.stderr


def test_certificates_are_not_written_over_a_file(source: Path) -> None:
    found = run("verify", source, "--certificates", source)
    assert found.exit_code == 2
    assert "need a folder" in found.stderr


def test_checking_loads_no_engine() -> None:
    program = (
        f"import sys; sys.path[:0] = {[entry for entry in sys.path if entry]!r}\n"
        "import mixsafe.io.problems.certificates, mixsafe.check.checker\n"
        "wrong = [m for m in sys.modules if m in ('ortools', 'numba', 'mixsafe.network')\n"
        "         or m.startswith('mixsafe.verify.') and 'checker' not in m]\n"
        "assert not wrong, wrong\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
