"""Snapshots of a GBFS feed, in order of time: from a folder, an archive, or JSON lines.

GBFS, the General Bikeshare Feed Specification, versions 1.0 to 3.1: ``free_bike_status.json`` has
``data.bikes`` with ``bike_id``, ``vehicle_status.json`` (from 3.0 on) ``data.vehicles`` with
``vehicle_id``; ``last_updated`` is in Unix seconds up to 2.x and a text (RFC 3339) from 3.0 on.
Other files of a feed are recognized by what they contain, because collectors name files as they
like.
"""

from __future__ import annotations

import os
import re
import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from mixsafe.errors import InputError
from mixsafe.io.files.content import (
    HEAD,
    Unpacked,
    check_json,
    check_members,
    check_plausible,
    opened,
    reading,
    undamaged,
    unpacked_head_of,
)
from mixsafe.io.gbfs.parsing import FORMS, MARK, Parser, Place, Slots, moment, parsed, vehicles_of
from mixsafe.io.gbfs.wanted import Unused
from mixsafe.machinery.memory import check_fits
from mixsafe.model.mobility.instant import is_number, written_time

ZIP = b"PK\x03\x04"
PACKED = (".gz", ".zst")
JSON = (".json", ".json.gz", ".json.zst")
LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz", ".jsonl.zst", ".ndjson.zst")

