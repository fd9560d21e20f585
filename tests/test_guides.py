"""The guides' sessions: what they show is what happens."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mixsafe_cli.app import app
from tests.support.sessions import is_shown, session

DOCS = Path(__file__).parent.parent / "docs"
PAGES = sorted(
    path.name for path in DOCS.glob("*_*.md") if path.name.startswith(("guide", "tutorial"))
)


def test_a_session_is_found_command_by_command() -> None:
    page = "text\n```console\n$ one\nshown\n...\n$ two\n```\n```sh\nthree\n```\n"
    assert session(page) == [("one", "shown\n...\n"), ("two", "")]


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("a  0.1918\n", True),
        ("a 0.1926", True),
        ("a 0.1950", False),
        ("a 0.192", False),
        ("a 0.1917 b", False),
        ("b 0.1917", False),
        ("a -0.1917", False),
        ("a", False),
    ],
)
def test_numbers_with_decimals_are_compared_as_numbers(printed: str, shown: bool) -> None:
    """Another processor prints 0.1918 where this one prints 0.1917."""
    assert is_shown("a 0.1917", printed) is shown


@pytest.mark.parametrize(
    ("page", "printed", "shown"),
    [
        ("12 of 1,497", "12 of 1,497", True),
        ("12 of 1,497", "12 of 1,498", False),
        ("1,497.5 s", "1,497.4 s", True),
        ("0.0003", "0.0004", True),
        ("0.0003", "0.0005", False),
        ("a\n...\nz 0.50", "a\nb 0.1\nz 0.9\nz 0.50\n", True),
        ("a\n...\nz 0.50", "a\nb 0.1\nz 0.9\n", False),
        ("a...", "a 0.25%", True),
        ("...a", "", False),
    ],
)
def test_all_else_is_text_and_dots_stand_for_anything(page: str, printed: str, shown: bool) -> None:
    assert is_shown(page, printed) is shown


@pytest.mark.parametrize("name", PAGES)
def test_the_session_of_a_guide_goes_as_it_is_shown(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    steps = session((root / "docs" / name).read_text(encoding="utf-8"))
    assert len(steps) > 1
    monkeypatch.chdir(tmp_path)
    replay(steps)


def test_the_readme_shows_what_commands_print(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its commands work from an empty folder, one after the other."""
    steps = session((root / "README.md").read_text(encoding="utf-8"))
    assert len(steps) == 8
    monkeypatch.chdir(tmp_path)
    replay(steps)


def replay(steps: list[tuple[str, str]]) -> None:
    """Give the commands of a session here, and compare what they print with what is shown."""
    status = 0
    for command, shown in steps:
        if command == "echo $?":
            printed = f"{status}\n"
        elif command.startswith("printf "):
            _, text, _, name = shlex.split(command)
            printed = ""
            Path(name).write_text(text.replace("\\n", "\n"), encoding="utf-8")
        elif command.startswith("cat "):  # a file that readers bring along
            printed = shown
            Path(command.removeprefix("cat ")).write_text(shown, encoding="utf-8")
        else:
            program, *words = shlex.split(command)
            assert program == "mixsafe", command
            result = CliRunner().invoke(app, words)
            status, printed = result.exit_code, result.output
            assert status in (0, 1, 3, 4), f"{command}\n{result.output}"
        assert is_shown(shown, printed), f"{command}\n{printed}"


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
