"""The page about the architecture names functions that exist, and the calls that are made."""

from __future__ import annotations

import importlib
import re
import sys
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mixsafe.machinery.compiled import Compiled
from mixsafe_cli.app import app


def listings(root: Path) -> list[list[str]]:
    """The listings of functions in the section about the main path, ``file.function`` each."""
    page = (root / "docs/develop/architecture.md").read_text(encoding="utf-8")
    section = page.split("## The main path through the code")[1]
    return [
        re.findall(r"^ *((?:\w+/)*\w+\.[\w.]+)", listing, re.MULTILINE)
        for listing in re.findall(r"```text\n(.+?)```", section, re.DOTALL)
    ]


def test_the_functions_of_the_main_path_are_there(root: Path) -> None:
    path, calls = listings(root)
    assert len(path) >= 8
    assert len(calls) >= 8
    for one in path:
        file, *names = one.split(".")
        found = reduce(getattr, names, importlib.import_module(f"mixsafe.{file.replace('/', '.')}"))
        assert callable(found)


class ReachedError(Exception):
    """The first compiled function is called."""


def test_the_calls_from_the_command_to_the_first_compiled_function_are_those_of_the_page(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def stop(function: Any, *_: object) -> None:
        made.append(f"{function.__module__}.{function.__name__}")
        frame = sys._getframe(1)
        while frame is not None:
            made.append(f"{frame.f_globals['__name__']}.{frame.f_code.co_name}")
            frame = frame.f_back
        raise ReachedError

    monkeypatch.setattr(Compiled, "__call__", stop)
    CliRunner().invoke(app, ["verify", "--k", "3", "--workers", "1"])
    command = made.index("mixsafe_cli.commands.verify.verify")
    own = [one for one in made[command::-1] if one.startswith("mixsafe")]
    there = [re.sub(r"\.(?=.*\.)", "/", one).removeprefix("mixsafe/") for one in own]
    assert there == listings(root)[1]
    assert len(there) <= 20
