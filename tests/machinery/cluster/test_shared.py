"""What workers share: files that are whole, on a disk or behind a URL, and objects in them."""

from __future__ import annotations

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.machinery.cluster.shared import Mapped, dumped, dumped_small, folder_at, loaded
from mixsafe.model.course import Deadline


@pytest.mark.parametrize("kind", ["{}", "file://{}", "memory://{}"])
def test_a_file_is_there_as_a_whole_or_not(kind, tmp_path):
    folder = folder_at(kind.format(tmp_path / "shared"))
    assert folder.read("one") is None
    folder.write("one", [b"a", memoryview(b"bc")])
    assert folder.read("one") == b"abc"
    assert folder.on_disk("one").read_bytes() == b"abc"

    def torn():
        yield b"a"
        raise InputError("the end")

    with pytest.raises(InputError):
        folder.write("two", torn())
    assert folder.read("two") is None
    folder.forget("one")
    folder.forget("one")
    assert folder.read("one") is None
    with pytest.raises(InputError, match="is missing"):
        folder.on_disk("two")


@pytest.mark.parametrize(
    "place", ["{}/file", "{}/missing/folder", "no-such-scheme://{}", "github://{}"]
)
def test_what_is_no_folder_is_refused_in_one_line(place, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot create the folder"):
        folder_at(place.format(tmp_path))


def test_arrays_of_shared_objects_are_those_of_the_file(tmp_path):
    given = {"a": np.arange(1000), "b": np.eye(3, dtype=np.float32), "c": "word", "d": np.arange(0)}
    path = tmp_path / "shared"
    path.write_bytes(b"".join(dumped(given).parts))
    mapped = Mapped(path, ())
    found = mapped.value
    assert found["c"] == "word"
    for name in "abd":
        assert np.array_equal(found[name], given[name])
        assert found[name].dtype == given[name].dtype
    assert not found["a"].flags.owndata
    assert found["a"].flags.writeable  # as compiled functions take it
    mapped.rest()
    assert np.array_equal(found["a"], given["a"])


def test_the_name_of_what_is_shared_says_what_it_is():
    assert dumped(np.arange(3)).digest == dumped(np.arange(3)).digest
    assert dumped(np.arange(3)).digest != dumped(np.arange(4)).digest


def test_moments_are_told_beside_what_is_shared():
    soon, late = Deadline(10.0), Deadline(None)
    content, moments = dumped_small([soon, late, soon])
    found = loaded(content, moments)
    assert 9.0 < found[0].left <= 10.0
    assert found[1].left == float("inf")
    assert found[2] is found[0]
    other, _ = dumped_small([Deadline(99.0), late, soon][:2])
    assert other == dumped_small([soon, late])[0]
