"""The guides' sessions: what they show is what happens."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mixsafe_cli.app import app

PAGES = sorted(path.name for path in (Path(__file__).parent.parent / "docs").glob("guide_*.md"))
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def session(page: str) -> list[tuple[str, str]]:
    """Commands of a page's console blocks, and what each is shown to print."""
    steps = []
    for block in re.findall(r"```console\n(.*?)```", page, re.DOTALL):
        for step in block.split("$ ")[1:] if block.startswith("$ ") else []:
            command, _, shown = step.partition("\n")
            steps.append((command, shown))
    return steps


def test_a_session_is_found_command_by_command() -> None:
    page = "text\n```console\n$ one\nshown\n...\n$ two\n```\n```sh\nthree\n```\n"
    assert session(page) == [("one", "shown\n...\n"), ("two", "")]


@pytest.mark.parametrize("name", PAGES)
def test_the_session_of_a_guide_goes_as_it_is_shown(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    steps = session((root / "docs" / name).read_text(encoding="utf-8"))
    assert len(steps) > 1
    monkeypatch.chdir(tmp_path)
    checker, status = doctest.OutputChecker(), 0
    for command, shown in steps:
        if command == "echo $?":
            printed = f"{status}\n"
        elif command.startswith("cat "):  # a file that readers bring along
            printed = shown
            Path(command.removeprefix("cat ")).write_text(shown, encoding="utf-8")
        else:
            program, *words = shlex.split(command)
            assert program == "mixsafe", command
            result = CliRunner().invoke(app, words)
            status, printed = result.exit_code, result.output
            assert status in (0, 1, 3, 4), f"{command}\n{result.output}"
        assert checker.check_output(shown, printed, FLAGS), f"{command}\n{printed}"


def test_the_python_of_the_guide_to_graphs_runs(
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = (root / "docs" / "guide_graphs.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    CliRunner().invoke(app, shlex.split(session(page)[0][0])[1:])
    exec(compile(example, "guide_graphs.md", "exec"), {})
    assert "groups of users who meet" in capsys.readouterr().out


@pytest.mark.parametrize("name", PAGES)
def test_the_site_has_the_guide(root: Path, name: str) -> None:
    assert name in (root / "mkdocs.yml").read_text(encoding="utf-8")


def test_the_reference_has_every_package(root: Path) -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in (root / "docs/api").glob("*.md"))
    told = set(re.findall(r"^::: (\S+)$", pages, re.MULTILINE))
    packages = {f"mixsafe.{path.parent.name}" for path in (root / "mixsafe").glob("*/__init__.py")}
    assert packages <= told
