"""Commands are loaded when somebody asks for them, and all of them are there."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from mixsafe_cli.app import app


def commands(group: Any, *before: str) -> Iterator[tuple[str, ...]]:
    """Words of all commands, and of the groups that they are in."""
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        assert command.name == name
        yield (*before, name)
        if hasattr(command, "commands"):
            yield from commands(command, *before, name)


ALL = sorted(commands(get_command(app)))


def test_groups_have_commands_of_their_own() -> None:
    assert ("verify",) in ALL
    assert ("contest", "score", "reid") in ALL
    assert ("synthesize", "town") in ALL
    assert ("datasets", "list") in ALL


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_every_command_says_what_it_does_and_gives_an_example(words: tuple[str, ...]) -> None:
    found = CliRunner().invoke(app, [*words, "--help"])
    assert found.exit_code == 0, found.output
    assert f" {' '.join(words)} " in found.stdout.splitlines()[1]
    assert "For example:" in found.stdout or "Commands" in found.stdout


def test_a_command_that_is_not_there_is_named_with_the_one_that_was_meant() -> None:
    found = CliRunner().invoke(app, ["contest", "atack"])
    assert found.exit_code == 2
    assert "'atack'" in found.stderr
    assert "'attack'" in found.stderr


def test_no_command_loads_another() -> None:
    program = (
        "import sys\n"
        f"sys.path[:0] = {[entry for entry in sys.path if entry]!r}\n"
        "from mixsafe_cli.app import app\n"
        "try:\n"
        "    app(['contest', 'attack', '--help'])\n"
        "except SystemExit:\n"
        "    pass\n"
        "found = [m for m in sys.modules if m.startswith('mixsafe_cli.commands.')]\n"
        "print(sorted(found), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    home = "mixsafe_cli.commands.contest"
    assert done.stderr.strip() == str([home, f"{home}.attack"])
