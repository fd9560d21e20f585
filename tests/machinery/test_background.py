"""Work beside other work: its result, its errors, and that it ends when it is not wanted.

Processes of a script do not run the script again.
"""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from mixsafe.errors import InputError
from mixsafe.machinery.background import BackgroundTask
from mixsafe.model.course import Deadline


def test_what_it_brought_and_its_errors_come_out() -> None:
    def fails(_end: Deadline) -> int:
        raise InputError("not this")

    with closing(BackgroundTask(lambda _end: 7, Deadline(None))) as seven:
        assert seven.result() == 7
    with (
        closing(BackgroundTask(fails, Deadline(None))) as failed,
        pytest.raises(InputError, match="not"),
    ):
        failed.result()


def test_it_ends_when_it_is_not_wanted() -> None:
    ended = []

    def works(end: Deadline) -> None:
        while not end.passed:
            time.sleep(0.001)
        ended.append(True)

    whole = Deadline(None)
    with closing(BackgroundTask(works, whole)):
        pass
    assert ended == [True]
    assert not whole.passed


def test_waiting_ends_with_the_task_or_when_the_time_is_up() -> None:
    with closing(BackgroundTask(lambda _end: 7, Deadline(None))) as short:
        short.wait(60.0)
        assert short.is_done

    def works(end: Deadline) -> None:
        while not end.passed:
            time.sleep(0.001)

    with closing(BackgroundTask(works, Deadline(None))) as endless:
        endless.wait(0.0)
        assert not endless.is_done


SCRIPT = """
import sys
sys.path[:0] = {path!r}
import mixsafe
print("the script runs")
problem = mixsafe.pose(mixsafe.load({source!r}))
found = mixsafe.compare([mixsafe.Question(problem)], engines=["bounds", "dp"], k=2)
print(*found.table["status"])
"""


def test_a_comparison_in_a_script_without_a_guard_runs_it_once(tmp_path: Path) -> None:
    source, script = tmp_path / "t.csv", tmp_path / "script.py"
    source.write_text("user_id,time_id,reg_id\n1,1,1\n2,1,1\n1,2,1\n2,2,1\n")
    path = [entry for entry in sys.path if entry]
    script.write_text(SCRIPT.format(path=path, source=str(source)))
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.stdout.splitlines() == ["the script runs", "decided decided"], done.stderr
