"""Damaged archives are read or refused in one line that names them; bombs are refused unopened."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.io.certificates.link_certificates import is_link_certificate, read_link_certificate
from mixsafe.io.files import content
from mixsafe.io.gbfs.reading import read_feed
from mixsafe.io.traces.published_sets import read_cabspotting
from mixsafe.io.traces.trace_model import read_model
from tests.support.feeds import bike, free_bike_status
from tests.support.fuzz_further_cases import feed_cases
from tests.support.fuzz_mutations import mutated

CASES = {
    case.changed[0]: case.files[case.changed[0]]
    for case in feed_cases()
    if case.changed[0] in ("feed.zip", "feed.tar.gz", "feed.jsonl.gz")
}
SNAPSHOTS = [json.dumps(free_bike_status(60 * n, bike("a"), bike("x", 52.6))) for n in range(3)]
BOMB = b"{" + b" " * (24 << 20)


def refusal(read: Callable[[Path], object], path: Path) -> str:
    """The message of a refusal; that of what is read: the path alone."""
    try:
        read(path)
    except InputError as error:
        return str(error)
    return str(path)


@pytest.mark.parametrize("name", CASES)
def test_a_damaged_feed_is_read_or_refused_with_its_name(tmp_path: Path, name: str) -> None:
    """90 of 132 damaged zips were called a bug of the program, nine had no file."""
    path = tmp_path / name
    for number in range(150):
        change, damaged = mutated(CASES[name], name, np.random.default_rng((5, number)))
        path.write_bytes(damaged)
        said = refusal(read_feed, path)
        assert said.startswith(str(path)), (number, change, said)
        assert "\n" not in said


def _zipped(path: Path, method: int, *texts: bytes) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for number, text in enumerate(texts):
            archive.writestr(f"{number}.json", text)
    return path


def _claiming_less(path: Path) -> Path:
    """A zip archive that says of all its members that they have 100 bytes."""
    made = bytearray(path.read_bytes())
    for magic, at in ((b"PK\1\2", 24), (b"PK\3\4", 22)):
        place = made.find(magic)
        while place >= 0:
            made[place + at : place + at + 4] = (100).to_bytes(4, "little")
            place = made.find(magic, place + 4)
    path.write_bytes(made)
    return path


def _sparse(path: Path) -> Path:
    """A tar archive whose only file is 3 GB of holes."""
    member = tarfile.TarInfo("0.json")
    member.type, member.size = tarfile.GNUTYPE_SPARSE, 0
    header = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    header[386:398] = header[398:410] = b"00000000000\0"
    header[483:495] = b"%011o\0" % (3 << 30)
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    path.write_bytes(gzip.compress(bytes(header) + bytes(1024)))
    return path


BOMBS = {
    "a zip that unpacks to far more": lambda folder: _zipped(
        folder / "feed.zip", zipfile.ZIP_DEFLATED, BOMB
    ),
    "a zip of many members": lambda folder: _zipped(
        folder / "feed.zip", zipfile.ZIP_DEFLATED, *[BOMB[: 1 << 20]] * 24
    ),
    "a zip that says it is small": lambda folder: _claiming_less(
        _zipped(folder / "feed.zip", zipfile.ZIP_BZIP2, BOMB)
    ),
    "a sparse file": lambda folder: _sparse(folder / "feed.tar.gz"),
}


@pytest.mark.parametrize("kind", BOMBS)
def test_a_feed_that_unpacks_to_far_more_is_refused_before_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(content, "ALWAYS", 1 << 20)
    path = BOMBS[kind](tmp_path)
    said = "more than 50 times its size|not packed with deflate|is sparse"
    with pytest.raises(InputError, match=said) as refused:
        read_feed(path)
    assert refused.value.file == str(path)


@pytest.mark.parametrize("name", ["feed.zip", "feed.tar.gz", "feed.jsonl.gz"])
def test_what_fits_into_memory_easily_is_read_however_well_it_is_packed(
    tmp_path: Path, name: str
) -> None:
    """Snapshots of a feed may be packed a hundredfold, as they are nearly the same."""
    path, padded = tmp_path / name, [f"{one}{' ' * (20 << 20)}" for one in SNAPSHOTS]
    if name.endswith("zip"):
        _zipped(path, zipfile.ZIP_DEFLATED, *(one.encode() for one in padded))
    elif name.endswith("jsonl.gz"):
        path.write_bytes(gzip.compress("\n".join(padded).encode()))
    else:
        with tarfile.open(path, "w:gz") as archive:
            for number, one in enumerate(padded):
                member = tarfile.TarInfo(f"{number}.json")
                member.size = len(one)
                archive.addfile(member, io.BytesIO(one.encode()))
    assert path.stat().st_size * 200 < 60 << 20
    assert len(read_feed(path).tracklets.ids) == 2


def test_cabs_of_a_damaged_archive_are_read_or_refused_with_its_name(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name in ("ann", "bob"):
            lines = "".join(f"37.7{n} -122.3{n} 0 {1211018404 - n}\n" for n in range(9)).encode()
            member = tarfile.TarInfo(f"new_{name}.txt")
            member.size = len(lines)
            archive.addfile(member, io.BytesIO(lines))
    good, path = gzip.compress(buffer.getvalue(), mtime=0), tmp_path / "cabs.tar.gz"
    for number in range(150):
        change, damaged = mutated(good, "cabs.tar.gz", np.random.default_rng((6, number)))
        path.write_bytes(damaged)
        said = refusal(read_cabspotting, path)
        assert said.startswith(str(path)), (number, change, said)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_arrays_are_not_unpacked_by_methods_without_a_bound(tmp_path: Path, method: int) -> None:
    path, buffer = tmp_path / "arrays.npz", io.BytesIO()
    np.save(buffer, np.zeros(1 << 20, np.uint8))
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("about.npy", buffer.getvalue())
    for read in (read_model, read_link_certificate):
        with pytest.raises(InputError, match="not packed with deflate"):
            read(path)


def test_an_archive_without_its_directory_is_not_taken_for_a_certificate(tmp_path: Path) -> None:
    path = _zipped(tmp_path / "links.npz", zipfile.ZIP_STORED, b"{}")
    made = bytearray(path.read_bytes())
    made[made.find(b"PK\1\2")] = 0
    path.write_bytes(made)
    with pytest.raises(InputError, match="truncated or damaged") as refused:
        is_link_certificate(path)
    assert refused.value.file == str(path)
