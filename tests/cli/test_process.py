"""The process of the installed command ends at once, with its status, and with nothing undone."""

from __future__ import annotations

import subprocess
import sys

import pytest

BEGUN = "import sys; sys.path[:0] = {path!r}; from mixsafe_cli.process import run"


def ended(*arguments: str, before: str = "pass") -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, where something was done before."""
    program = f"{BEGUN.format(path=[entry for entry in sys.path if entry])}\n{before}\nrun()"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("arguments", "status"), [(["--version"], 0), (["verify", "nowhere.csv"], 2), (["verfy"], 2)]
)
def test_its_status_and_its_words_come_out(arguments: list[str], status: int) -> None:
    done = ended(*arguments)
    assert done.returncode == status
    assert bool(done.stdout) == (status == 0)
    assert bool(done.stderr) == (status != 0)


def test_what_is_to_be_cleared_up_is() -> None:
    done = ended("--version", before="import atexit; atexit.register(print, 'cleared up')")
    assert done.stdout.endswith("cleared up\n")
    assert done.returncode == 0


def test_a_thread_that_is_at_work_is_waited_for() -> None:
    """It has done its work only after the program itself has come to its end."""
    late = "def work():\n    threading.main_thread().join()\n    print('done')\n"
    begun = f"import threading\n{late}threading.Thread(target=work).start()"
    done = ended("--version", before=begun)
    assert done.stdout.endswith("done\n")
    assert done.returncode == 0
