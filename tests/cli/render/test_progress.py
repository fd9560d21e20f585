"""The progress bar."""

from __future__ import annotations

import io
import time

import pytest
from rich.console import Console

from mixsafe.model.progress import compiling
from mixsafe_cli.render import progress as module
from mixsafe_cli.render.progress import progress


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What a terminal on standard error would show."""
    shown = io.StringIO()
    monkeypatch.setattr(
        "rich.console.Console",
        lambda **_: Console(file=shown, force_terminal=True, width=80),
    )
    return shown


def test_nothing_is_shown_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    with progress() as report:
        report("deciding", 1, 2)
    assert capsys.readouterr() == ("", "")


def test_a_terminal_shows_what_takes_long(
    screen: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.01)
    with progress() as report:
        report("deciding", 1, 2)
        time.sleep(0.3)
    assert "deciding" in screen.getvalue()
    assert "1 of 2" in screen.getvalue()


def test_of_what_nobody_knows_how_much_there_is_nothing_is_counted(
    screen: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    with progress() as report:
        report("reading cabs.tar.gz", 0, 0)
        while "reading cabs.tar.gz" not in screen.getvalue():
            time.sleep(0.01)
    assert "/?" not in screen.getvalue()
    assert "0 of 0" not in screen.getvalue()


def test_what_is_quick_shows_nothing(screen: io.StringIO) -> None:
    with progress() as report:
        report("deciding", 1, 2)
    assert "deciding" not in screen.getvalue()


def test_quiet_shows_nothing(screen: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.01)
    with progress(quiet=True) as report:
        report("deciding", 1, 2)
        time.sleep(0.1)
    assert screen.getvalue() == ""


def test_the_bar_says_that_functions_are_compiled_as_long_as_they_are(
    screen: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.01)
    with progress() as report:
        report("deciding", 1, 2)
        time.sleep(0.3)
        assert module.COMPILING not in screen.getvalue()
        compiling(True)
        time.sleep(0.3)
        assert f"deciding ({module.COMPILING})" in screen.getvalue()
        compiling(False)
        screen.truncate(0)
        time.sleep(0.3)
        assert module.COMPILING not in screen.getvalue()


def test_a_pipe_does_not_hear_of_compiling(capsys: pytest.CaptureFixture[str]) -> None:
    with progress():
        compiling(True)
        compiling(False)
    assert capsys.readouterr() == ("", "")