_UPDATED = re.compile(rb'"last_updated"\s*:\s*("[^"]*"|-?[0-9.eE+]+)')


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Vehicles at one time.

    Parameters
    ----------
    place
        Where it was read.
    time
        Unix seconds at which it was updated.
    key
        Key of a vehicle's identifier.
    vehicles
        Records of the vehicles, unchanged.
    """

    place: Place
    time: int
    key: str
    vehicles: list[dict[str, Any]]


@dataclass
class System:
    """What the other files of a feed say.

    Parameters
    ----------
    name
        Its ``system_id``.
    place
        The file that says it.
    stations
        Latitude and longitude of each station.
    timezone
        Of the system; None: its files do not say it.
    offsets
        Seconds by which the clocks of snapshots are ahead of UTC, where they are texts.
    slots
        When vehicles can be booked.
    """

    name: str | None = None
    place: Place | None = None
    stations: dict[str, tuple[float, float]] = field(default_factory=dict)
    timezone: str | None = None
    offsets: set[int] = field(default_factory=set)
    slots: Slots = field(default_factory=Slots)

    def learn(self, data: dict[str, Any], place: Place) -> None:
        """Take what a file says of the system.

        Raises
        ------
        InputError
            It is of another system.
        """
        name = data.get("system_id")
        if isinstance(name, str | int):
            if self.place is not None and self.name != str(name):
                raise place.error(
                    f"this is of system '{name}', and {self.place.file} of system '{self.name}'",
                    "system_id",
                    "give the snapshots of one system",
                )
            self.name, self.place = str(name), place
            if isinstance(data.get("timezone"), str):
                self.timezone = data["timezone"]
        for station in data.get("stations") or ():
            if isinstance(station, dict) and "lat" in station and "lon" in station:
                where = station["lat"], station["lon"]
                if all(isinstance(one, int | float) for one in where):
                    self.stations[str(station.get("station_id"))] = where


@dataclass(frozen=True)
class _Document:
    """A JSON file, or a file of JSON lines; and the file, or the archive, that it is in."""

    source: str
    name: str
    opens: Callable[[], AbstractContextManager[Any]]

    @property
    def lines(self) -> bool:
        """Whether it has one snapshot per line."""
        return self.name.lower().endswith(LINES)

    def texts(self) -> Iterator[tuple[Place, bytes]]:
        """The JSON texts of the file, blank lines left out."""
        with self.opens() as file:
            texts: Iterable[tuple[int | None, bytes]]
            texts = enumerate(_lines(file), 1) if self.lines else [(None, file.read())]
            for number, text in texts:
                if number is None or text.strip():
                    check_json(self.source, text)
                    yield Place(self.name, number), text

    def updated(self) -> int | None:
        """Time of the (first) snapshot; None: the file has none.

        Raises
        ------
        InputError
            The text is not JSON, or the time is not one.
        """
        with self.opens() as file:
            head = next(_lines(file)) if self.lines else file.read(HEAD)
            found = _UPDATED.search(head)
            if found is None and not self.lines:
                head += file.read()
                check_json(self.source, head)
                found = _UPDATED.search(head)
        place = Place(self.name, 1 if self.lines else None)
        if found is None:
            document = parsed(head, place)
            if isinstance(document, dict) and vehicles_of(document) is not None:
                raise place.error("the time of the snapshot is missing", "last_updated")
            return None
        return moment(parsed(found[1], place), place, "last_updated")


def snapshots(path: str | os.PathLike[str], system: System, unused: Unused) -> Iterator[Snapshot]:
    """Yield the snapshots of a feed in order of time, each once.

    Parameters
    ----------
    system
        Takes what the other files say.
    unused
        Takes snapshots that cannot be used.

    Raises
    ------
    InputError
        Names the file, and the line if it has one snapshot per line: not JSON, out of order, two
        different ones at one time, of another system.
    """
    former: Snapshot | None = None
    parser = Parser()
    with documents(path) as found:
        for place, text in _in_order(found, unused):
            if not any(b'"%s"' % key.encode() in text for key in (*FORMS, "system_id", "stations")):
                continue
            try:
                if MARK in text:
                    system.slots.learn(parsed(text, place), place)
                    continue
                document = parser.document(text, place)
                vehicles = vehicles_of(document)
                time = None if vehicles is None else _time_of(document, place, system)
            except InputError as error:
                unused.bad(error)
                continue
            if vehicles is None or time is None:
                if isinstance(document, dict) and isinstance(document.get("data"), dict):
                    system.learn(document["data"], place)
                continue
            now = Snapshot(place, time, *vehicles)
            if former is None or time > former.time:
                former = now
                yield now
            elif time < former.time or now.vehicles != former.vehicles:
                unused.bad(_out_of_order(now, former))


def _time_of(document: dict[str, Any], place: Place, system: System) -> int:
    """Unix seconds of a snapshot; the system takes the offset of its clock."""
    updated = document.get("last_updated")
    time = moment(updated, place, "last_updated")
    if isinstance(updated, str) and not is_number(updated):
        system.offsets.add(written_time(updated).offset or 0)
    return time


def _out_of_order(now: Snapshot, former: Snapshot) -> InputError:
    """The error about a snapshot that is not newer than the one before."""
    if now.time < former.time:
        return now.place.error(
            f"the snapshot is {former.time - now.time} s older than the one before",
            "last_updated",
            "sort the snapshots by last_updated",
        )
    where = former.place.file if now.place.line is None else f"line {former.place.line}"
    return now.place.error(
        f"another snapshot than that of {where}, but of the same time",
        "last_updated",
        "are these two systems?",
    )


def _in_order(documents: list[_Document], unused: Unused) -> Iterator[tuple[Place, bytes]]:
    """The texts of all documents, by the time of their first snapshots."""
    timed = []
    for one in documents:
        try:
            time = one.updated() if len(documents) > 1 else 0
        except InputError as error:
            unused.bad(error)
            continue
        if time is not None:
            timed.append((time, one.name, one))
    for _, _, one in sorted(timed, key=lambda row: row[:2]):
        yield from one.texts()


@contextmanager
def documents(path: str | os.PathLike[str]) -> Iterator[list[_Document]]:
    """The JSON files of a folder or an archive, or the file that is given."""
    whole, name = Path(path), os.fspath(path)
    if whole.is_dir():
        files = [os.fspath(one) for one in sorted(whole.rglob("*")) if one.is_file()]
        yield [_Document(one, one, partial(opened, one)) for one in files if is_json(one)]
        return
    head = unpacked_head_of(path)
    with ExitStack() as stack:
        if head.startswith(ZIP) or is_tar(head):
            members = (_of_zip if head.startswith(ZIP) else _of_tar)(name, stack)
            yield [
                _Document(name, f"{name}/{one}", partial(_member, name, opens))
                for one, opens in members
            ]
        else:
            yield [_Document(name, name, partial(opened, path))]


_Members = list[tuple[str, Callable[[], Any]]]
"""Names of the files of an archive, and what opens each."""


def _of_zip(path: str, stack: ExitStack) -> _Members:
    """The JSON files of a zip archive."""
    file = stack.enter_context(reading(path))
    with undamaged(path):
        archive = stack.enter_context(zipfile.ZipFile(file))
    members = [one for one in archive.infolist() if is_json(one.filename) and not one.is_dir()]
    for one in members:
        _check_unpacked(path, one.filename)
    check_plausible(path, check_members(path, members))
    return [(one.filename, partial(archive.open, one)) for one in members]


def _of_tar(path: str, stack: ExitStack) -> _Members:
    """The JSON files of a tar archive, which is unpacked to disk, so that they can be sorted."""
    plain = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 -- the stack closes it
    with opened(path) as file:
        shutil.copyfileobj(file, plain, 1 << 20)
    with undamaged(path):
        within = cast("IO[bytes]", _Within(plain))
        archive = stack.enter_context(tarfile.open(fileobj=within))  # noqa: SIM115 -- likewise
        members = [one for one in archive.getmembers() if one.isfile() and is_json(one.name)]
    for one in members:
        _check_unpacked(path, one.name, sparse=one.issparse())
        check_fits(path, 2 * one.size)
    return [(one.name, partial(archive.extractfile, one)) for one in members]


def _check_unpacked(path: str, name: str, *, sparse: bool = False) -> None:
    """Refuse a file of an archive whose size is not known; a sparse one can claim any.

    Raises
    ------
    InputError
        It is packed, or sparse.
    """
    if sparse or name.endswith(PACKED):
        raise InputError(
            f"{name} is {'sparse' if sparse else 'packed'}", file=path, hint="unpack it"
        )


def _member(path: str, opens: Callable[[], Any]) -> Unpacked:
    """A file of an archive, unpacked as it is read."""
    with undamaged(path):
        return Unpacked(opens(), path)


class _Within:
    """A file from its beginning, of which no more is read than there is.

    A header of an archive may say any size, for which Python would at once take memory.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._size = file.seek(0, os.SEEK_END)
        file.seek(0)
        self._file, self.seek, self.tell = file, file.seek, file.tell

    def read(self, size: int) -> bytes:
        """Read the next bytes."""
        return self._file.read(max(min(size, self._size - self.tell()), 0))


def is_json(name: str) -> bool:
    """Whether a file of this name may hold snapshots."""
    return name.lower().endswith((*JSON, *LINES)) and not Path(name).name.startswith(".")


def is_tar(head: bytes) -> bool:
    """Whether the first bytes of a file are those of a tar archive (POSIX ustar, and GNU's)."""
    return head[257:262] == b"ustar"


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    """The lines of a file, which may be one that is unpacked while it is read."""
    rest: list[bytes] = []
    while block := file.read(1 << 20):
        first, *others = block.split(b"\n")
        rest.append(first)
        for one in others:
            yield b"".join(rest)
            rest = [one]
    yield b"".join(rest)
