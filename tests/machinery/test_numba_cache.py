"""Compiled functions between runs: processes run a copy of the package, on a cache of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mixsafe.machinery import numba_cache

CALLED = """
from mixsafe.machinery.compiled import inner

@inner
def more(x):
    return x + {more}
"""

CALLING = """
from mixsafe.machinery.compiled import compiled
from mixsafe.shed.called import more
from mixsafe.shed.constants import (
    FACTOR,
)

@compiled
def calling(x):
    return more(x) * FACTOR
"""

RUN = """
from mixsafe.model.progress import told_of_compiling
told = []
with told_of_compiling(told.append):
    from mixsafe.shed.calling import calling
    print(*(calling(one) for one in {asked}), told.count(True))
"""


@pytest.fixture
def shed(tmp_path: Path, root: Path) -> Path:
    """A copy of the package with a compiled function, one that it calls, and constants."""
    skipped = shutil.ignore_patterns("__pycache__", "data", "static")
    folder = shutil.copytree(root / "mixsafe", tmp_path / "mixsafe", ignore=skipped) / "shed"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "called.py").write_text(CALLED.format(more=1))
    (folder / "calling.py").write_text(CALLING)
    (folder / "constants.py").write_text("from mixsafe.shed.further import TWO\nFACTOR = TWO\n")
    (folder / "further.py").write_text("TWO = 2\n")
    return folder


def cache_of(shed: Path) -> Path:
    """Where what is compiled of the copy is kept."""
    return shed.parents[1] / "cache" / "mixsafe"


NURSERY = """
import json, os, sys
import numba
numba.njit(lambda x: x + 1)(1)  # what the compiler itself loads
for line in sys.stdin:
    asked = json.loads(line)
    if "wait" in asked:
        os.waitpid(asked["wait"], 0)
        print(flush=True)
    elif child := os.fork():
        print(child, flush=True)
    else:
        break
else:
    sys.exit()
output = os.open(asked["output"], os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
os.dup2(output, 1)
os.dup2(output, 2)
os.environ.update(asked["environment"])
numba.config.reload_config()
sys.dont_write_bytecode = True
sys.path.insert(0, asked["package"])
exec(asked["program"])
"""
"""A process that has loaded Numba, and nothing of mixsafe: others begin as copies of it."""

Words = Callable[[], list[str]]
"""Waits for the end of a process: words that it printed."""


class Nursery:
    """Begins processes without loading Numba for each, which takes longer than all that they do."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, **asked: object) -> str:
        """Its answer: the number of a new process, or nothing when one has ended."""
        assert self._process.stdin
        assert self._process.stdout
        print(json.dumps(asked), file=self._process.stdin, flush=True)
        return self._process.stdout.readline().strip()

    def begin(self, shed: Path, program: str) -> Words:
        """A process that runs a program on a copy of the package."""
        handle, output = tempfile.mkstemp(dir=shed.parents[1])
        os.close(handle)
        child = int(
            self.ask(
                program=program,
                output=output,
                package=str(shed.parents[1]),
                environment=environment_of(shed),
            )
        )

        def words() -> list[str]:
            self.ask(wait=child)
            return Path(output).read_text().split()

        return words


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery | None]:
    """None: where no process can be copied, each begins anew."""
    if not hasattr(os, "fork"):
        yield None
        return
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", NURSERY], text=True, **pipes) as process:
        yield Nursery(process)
        process.kill()


