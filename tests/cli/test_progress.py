"""The progress bar."""

from __future__ import annotations

import io
import threading

import pytest
from rich.console import Console

from mixsafe.model.progress import compiling
from mixsafe_cli import progress as module
from mixsafe_cli.progress import progress


class Screen(io.StringIO):
    """What a terminal shows: whoever waits for something on it is told when it is there."""

    def __init__(self) -> None:
        super().__init__()
        self._changed = threading.Condition()
        self.last = ""

    def write(self, text: str) -> int:
        with self._changed:
            self.last = text if "deciding" in text else self.last
            self._changed.notify_all()
            return super().write(text)

    def wait_for(self, *parts: str, without: str | None = None) -> bool:
        """Whether it comes to show all parts at once, without another one."""
        with self._changed:
            return self._changed.wait_for(
                lambda: (
                    all(part in self.last for part in parts)
                    and (without is None or without not in self.last)
                ),
                timeout=600,
            )


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """What a terminal on standard error would show."""
    shown = Screen()
    monkeypatch.setattr(
        "rich.console.Console",
        lambda **_: Console(file=shown, force_terminal=True, width=80),
    )
    return shown


def test_nothing_is_shown_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    with progress() as report:
        report("deciding", 1, 2)
    assert capsys.readouterr() == ("", "")


def test_a_terminal_shows_what_takes_long(screen: Screen) -> None:
    with progress(patience=0.0) as report:
        report("deciding", 1, 2)
        assert screen.wait_for("deciding", "1 of 2")


def test_of_what_nobody_knows_how_much_there_is_nothing_is_counted(screen: Screen) -> None:
    with progress(patience=0.0) as report:
        report("deciding", 0, 0)
        assert screen.wait_for("deciding")
    assert "/?" not in screen.getvalue()
    assert "0 of 0" not in screen.getvalue()


def test_what_is_quick_shows_nothing(screen: Screen) -> None:
    with progress(patience=10_000.0) as report:
        report("deciding", 1, 2)
    assert "deciding" not in screen.getvalue()


def test_quiet_shows_nothing_and_nobody_waits_to_show_it(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threading, "Timer", lambda *_: pytest.fail("somebody waits"))
    with progress(quiet=True) as report:
        report("deciding", 1, 2)
    assert screen.getvalue() == ""


def test_the_bar_says_that_functions_are_compiled_as_long_as_they_are(screen: Screen) -> None:
    with progress(patience=0.0) as report:
        report("deciding", 1, 2)
        assert screen.wait_for("deciding", without=module.COMPILING)
        compiling(True)
        assert screen.wait_for(f"deciding ({module.COMPILING})")
        compiling(False)
        assert screen.wait_for("deciding", without=module.COMPILING)


def test_a_pipe_does_not_hear_of_compiling(capsys: pytest.CaptureFixture[str]) -> None:
    with progress():
        compiling(True)
        compiling(False)
    assert capsys.readouterr() == ("", "")
