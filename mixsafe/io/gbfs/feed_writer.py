"""Writer of a fleet's feed as GBFS snapshots: a folder, an archive of it, or JSON lines."""

from __future__ import annotations

import io
import json
import os
import tarfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from gzip import GzipFile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.files import atomic_folder, atomic_path
from mixsafe.model.csr import grouped, of_groups
from mixsafe.model.progress import Progress, no_progress
from mixsafe.model.tracklets import FleetFeed

Ints = npt.NDArray[np.int64]
Add = Callable[[str, int, str], None]
"""Takes a file's name, its time (Unix seconds) and its text."""

LINES, ARCHIVES = ".jsonl", (".tar.gz", ".tgz")

TRUTH = "_vehicle"
"""Key of the true vehicle; keys that are not of GBFS begin with an underscore."""

SYSTEM = "fleet-example"

_PLACEHOLDER = "\0"
_TOKENS = 1 << 62
"""Added to the number of a vehicle: its token is the name of no identifier."""


@dataclass(frozen=True)
class Version:
    """What versions of GBFS call things.

    Parameters
    ----------
    text
        Of the version.
    file, vehicles, identifier
        Name of the file of vehicles, key of their list, and of their identifier.
    dated
        Whether times are RFC 3339 texts (else Unix seconds), and names are by language.
    """

    text: str
    file: str
    vehicles: str
    identifier: str
    dated: bool

    def times(self, seconds: Ints) -> list[Any]:
        """Times as JSON has them, texts with their quotes."""
        if not self.dated:
            return list(seconds.tolist())
        texts = np.datetime_as_string(seconds.astype("datetime64[s]"), unit="s")
        return [f'"{text}Z"' for text in texts.tolist()]

    def named(self, name: str) -> object:
        """A name for people."""
        return [{"text": name, "language": "en"}] if self.dated else name

    def head(self, at: int, ttl: int) -> str:
        """A file up to its data."""
        (updated,) = self.times(np.array([at]))
        return f'{{"last_updated":{updated},"ttl":{ttl},"version":"{self.text}","data":'


VERSIONS = {
    one.text: one
    for one in (
        Version("2.3", "free_bike_status", "bikes", "bike_id", False),
        Version("3.0", "vehicle_status", "vehicles", "vehicle_id", True),
    )
}


def write_feed(
    path: str | os.PathLike[str],
    feed: FleetFeed,
    *,
    version: str = "2.3",
    truth: bool = False,
    progress: Progress = no_progress,
) -> None:
    """Write a feed atomically, a snapshot per poll; vehicles are in the order of identifiers.

    Parameters
    ----------
    path
        ``.jsonl``: a line per snapshot. ``.tar.gz`` or ``.tgz``: an archive. Otherwise a folder,
        which has a file per snapshot and ``system_information.json`` and ``vehicle_types.json``.
    feed
        What is written.
    version
        Of ``VERSIONS``.
    truth
        Whether each vehicle has the key ``TRUTH``, its true number.
    progress
        Told of each snapshot.

    Raises
    ------
    InputError
        The files cannot be written, or the folder is not empty.
    """
    form = VERSIONS[version]
    with _opened(path) as add:
        if not _ends(path, LINES):
            for name, data in (("system_information", _system), ("vehicle_types", _types)):
                text = json.dumps(data(feed, form), separators=(",", ":"))
                add(f"{name}.json", feed.first, f"{form.head(feed.first, 86_400)}{text}}}")
        for poll, vehicles in enumerate(_snapshots(feed, form, truth)):
            at = feed.first + poll * feed.poll
            moment = np.datetime_as_string(np.datetime64(at, "s"), unit="s").replace(":", "")
            text = f'{form.head(at, feed.poll)}{{"{form.vehicles}":[{",".join(vehicles)}]}}}}'
            add(f"{form.file}_{moment}Z.json", at, text)
            progress("polling", poll + 1, feed.n_polls)


def _ends(path: str | os.PathLike[str], *endings: str) -> bool:
    return Path(path).name.lower().endswith(endings)


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[Add]:
    """Yield what takes the files, which appear together when the block succeeds."""
    if _ends(path, LINES):
        with atomic_path(path) as draft, draft.open("w", encoding="utf-8", newline="") as lines:
            yield lambda name, at, text: print(text, file=lines)
    elif _ends(path, *ARCHIVES):
        with (
            atomic_path(path) as draft,
            draft.open("wb") as file,
            GzipFile("", "wb", compresslevel=1, fileobj=file, mtime=0) as packed,
            tarfile.open(mode="w", fileobj=packed) as archive,
        ):
            yield lambda name, at, text: _add(archive, name, at, text)
    else:
        with atomic_folder(path) as folder:
            yield lambda name, at, text: _write(folder / name, text)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="")


