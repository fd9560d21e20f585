"""Who may read what is written: secret files nobody else, and never more people than before."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from mixsafe.machinery.files import (
    atomic_folder,
    atomic_path,
    make_folder,
    new_file,
    replaced_folder,
    secret,
    write_text,
)


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    """That of most systems: others may read."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.parametrize(
    ("is_secret", "former", "after"),
    [
        (False, None, 0o644), (True, None, 0o600),
        (False, 0o600, 0o600), (True, 0o600, 0o600),
        (False, 0o640, 0o640), (True, 0o640, 0o600),
        (False, 0o664, 0o664), (True, 0o644, 0o600),
        (False, 0o444, 0o444), (True, 0o444, 0o400),
    ],
)  # fmt: skip
def test_a_file_is_for_its_owner_alone_or_for_those_who_might_read_it_before(
    is_secret: bool, former: int | None, after: int, tmp_path: Path
) -> None:
    target = tmp_path / "file"
    if former is not None:
        target.write_text("of earlier")
        target.chmod(former)
    with secret() if is_secret else nullcontext(), atomic_path(target) as draft:
        if is_secret or former is not None:
            assert rights(draft) == 0o600  # from when it is there
        draft.write_text("new")
    assert target.read_text() == "new"
    assert rights(target) == after


@pytest.mark.parametrize("write", [atomic_folder, replaced_folder])
@pytest.mark.parametrize(
    ("is_secret", "former", "after"),
    [(False, None, 0o755), (True, None, 0o700), (False, 0o750, 0o750), (True, 0o755, 0o700)],
)
def test_a_folder_is_so_too(write, is_secret, former, after, tmp_path: Path) -> None:
    target = tmp_path / "folder"
    if former is not None:
        target.mkdir()
        target.chmod(former)
    with secret() if is_secret else nullcontext(), write(target) as draft:
        if is_secret:
            assert rights(draft) == 0o700
        new_file(draft / "file").write_text("new")
        assert rights(draft / "file") == (0o600 if is_secret else 0o644)
    assert rights(target) == after


def test_a_folder_that_others_may_enter_is_closed_before_secrets_lie_in_it(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir(0o755)
    with secret():
        make_folder(tmp_path / "old")
        make_folder(tmp_path / "above" / "new")
    assert rights(tmp_path / "old") == rights(tmp_path / "above" / "new") == 0o700
    make_folder(tmp_path / "open")
    assert rights(tmp_path / "open") == 0o755


def test_bits_of_a_group_are_not_given_to_another_one(tmp_path: Path, monkeypatch) -> None:
    """Who may not give a file to the group that had it lets no other group read it."""
    target = tmp_path / "file"
    target.write_text("of earlier")
    target.chmod(0o640)
    theirs = os.stat_result((*target.stat()[:5], 12345, *target.stat()[6:]))
    right = Path.stat
    monkeypatch.setattr(
        Path, "stat", lambda self, **more: theirs if self == target else right(self, **more)
    )

    def refused(path: Path, user: int, group: int) -> None:
        assert group == 12345
        raise PermissionError

    monkeypatch.setattr(os, "chown", refused)
    write_text(target, "new")
    monkeypatch.undo()
    assert rights(target) == 0o600
