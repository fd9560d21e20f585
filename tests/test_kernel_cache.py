"""Compiled functions between runs: each test runs real processes on a cache of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.caching import CacheImpl

from mixsafe.compiled import compiled
from mixsafe.kernel_cache import stamp

CALLED = """
from mixsafe.compiled import inner

@inner
def more(x):
    return x + {more}
"""

CALLING = """
from shed.called import more
from shed.constants import FACTOR
from mixsafe.compiled import compiled

@compiled
def calling(x):
    return more(x) * FACTOR
"""

RUN = """
from mixsafe.model.progress import told_of_compiling
told = []
with told_of_compiling(told.append):
    from shed.calling import calling
    print(*(calling(one) for one in {asked}), told.count(True))
"""


@pytest.fixture
def shed(tmp_path: Path) -> Path:
    """A package with a compiled function, one in another file that it calls, and a constant."""
    folder = tmp_path / "shed"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "called.py").write_text(CALLED.format(more=1))
    (folder / "calling.py").write_text(CALLING)
    (folder / "constants.py").write_text("FACTOR = 2\n")
    return folder


def begin(shed: Path, asked: str = "[3]") -> subprocess.Popen[str]:
    """A process that prints what the function says, and how often it was compiled."""
    root = Path(__file__).parents[1]
    environment = os.environ | {
        "NUMBA_CACHE_DIR": str(shed.parent / "cache"),
        "PYTHONPATH": os.pathsep.join([str(shed.parent), str(root)]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return subprocess.Popen(
        [sys.executable, "-c", RUN.format(asked=asked)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def run(shed: Path, asked: str = "[3]") -> list[str]:
    """Words that such a process printed."""
    return begin(shed, asked).communicate(timeout=300)[0].split()


def test_what_was_compiled_is_found_again_whatever_the_times_of_files(shed):
    assert run(shed) == ["8", "1"]
    for path in shed.glob("*.py"):
        os.utime(path, (1, 1))
    assert run(shed) == ["8", "0"]


def test_a_change_of_the_function_that_is_called_in_another_file_is_seen(shed):
    run(shed)
    (shed / "called.py").write_text(CALLED.format(more=2))
    assert run(shed) == ["10", "1"]
    assert len(list((shed.parent / "cache").rglob("*.nbc"))) == 1  # the old one is gone


def test_a_change_of_a_constant_in_another_file_is_seen(shed):
    run(shed)
    (shed / "constants.py").write_text("FACTOR = 3\n")
    assert run(shed) == ["12", "1"]


def test_what_is_not_whole_is_compiled_again(shed):
    run(shed)
    for path in (shed.parent / "cache").rglob("*.nbc"):
        path.write_bytes(path.read_bytes()[:-1])
    assert [run(shed), run(shed)] == [["8", "1"], ["8", "0"]]


def test_processes_that_compile_at_once_leave_each_type_its_own_code(shed):
    """With an index in a file of its own, one of them would lose what the other one wrote."""
    both = [begin(shed, "[3, 0.5]"), begin(shed, "[0.5, 3]"), begin(shed, "[3]")]
    said = [one.communicate(timeout=300)[0].split()[:-1] for one in both]
    assert said == [["8", "3.0"], ["3.0", "8"], ["8"]]
    assert run(shed, "[3, 0.5]") == ["8", "3.0", "0"]


def test_where_nothing_can_be_written_functions_are_compiled_all_the_same(monkeypatch):
    monkeypatch.setattr(CacheImpl, "_locator_classes", [])
    monkeypatch.setattr("numba.core.config.CACHE_DIR", "")
    assert compiled(_double)(3) == 6


def test_a_folder_that_is_full_or_closed_is_no_error(monkeypatch):
    def refuse(*_args, **_kwargs):
        raise OSError("no space left on device")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    assert compiled(_double)(3) == 6


def test_the_sources_of_kernels_and_of_their_constants_count_and_no_others(shed):
    first = stamp(shed)
    stamp.cache_clear()
    (shed / "reading.py").write_text("TEXT = 'nothing compiled'\n")
    assert stamp(shed) == first
    stamp.cache_clear()
    (shed / "constants.py").write_text("FACTOR = 5\n")
    assert stamp(shed) != first


def _double(x):
    return 2 * x
