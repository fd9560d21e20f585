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

from mixsafe import temporary_files
from mixsafe.errors import InputError
from mixsafe.io.files.atomic import atomic_folder, atomic_path, replaced_folder, write_text
from mixsafe.io.files.transaction import together

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows knows no such locks")

HEAD = """
import os, signal, sys
from pathlib import Path
sys.path[:0] = {path!r}
from mixsafe import temporary_files
from mixsafe.io.files.atomic import atomic_folder, atomic_path, replaced_folder, write_text
from mixsafe.io.files import transaction

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
    "several files": (
        "with transaction.together():\n"
        "    write_text(folder / 'out.csv', '1'); write_text(folder / 'out', '2'); {then}()"
    ),
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
    elif after == "several files":
        with together():
            write_text(tmp_path / "out", "")
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
    if str(source).count("draft-") and Path(target).name == {last!r}:
        killed()
    real(source, target)

transaction.os.replace = moved
with transaction.together():
    with replaced_folder(folder / "proofs") as draft:
        (draft / "new").touch()
    write_text(folder / "table.csv", "new")
"""


def test_what_was_there_is_put_back_when_a_run_was_killed_while_it_moved_things(
    tmp_path: Path,
) -> None:
    """The next run may fail: then all is as it was, but for what had its place already."""
    (tmp_path / "proofs").mkdir()
    (tmp_path / "proofs" / "old").touch()
    (tmp_path / "table.csv").write_text("old")
    killed(tmp_path, MOVING.format(last="proofs"))
    assert "proofs" not in names(tmp_path)

    def fails() -> None:
        with atomic_path(tmp_path / "other"):
            raise InputError("no")

    with pytest.raises(InputError):
        fails()
    assert names(tmp_path) == ["proofs", "table.csv"]
    assert names(tmp_path / "proofs") == ["old"]


def test_what_was_there_goes_only_when_its_place_is_taken_by_the_next_run(tmp_path: Path) -> None:
    (tmp_path / "proofs").mkdir()
    (tmp_path / "proofs" / "old").touch()
    (tmp_path / "table.csv").write_text("old")
    killed(tmp_path, MOVING.format(last="table.csv"))
    write_text(tmp_path / "other", "")
    room, *_ = names(tmp_path)
    assert list((tmp_path / room).glob("former-*/proofs/old"))
    with replaced_folder(tmp_path / "proofs") as draft:
        (draft / "newest").touch()
    write_text(tmp_path / "table.csv", "newest")
    with together():
        write_text(tmp_path / "table.csv", "newest")
        write_text(tmp_path / "other", "newest")
    assert names(tmp_path) == ["other", "proofs", "table.csv"]
    assert names(tmp_path / "proofs") == ["newest"]


def test_a_hidden_folder_that_somebody_took_away_is_made_anew(tmp_path: Path) -> None:
    def disturbed() -> None:
        with together():
            write_text(tmp_path / "one", "1")
            (room,) = names(tmp_path)
            (tmp_path / room).rename(tmp_path / "elsewhere")
            write_text(tmp_path / "two", "2", at_once=True)

    with pytest.raises(InputError, match="cannot write"):
        disturbed()
    assert names(tmp_path) == ["elsewhere", "two"]
