"""What a killed run leaves is known to be ours, and the next run takes it away, and no more."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mixsafe.errors import InputError
from mixsafe.machinery import temporary_files
from mixsafe.machinery.files import atomic_folder, atomic_path, replaced_folder, write_text

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows knows no such locks")

HEAD = """
import os, signal, sys
from pathlib import Path
sys.path[:0] = {path!r}
from mixsafe.machinery import files, temporary_files
from mixsafe.machinery.files import atomic_folder, atomic_path, replaced_folder, write_text

def killed(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def waiting():
    print("there", flush=True)
    sys.stdin.read()

folder = Path({folder!r})
"""

WORKS = {
    "a file": "with atomic_path(folder / 'out.csv') as draft: draft.touch(); {then}()",
    "a folder": "with atomic_folder(folder / 'out') as draft: (draft / 'x').touch(); {then}()",
    "certificates": "with replaced_folder(folder / 'out') as new: (new / 'x').touch(); {then}()",
    "what does not fit": (
        "(temporary_files.new_scratch_folder('x', folder) / 'x').touch(); {then}()"
    ),
}


@contextmanager
def process(folder: Path, work: str) -> Iterator[subprocess.Popen[str]]:
    """A run of its own that works in a folder; it is over when its standard input is."""
    path = [entry for entry in sys.path if entry]
    program = HEAD.format(path=path, folder=str(folder)) + work
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=pipe, stdout=pipe, text=True
    ) as run:
        yield run


def killed(folder: Path, work: str) -> None:
    """Such a run that is killed."""
    with process(folder, work.format(then="killed")) as run:
        assert run.wait(timeout=60) == -signal.SIGKILL


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("after", WORKS)
@pytest.mark.parametrize("work", WORKS)
def test_what_a_killed_run_leaves_is_gone_after_the_next_one(
    work: str, after: str, tmp_path: Path
) -> None:
    killed(tmp_path, WORKS[work])
    (left,) = names(tmp_path)
    assert left.startswith(".mixsafe-")
    if after == "what does not fit":
        temporary_files.forget(temporary_files.new_scratch_folder("x", tmp_path))
    else:
        with {"a file": atomic_path, "a folder": atomic_folder}.get(after, replaced_folder)(
            tmp_path / "out"
        ) as draft:
            if after == "a file":
                draft.touch()
    assert names(tmp_path) == ([] if after == "what does not fit" else ["out"])


@pytest.mark.parametrize("work", WORKS)
def test_what_a_run_is_at_is_left_alone(work: str, tmp_path: Path) -> None:
    with process(tmp_path, WORKS[work].format(then="waiting")) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "there\n"
        write_text(tmp_path / "out.json", "{}")
        room, _ = names(tmp_path)
        assert list((tmp_path / room).glob("draft-*/*"))
        run.communicate()
    assert run.returncode == 0
    assert [name for name in names(tmp_path) if name.startswith(".")] in ([], [room])


def test_what_another_machine_or_anybody_has_put_there_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its name may be much like ours; a link with our name leads to what is somebody's."""
    with monkeypatch.context() as there:
        there.setattr(temporary_files, "_machine", lambda: "0" * 8)
        temporary_files.new_scratch_folder("x", tmp_path)
        temporary_files._in_child()  # nobody here holds its lock
    mine = f".mixsafe-{temporary_files._machine()}"
    (tmp_path / "own").mkdir()
    for path in ("own/lock", f"{mine}-01234567", ".mixsafe", f"{mine}-notes"):
        (tmp_path / path).touch()
    (tmp_path / "own" / "draft-1").mkdir()
    (tmp_path / f"{mine}-89abcdef").symlink_to("own")
    (tmp_path / f"{mine}-00000000").mkdir()
    (tmp_path / f"{mine}-00000000" / "thesis").touch()
    before = sorted(tmp_path.rglob("*"))
    write_text(tmp_path / "out.json", "{}")
    (tmp_path / "out.json").unlink()
    assert sorted(tmp_path.rglob("*")) == before


MOVING = """
real = os.replace

def moved(source, target):
    if str(source).count("draft-"):
        killed()
    real(source, target)

files.os.replace = moved
with replaced_folder(folder / "proofs") as draft:
    (draft / "new").touch()
"""


def test_what_was_there_is_beside_its_place_when_a_run_was_killed_while_it_moved_things(
    tmp_path: Path,
) -> None:
    """Between two moves of folders; the next run takes its own away, and nothing else."""
    (tmp_path / "proofs").mkdir()
    (tmp_path / "proofs" / "old").touch()
    killed(tmp_path, MOVING)
    write_text(tmp_path / "table.csv", "")
    (former, table) = names(tmp_path)
    assert (former.startswith("proofs.former-"), table) == (True, "table.csv")
    assert names(tmp_path / former) == ["old"]


def test_a_folder_whose_place_cannot_be_taken_is_there_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "proofs").mkdir()
    (tmp_path / "proofs" / "old").touch()
    real = os.replace

    def fails(source: Path, target: Path) -> None:
        if "draft-" in str(source):
            raise OSError(5, "Input/output error")
        real(source, target)

    def replaced() -> None:
        with replaced_folder(tmp_path / "proofs") as draft:
            (draft / "new").touch()

    monkeypatch.setattr("mixsafe.machinery.files.os.replace", fails)
    with pytest.raises(InputError, match="cannot write: input/output error"):
        replaced()
    assert names(tmp_path) == ["proofs"]
    assert names(tmp_path / "proofs") == ["old"]
    monkeypatch.undo()
    replaced()
    assert names(tmp_path) == ["proofs"]
    assert names(tmp_path / "proofs") == ["new"]


def test_a_hidden_folder_that_somebody_took_away_is_made_anew(tmp_path: Path) -> None:
    def disturbed() -> None:
        with atomic_path(tmp_path / "one"):
            (room,) = names(tmp_path)
            (tmp_path / room).rename(tmp_path / "elsewhere")
            write_text(tmp_path / "two", "2")

    with pytest.raises(InputError, match="cannot write"):
        disturbed()
    assert names(tmp_path) == ["elsewhere", "two"]
