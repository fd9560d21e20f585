"""What is kept comes back, wherever writing was cut off; what is of another run is left alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mixsafe.errors import InputError
from mixsafe.machinery.checkpoint import NAME, Checkpoint

QUESTION = {"data": "a" * 64, "k": 3, "rule": None}
SOME = {"wires": np.arange(7), "tokens": np.array([[1, 2], [3, 4]], np.uint64)}


def filled(folder: Path, number: int = 3) -> bytes:
    """The content of a checkpoint with this many entries."""
    with Checkpoint(folder) as journal:
        journal.begin(QUESTION)
        for i in range(number):
            journal.keep(f"step {i}", {"found": np.arange(i + 1)})
    return (folder / NAME).read_bytes()


def recalled(folder: Path, number: int = 3) -> int:
    """How many entries come back, whole and in order."""
    with Checkpoint(folder) as journal:
        journal.begin(QUESTION)
        for i in range(number):
            entry = journal.recall(f"step {i}")
            if entry is None:
                return i
            np.testing.assert_array_equal(entry["found"], np.arange(i + 1))
        assert journal.recall("one more") is None
    return number


kinds = st.sampled_from([np.int32, np.int64, np.uint64, np.uint8, np.bool_])


@given(
    entry=st.dictionaries(
        st.text(max_size=3),
        kinds.flatmap(lambda kind: arrays.arrays(kind, arrays.array_shapes(min_side=0))),
        max_size=3,
    )
)
@settings(max_examples=50, deadline=None)
def test_entries_come_back_as_they_were_kept(
    entry: dict[str, np.ndarray], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("run")
    with Checkpoint(folder) as journal:
        journal.keep("first", entry)
        journal.keep("second", SOME)
    with Checkpoint(folder) as journal:
        for step, kept in (("first", entry), ("second", SOME)):
            found = journal.recall(step)
            assert found is not None
            assert list(found) == list(kept)
            for name, array in kept.items():
                assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
                np.testing.assert_array_equal(found[name], array)
                assert found[name].flags.writeable
        assert journal.recall("third") is None


def test_a_run_killed_at_any_byte_leaves_every_entry_before_it(tmp_path: Path) -> None:
    content = filled(tmp_path)
    alone = [len(filled(tmp_path / str(n), n)) for n in range(4)]
    begin = alone[0]
    for size in range(begin, len(content) + 1):
        (tmp_path / NAME).write_bytes(content[:size])
        whole = sum(size >= end for end in alone[1:])
        assert recalled(tmp_path) == whole
        assert (tmp_path / NAME).stat().st_size == alone[whole]  # what was torn is cut off


def test_new_entries_come_after_those_recalled(tmp_path: Path) -> None:
    content = filled(tmp_path)
    (tmp_path / NAME).write_bytes(content[:-1])
    with Checkpoint(tmp_path) as journal:
        journal.begin(QUESTION)
        for step in ("step 0", "step 1"):
            assert journal.recall(step) is not None
        assert journal.recall("step 2") is None
        journal.keep("step 2", {"found": np.arange(3)})
    assert (tmp_path / NAME).read_bytes() == content


def test_damage_before_the_end_is_an_error_and_no_torn_entry(tmp_path: Path) -> None:
    content = bytearray(filled(tmp_path))
    content[content.index(b"\n") + 20] ^= 1
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(InputError, match="damaged"):
        Checkpoint(tmp_path)
    assert (tmp_path / NAME).read_bytes() == content


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({**QUESTION, "k": 4}, "k 3, not 4"),
        ({**QUESTION, "rule": "some"}, "rule none, not some"),
        ({**QUESTION, "data": "b" * 64}, "data aaaaaaaaaaaa…, not bbbbbbbbbbbb…"),
        ({"data": "a" * 64, "k": 3, "rule": None, "more": 1}, "more none, not 1"),
        ({"data": "a" * 64, "rule": None}, "k 3, not none"),
    ],
    ids=["k", "rule", "data", "more is asked", "less is asked"],
)
def test_a_folder_of_another_run_is_refused_and_left_as_it_is(
    tmp_path: Path, other: dict[str, str | int | None], told: str
) -> None:
    content = filled(tmp_path)
    with Checkpoint(tmp_path) as journal, pytest.raises(InputError, match=told):
        journal.begin(other)
    assert (tmp_path / NAME).read_bytes() == content


@pytest.mark.parametrize("content", [b"", b"mine\n", b"[]\n", b'{"format": 1}\n', b"\xff\n"])
def test_a_file_that_is_no_checkpoint_is_refused_and_left_as_it_is(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(InputError, match="not a 'mixsafe checkpoint"):
        Checkpoint(tmp_path)
    assert (tmp_path / NAME).read_bytes() == content


def test_a_run_of_an_earlier_version_is_named_and_left_as_it_is(tmp_path: Path) -> None:
    content = b'{"format": "mixsafe checkpoint 2"}\n'
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(InputError, match=r"saved by an earlier version.*name another folder"):
        Checkpoint(tmp_path)
    assert (tmp_path / NAME).read_bytes() == content


def test_a_folder_that_another_run_is_using_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    with (
        Checkpoint(tmp_path),
        pytest.raises(InputError, match="another run"),
    ):
        Checkpoint(tmp_path)


def test_a_step_that_is_not_the_next_one_is_an_error(tmp_path: Path) -> None:
    filled(tmp_path)
    told = "'step 0' where this run takes step 'step 1'"
    with Checkpoint(tmp_path) as journal:
        journal.begin(QUESTION)
        with pytest.raises(InputError, match=told):
            journal.recall("step 1")


def test_each_problem_of_a_run_is_checked_when_its_turn_comes(tmp_path: Path) -> None:
    def run(*questions: dict[str, str | int | None]) -> None:
        with Checkpoint(tmp_path) as journal:
            for question in questions:
                journal.begin(question)
                if journal.recall("step") is None:
                    journal.keep("step", SOME)

    run(QUESTION, {**QUESTION, "data": "b" * 64})
    content = (tmp_path / NAME).read_bytes()
    run(QUESTION, {**QUESTION, "data": "b" * 64})
    assert (tmp_path / NAME).read_bytes() == content
    with pytest.raises(InputError, match="data bbbb"):
        run(QUESTION, {**QUESTION, "data": "c" * 64})


def test_a_folder_that_was_killed_before_its_first_question_is_begun_anew(tmp_path: Path) -> None:
    content = filled(tmp_path)
    (tmp_path / NAME).write_bytes(content[: content.index(b"\n") + 9])
    assert filled(tmp_path) == content


def test_nothing_is_kept_after_a_cut(tmp_path: Path) -> None:
    with Checkpoint(tmp_path) as journal:
        journal.begin(QUESTION)
        journal.cut()
        journal.keep("step 0", SOME)
    assert recalled(tmp_path) == 0


def test_a_file_and_a_folder_without_a_parent_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "missing" / "run"):
        with pytest.raises(InputError):
            Checkpoint(folder)
    assert not (tmp_path / "missing").exists()