def _add(archive: tarfile.TarFile, name: str, at: int, text: str) -> None:
    """Add a file to an archive; nothing in it says who made it when."""
    content = text.encode()
    member = tarfile.TarInfo(name)
    member.size, member.mtime = len(content), at
    archive.addfile(member, io.BytesIO(content))


def _system(feed: FleetFeed, form: Version) -> Mapping[str, Any]:
    """Contents of ``system_information.json``."""
    language = {"languages": ["en"]} if form.dated else {"language": "en"}
    contact = {"opening_hours": "24/7", "feed_contact_email": "feed@fleet.example"}
    return {
        "system_id": SYSTEM,
        **language,
        "name": form.named("A synthetic fleet"),
        "timezone": "Etc/UTC",
        **(contact if form.dated else {}),
    }


def _types(feed: FleetFeed, form: Version) -> Mapping[str, Any]:
    """Contents of ``vehicle_types.json``."""
    return {
        "vehicle_types": [
            {
                "vehicle_type_id": one.name,
                "form_factor": one.form_factor,
                "propulsion_type": one.propulsion,
                **({} if one.max_range is None else {"max_range_meters": one.max_range}),
                "name": form.named(one.name),
            }
            for one in feed.types
        ]
    }


def _snapshots(feed: FleetFeed, form: Version, truth: bool) -> Iterator[list[str]]:
    """Of each poll, the vehicles as JSON objects, in the order of their identifiers."""
    first, end = feed.shown
    seen = np.flatnonzero(first < end)
    begin = grouped(first[seen], feed.n_polls)
    gone = grouped(end[seen], feed.n_polls + 1)
    vehicle = feed.reports.vehicle[seen]
    shown: dict[int, str] = {}
    for poll in range(feed.n_polls):
        now = np.array([poll])
        for one in vehicle[of_groups(gone, now)].tolist():
            del shown[one]
        new = of_groups(begin, now)
        shown.update(zip(vehicle[new].tolist(), _texts(feed, seen[new], form, truth), strict=True))
        texts = list(shown.values())
        if feed.rotates_each_poll:
            numbers = np.fromiter(shown, np.int64, len(shown)) + poll * feed.n_vehicles
            names = zip(texts, feed.names(numbers), strict=True)
            texts = [text.replace(_PLACEHOLDER, name) for text, name in names]
        yield sorted(texts)


def _texts(feed: FleetFeed, rows: Ints, form: Version, truth: bool) -> list[str]:
    """Reports as JSON objects, the identifier first."""
    some = feed.reports.take(rows)
    later = feed.rotates_each_poll
    names = [_PLACEHOLDER] * len(some) if later else feed.names(some.identifier)
    tokens = feed.names(some.vehicle + _TOKENS) if feed.keeps_uri else names
    kinds = [f'"vehicle_type_id":"{one.name}"' for one in feed.types]
    most = np.array([one.max_range or 0 for one in feed.types])[some.kind]
    reach = np.nan_to_num(some.battery * most).astype(np.int64).tolist()
    states = [f'"is_reserved":{one},"is_disabled":{two}' for one in _BOOLS for two in _BOOLS]
    state = (2 * some.reserved + some.disabled).tolist()
    columns = zip(
        names,
        some.lat.tolist(),
        some.lon.tolist(),
        [states[one] for one in state],
        [kinds[one] for one in some.kind.tolist()],
        [
            f',"current_range_meters":{metres},"current_fuel_percent":{share:.2f}' if most else ""
            for metres, share, most in zip(reach, some.battery.tolist(), most.tolist(), strict=True)
        ],
        form.times(some.last_reported),
        tokens,
        [f',"{TRUTH}":{one}' if truth else "" for one in some.vehicle.tolist()],
        strict=True,
    )
    return [
        f'{{"{form.identifier}":"{name}","lat":{lat:.6f},"lon":{lon:.6f},{state},{kind}{charge}'
        f',"last_reported":{reported},"rental_uris":{{"web":"https://fleet.example/{token}"}}'
        f"{true}}}"
        for name, lat, lon, state, kind, charge, reported, token, true in columns
    ]


_BOOLS = ("false", "true")
