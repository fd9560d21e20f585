"""Outputs of one task: all of them, or none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mixsafe.errors import InputError
from mixsafe.io.files.atomic import atomic_folder, replaced_folder, write_text
from mixsafe.io.files.transaction import latest, make_folder, remove, together


def test_nothing_appears_before_all_is_written(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "folder"
    with together():
        write_text(one, "1")
        with atomic_folder(other) as draft:
            write_text(draft / "inner", "2")
        assert not one.exists()
        assert not other.exists()
        assert latest(one).read_text() == "1"
    assert one.read_text() == "1"
    assert (other / "inner").read_text() == "2"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["folder", "inner", "one"]


def test_what_fails_at_the_last_output_leaves_everything_as_it_was(tmp_path: Path) -> None:
    kept, proofs = tmp_path / "kept", tmp_path / "proofs"
    kept.write_text("former")
    proofs.mkdir()
    (proofs / "old").write_text("former")

    def fails() -> None:
        with together():
            make_folder(tmp_path / "new" / "inner")
            write_text(tmp_path / "new" / "inner" / "secret", "1")
            write_text(kept, "2")
            with replaced_folder(proofs) as draft:
                (draft / "fresh").write_text("3")
            remove(proofs / "old")
            write_text(tmp_path / "missing" / "x", "4")

    with pytest.raises(InputError, match="cannot write"):
        fails()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["kept", "old", "proofs"]
    assert kept.read_text() == "former"


def test_a_place_that_cannot_be_taken_gives_all_others_back(tmp_path: Path) -> None:
    kept, proofs = tmp_path / "kept", tmp_path / "proofs"
    kept.write_text("former")
    proofs.mkdir()
    (proofs / "old").write_text("former")

    def fails() -> None:
        with together() as outputs:
            write_text(tmp_path / "fresh", "1")
            write_text(kept, "2")
            with replaced_folder(proofs) as draft:
                (draft / "new").write_text("3")
            write_text(tmp_path / "last", "4")
            outputs.moves[-1][0].unlink()  # as if somebody had cleaned up

    with pytest.raises(InputError, match="cannot write"):
        fails()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["kept", "old", "proofs"]
    assert kept.read_text() == "former"


def test_what_cannot_be_given_back_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk may fail twice: then what was there is in the hidden folder, and the next run's."""
    proofs = tmp_path / "proofs"
    proofs.mkdir()
    (proofs / "old").write_text("former")
    real = os.replace

    def fails_later(source: Path, target: Path) -> None:
        if Path(source).name == "proofs" and not (Path(source) / "new").exists() and moved:
            raise OSError(5, "Input/output error")
        if Path(source).name == "last":
            moved.append(source)
            raise OSError(5, "Input/output error")
        real(source, target)

    moved: list[Path] = []
    monkeypatch.setattr("mixsafe.io.files.transaction.os.replace", fails_later)

    def fails() -> None:
        with together():
            with replaced_folder(proofs) as draft:
                (draft / "new").write_text("3")
            write_text(tmp_path / "last", "4")

    with pytest.raises(OSError, match="Input/output"):
        fails()
    (old,) = tmp_path.rglob("old")
    assert old.read_text() == "former"


def test_a_file_in_a_folder_that_waits_is_found_where_it_is(tmp_path: Path) -> None:
    with together():
        with replaced_folder(tmp_path / "out") as draft:
            (draft / "one").write_text("1")
        write_text(tmp_path / "two", "2")
        assert not (tmp_path / "out").exists()
        assert latest(tmp_path / "out" / "one").read_text() == "1"
        assert latest(tmp_path / "two").read_text() == "2"
    assert latest(tmp_path / "out" / "one") == tmp_path / "out" / "one"


def test_interrupted_work_leaves_nothing(tmp_path: Path) -> None:
    def stopped() -> None:
        with together():
            write_text(tmp_path / "one", "1")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert list(tmp_path.iterdir()) == []