@pytest.fixture(autouse=True)
def how_to_begin(nursery: Nursery | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes of a test are copies of one."""
    if nursery is not None:
        monkeypatch.setattr(sys.modules[__name__], "start", nursery.begin)


def environment_of(shed: Path) -> dict[str, str]:
    """What processes are told."""
    return {
        "NUMBA_CACHE_DIR": str(cache_of(shed).parent),
        "PYTHONPATH": str(shed.parents[1]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def start_anew(shed: Path, program: str) -> Words:
    """A process that begins with nothing."""
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=shed.parents[1],
        env=os.environ | environment_of(shed),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return lambda: process.communicate(timeout=300)[0].split()


start = start_anew


def begin(shed: Path, asked: str = "[3]", before: str = "") -> Words:
    """A process that prints what the function says, and how often it was compiled."""
    return start(shed, before + RUN.format(asked=asked))


def run(shed: Path, asked: str = "[3]", before: str = "") -> list[str]:
    """Words that such a process printed."""
    said = begin(shed, asked, before)()
    assert "Traceback" not in said, " ".join(said)
    return said


def test_what_was_compiled_is_found_again_whatever_the_times_of_files(shed, monkeypatch):
    """By processes that have nothing in common: hashes of texts are others in each."""
    monkeypatch.setattr(sys.modules[__name__], "start", start_anew)
    assert run(shed) == ["8", "1"]
    for path in (shed / "called.py", shed / "constants.py"):
        os.utime(path, (1, 1))
    assert run(shed) == ["8", "0"]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("called.py", CALLED.format(more=2), "10"),
        ("constants.py", "FACTOR = 3\n", "12"),
        ("further.py", "TWO = 4\n", "16"),
    ],
)
def test_a_change_in_another_file_is_seen_whatever_its_size_and_time(shed, name, text, said):
    run(shed)
    before = (shed / name).stat()
    (shed / name).write_text(text)
    os.utime(shed / name, (before.st_mtime, before.st_mtime))
    assert run(shed) == [said, "1"]


def test_what_is_changed_while_a_process_runs_is_no_code_of_its_sources(shed):
    """It has loaded some of them before, and loads others after."""
    sources = shed / "called.py"
    change = "from pathlib import Path\nimport mixsafe.machinery.compiled\n"
    change += f"Path({str(sources)!r}).write_text({CALLED.format(more=2)!r})\n"
    assert run(shed, before=change) == ["10", "1"]
    sources.write_text(CALLED.format(more=1))
    assert run(shed) == ["8", "1"]
    assert run(shed, before=change) == ["10", "1"]
    sources.write_text(CALLED.format(more=1))
    assert run(shed) == ["8", "0"]


def test_files_that_no_compiled_function_is_made_of_do_not_count(shed):
    run(shed)
    (shed / "reading.py").write_text("TEXT = 'something else'\n")
    assert run(shed) == ["8", "0"]


@pytest.mark.parametrize("left", [0, 100, -1])
def test_what_is_not_whole_is_compiled_again(shed, left):
    run(shed)
    for path in cache_of(shed).rglob("*.nb[ci]"):
        path.write_bytes(path.read_bytes()[:left])
    assert run(shed)[0] == "8"
    run(shed)
    assert run(shed) == ["8", "0"]


def test_processes_that_compile_at_once_leave_each_type_its_own_code(shed):
    """In one index of all types, one of them could find what another one wrote."""
    several = [begin(shed, "[3, 0.5]"), begin(shed, "[0.5, 3]"), begin(shed, "[3]")]
    said = [words()[:-1] for words in several]
    assert said == [["8", "3.0"], ["3.0", "8"], ["8"]]
    assert run(shed, "[3, 0.5]") == ["8", "3.0", "0"]


def test_copies_of_the_same_sources_share_what_was_compiled(shed, tmp_path):
    """A checkout beside another one, or made anew at the same place."""
    run(shed)
    other = tmp_path / "other"
    shutil.copytree(shed.parents[1] / "mixsafe", other / "mixsafe")
    shutil.move(cache_of(shed).parent, other / "cache")
    assert run(other / "mixsafe" / "shed") == ["8", "0"]


def test_what_one_process_compiles_others_wait_for(shed):
    """All begin at once, and the function is compiled by one of them."""
    counting = """
import atexit
import mixsafe.machinery.numba_cache
from numba.core import event
recorder = event.RecordingListener()
event.register("numba:compile", recorder)
atexit.register(lambda: print("compiled" if recorder.buffer else "found"))
"""
    several = [begin(shed, before=counting) for _ in range(4)]
    said = [words() for words in several]
    assert {words[0] for words in said} == {"8"}
    assert sorted(words[-1] for words in said) == ["compiled", "found", "found", "found"]


def test_nobody_waits_for_ever_for_a_process_that_was_halted(shed):
    fcntl = pytest.importorskip("fcntl")
    run(shed)
    (lock,) = cache_of(shed).rglob("*.lock")
    before = "from mixsafe.machinery import numba_cache\nnumba_cache.PATIENCE = 0.5\n"
    with lock.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert run(shed, before=before) == ["8", "1"]  # it was told that something is compiled


def test_where_nothing_can_be_written_functions_are_compiled_all_the_same(shed):
    cache_of(shed).parent.write_text("no folder")
    assert [run(shed), run(shed)] == [["8", "1"], ["8", "1"]]
    assert not list(shed.parents[1].rglob("*.nbi"))  # where Numba would look at one file only


def test_a_full_disk_is_no_error(shed):
    full = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n"
    assert run(shed, before=full)[0] == "8"
    assert run(shed) == ["8", "1"]


def test_what_others_compile_goes_where_they_want_it(shed):
    before = "import numba\nnumba.config.CACHE_DIR = numba.config.CACHE_DIR + '2'\n"
    after = "numba.config.CACHE_DIR[-6:]"
    assert run(shed, f"[3]), {after}, (0 for _ in []", before)[:2] == ["8", "cache2"]


def test_folders_that_nobody_uses_any_more_go(shed):
    for number in range(12):
        old = cache_of(shed) / f"{number:02}"
        old.mkdir(parents=True)
        os.utime(old, (number, number))
    run(shed)
    left = {one.name for one in cache_of(shed).iterdir()}
    assert len(left) == numba_cache.KEPT
    assert left > {f"{number:02}" for number in range(5, 12)}
