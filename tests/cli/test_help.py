"""Help and completion: one form everywhere, nothing lost, nothing broken in two."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from mixsafe_cli.app import app
from mixsafe_cli.on_demand import MAIN_OPTIONS
from tests.support.every_command import EVERY


@functools.cache
def text(path: tuple[str, ...], width: int, option: str = "--help-all") -> str:
    """Help of a command with every option, or its first screen."""
    if not getattr(EVERY[path], "main_options", ()):
        option = "--help"
    environment = {"COLUMNS": str(width)}
    return CliRunner().invoke(app, [*path, option], env=environment).stdout


LONG = [path for path, command in EVERY.items() if getattr(command, "main_options", ())]


def test_every_command_with_many_options_has_a_first_screen() -> None:
    assert {".".join(path) for path in LONG} == set(MAIN_OPTIONS)
    assert {path for path, command in EVERY.items() if len(command.params) > 25} <= set(LONG)


@pytest.mark.parametrize("path", LONG, ids=" ".join)
def test_help_is_one_screen_with_the_main_options_and_the_way_to_the_others(
    path: tuple[str, ...],
) -> None:
    shown = text(path, 80, "--help")
    assert len(shown.splitlines()) <= 40
    command = EVERY[path]
    names = {one.name for one in command.params}
    assert set(command.main_options) <= names
    others = [one for one in command.params if one.opts[0].startswith("--")]
    assert f"All {len(others)} options: root {' '.join(path)} --help-all" in shown
    for one in others:
        listed = re.search(rf"^│[ *]*{one.opts[0]} ", shown, re.MULTILINE) is not None
        assert listed == (one.name in command.main_options), one.name


@pytest.mark.parametrize("path", EVERY, ids=" ".join)
def test_defaults_are_told_in_one_form_and_nothing_is_lost_in_brackets(
    path: tuple[str, ...],
) -> None:
    shown = re.sub(r"[^a-z0-9]", "", text(path, 400).lower())
    for one in EVERY[path].params:
        told = one.help or ""
        assert not re.search(r"\[[^\]]*\]$|; default|\bby default the", told), one.name
        if "Default" in told and one.name not in ("install_completion", "show_completion"):
            assert re.search(r"Default: .+\.$", told), f"{one.name}: {told}"
        plain = re.sub(r"[^a-z0-9]", "", told.lower())
        assert plain in shown, one.name


@pytest.mark.parametrize("path", EVERY, ids=" ".join)
def test_what_an_option_takes_is_never_broken_in_two(path: tuple[str, ...]) -> None:
    shown = text(path, 80)
    for one in EVERY[path].params:
        if one.metavar and not getattr(one, "hidden", False):
            assert one.metavar in shown, one.name


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("mixsafe ver", {"verify"}),
        ("mixsafe verify --engine ", {"auto", "cpsat", "dp", "bounds"}),
        ("mixsafe verify --adversary h", {"home"}),
        ("mixsafe audit --exchange ", {"zones", "none"}),
        ("mixsafe verify --format p", {"problem"}),
        ("mixsafe breaking --target ", {"lost", "every", "share:", "followed"}),
        ("mixsafe breaking --sightings ", {"self", "anybody"}),
    ],
)
def test_the_tab_key_offers_what_fits_and_ends_well(line: str, offered: set[str]) -> None:
    words = line.split(" ")
    asked = {"_MIXSAFE_COMPLETE": "complete_bash", "COMP_WORDS": line}
    done = subprocess.run(
        [sys.executable, "-c", "from mixsafe_cli.app import app; app(prog_name='mixsafe')"],
        env={**os.environ, **asked, "COMP_CWORD": str(len(words) - 1)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert set(done.stdout.split()) == offered


def test_verbose_says_what_each_stage_took() -> None:
    result = CliRunner().invoke(app, ["datasets", "list", "--verbose"])
    assert result.exit_code == 0
    assert re.search(r"\d\.\d\d s  in all\n$", result.stderr)
