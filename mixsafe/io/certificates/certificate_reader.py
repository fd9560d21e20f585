"""Reads certificates from folders; witnesses are read on demand, one row group at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn, overload

import numpy as np

from mixsafe.errors import InputError
from mixsafe.io.certificates.certificate_folder import (
    FORMER,
    NAME,
    TABLES,
    Manifest,
    StoredTable,
    former,
    read_manifest,
)
from mixsafe.machinery.memory import check_fits
from mixsafe.model.answer.certificate import (
    Audited,
    Certificate,
    ChosenZones,
    Claims,
    ClauseProofs,
    HallSets,
    Witnesses,
    ZoneCores,
)
from mixsafe.model.csr import Ints, Ragged, pointers
from mixsafe.model.mobility.published_steps import PublishedSteps
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.adversary import Knowledge, Pins, Seen
from mixsafe.model.question.mix_zones import MixZones, Relation
from mixsafe.model.question.places import MOST_COST, ZonePlaces
from mixsafe.model.question.problem import Problem, fingerprint
from mixsafe.model.question.requirement import NO_K, Requirements, Rule, check_k, outside_k


@dataclass(frozen=True, eq=False)
class StoredWitnesses:
    """Witnesses in a file: rows ``begin`` to ``end - 1`` of a table."""

    table: StoredTable
    begin: int
    end: int

    def __len__(self) -> int:
        return self.end - self.begin

    def pieces(self) -> Iterator[Witnesses]:
        """Yield witnesses, one row group of the file at a time.

        Raises
        ------
        InputError
            The numbers of rows and tokens do not fit the exchanges of a witness.
        """
        for times, sizes, rows, tokens in self.table.parts(self.begin, self.end):
            ptr = pointers(sizes.values)
            fits = np.array_equal(times.ptr, sizes.ptr) and not np.any(sizes.values < 0)
            if not fits or not np.array_equal(ptr[sizes.ptr], rows.ptr):
                self._refuse("the rows do not fit the exchanges")
            if not np.array_equal(rows.ptr, tokens.ptr):
                self._refuse("the exchanges do not have one token per row")
            made = Ragged(ptr, rows.values), Ragged(ptr, tokens.values)
            yield Witnesses(times.ptr, times.values, *made)

    def _refuse(self, message: str) -> NoReturn:
        raise InputError(message, file=self.table.path)


_USER_BYTES = 70
"""Approximate memory per user while a certificate is replayed, bytes."""


def read_certificates(path: str | os.PathLike[str]) -> Certificates:
    """Open the certificates of a folder, given by the folder or by its manifest.

    Raises
    ------
    InputError
        There is no certificate, its format is an older one, its content does not match its
        hashes, or its values are invalid.
    """
    folder = Path(path)
    if folder.name == NAME and folder.is_file():
        folder = folder.parent
    is_former = folder.name in FORMER or any((folder / name).exists() for name in FORMER)
    if is_former and not (folder / NAME).exists():
        raise former(Path(path))
    if not (folder / NAME).exists():
        raise InputError(
            "no certificate found", file=path, hint="give a folder written by --certificates"
        )
    return Certificates(folder, read_manifest(folder))


class Certificates(Sequence[Certificate]):
    """The certificates of a folder, each read on demand.

    Parameters
    ----------
    folder
        The folder.
    manifest
        Its manifest.

    Raises
    ------
    InputError
        A table has other columns or another number of rows than the format requires.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.manifest = manifest
        self._folder = folder
        self._tables = {table: StoredTable(folder, table) for table in TABLES}
        self._first = {
            table: np.cumsum([0, *(part["rows"][table] for part in manifest.parts)])
            for table in TABLES
        }
        for table, first in self._first.items():
            if first[-1] != len(self._tables[table]):
                raise InputError(f"some rows of '{table}' belong to no problem", file=folder)

    def __len__(self) -> int:
        return len(self.manifest.parts)

    @overload
    def __getitem__(self, number: int) -> Certificate: ...

    @overload
    def __getitem__(self, number: slice) -> list[Certificate]: ...

    def __getitem__(self, number: int | slice) -> Certificate | list[Certificate]:
        """Read one certificate, or a slice of them.

        Raises
        ------
        InputError
            A value is invalid.
        """
        if isinstance(number, slice):
            return [self[n] for n in range(*number.indices(len(self)))]
        n = range(len(self))[number]
        try:
            return _Stored(self._tables, self._first, n, self.manifest.parts[n]).certificate(
                self.manifest.version
            )
        except InputError as error:
            if error.file is not None:
                raise
            raise InputError(error.message, file=self._folder, hint=error.hint) from None


@dataclass(frozen=True)
class _Stored:
    """One certificate of several.

    Parameters
    ----------
    tables, first
        All tables, and the first row of each problem in them.
    number, part
        Index of the problem, and its entry in the manifest.
    """

    tables: dict[str, StoredTable]
    first: dict[str, Ints]
    number: int
    part: dict[str, Any]

    def _bounds(self, table: str) -> tuple[int, int]:
        begin, end = self.first[table][self.number : self.number + 2].tolist()
        return begin, end

    def _rows(self, table: str) -> list[Any]:
        return self.tables[table].rows(*self._bounds(table))

    def certificate(self, version: str) -> Certificate:
        """Build the certificate; its witnesses stay on disk."""
        self._check_memory()
        part, problem, audited = self.part, self._problem, self._audited()
        seen = None if audited is None else audited.seen
        if fingerprint(problem, seen) != part["problem"]:
            raise InputError("the problem does not match its hash")
        return Certificate(
            problem,
            replace(Rule.parse(part["rule"]), by_default=part["rule_by_default"]),
            part["k"],
            Claims(*self._rows("claims")),
            StoredWitnesses(self.tables["witnesses"], *self._bounds("witnesses")),
            *self._proofs(),
            audited,
            self._chosen(),
            part["adversary"],
            part["engine"],
            version,
        )

    def _check_memory(self) -> None:
        """Refuse a certificate larger than memory; of the witnesses one row group is loaded."""
        needed = self.part["users"] * _USER_BYTES
        for name, table in self.tables.items():
            groups = table.memory(*self._bounds(name))
            needed += max(groups, default=0) if name == "witnesses" else sum(groups)
        check_fits(self.tables["claims"].path.parent, needed)

    @cached_property
    def _problem(self) -> Problem:
        part = self.part
        axis = TimeAxis(part["steps"], part["first"], part["step_seconds"], part["tz"])
        (time, met), seen = self._rows("zones"), self._rows("sightings")
        row, at, k = self._rows("requirements")
        requirements = None
        if part["k"] is not None:
            check_k(part["k"])
        if np.any(outside_k(k)):
            raise InputError(f"a requirement's k {NO_K}")
        if part["k"] is None:
            requirements = Requirements(row, at, k)
        elif len(k):
            raise InputError("the certificate has both a k for all users and requirements")
        zones = MixZones(
            self._users(), axis, time, met.ptr, met.values, absent=self._absent(),
            published=self._published(),
        )  # fmt: skip
        return Problem(
            part["name"],
            replace(zones, relation=self._relation(zones)),
            Knowledge(seen[0], seen[1], part["distinct"]),
            requirements,
        )

    def _relation(self, zones: MixZones) -> Relation | None:
        """On which rows members may leave; None: all zones allow all pairs."""
        zone, user, leaves = self._rows("pairs")
        if not len(zone):
            return None
        restricted = np.unique(zone)
        if restricted[0] < 0 or restricted[-1] >= len(zones):
            raise InputError("a pair is of a zone that does not exist")
        owner = leaves.owner
        come, leave = zones.places_of(zone, user), zones.places_of(zone[owner], leaves.values)
        if np.any(come < 0) or np.any(leave < 0):
            raise InputError("a pair is of a user who is no member of the zone")
        return Relation.of(zones.ptr, restricted.astype(np.int64), come[owner], leave)

    def _users(self) -> Names:
        kind, n = self.part["user_ids"], self.part["users"]
        if kind not in ("counted", "integers", "texts"):
            raise InputError(f"unknown kind of user names '{kind}'")
        if n < 0:
            raise InputError(f"the number of users is negative: {n}")
        if kind == "counted":
            return np.arange(n, dtype=np.int64)
        (names,) = self._rows("users")
        if len(names) != n:
            raise InputError(f"{len(names)} names for {n} users")
        return _named(names, kind)

    def _audited(self) -> Audited | None:
        """The audit's part of the certificate; None: it is no audit."""
        (known,), (user, time, tracks) = self._rows("known"), self._rows("pins")
        kind = self.part["known_ids"]
        base = list(StoredWitnesses(self.tables["base"], *self._bounds("base")).pieces())
        if kind is None:
            if base or len(known) or len(user):
                raise InputError("a publisher's certificate contains data of an audit")
            return None
        if kind not in ("integers", "texts"):
            raise InputError(f"unknown kind of names of known users '{kind}'")
        if len(base) != 1 or len(base[0]) != 1:
            raise InputError("an audit needs exactly one initial assignment")
        sightings = Pins(user, time, tracks.ptr, tracks.values)
        return Audited(Seen(_named(known, kind), sightings), base[0])

    def _published(self) -> PublishedSteps | None:
        """Published steps of each user; None: all are."""
        (on,) = self._rows("published")
        if not len(on):
            return None
        if len(on) != self.part["users"] or np.any(on.values < 1):
            raise InputError("the published steps are not steps of each user, in order")
        ptr = on.ptr.astype(np.int64)
        total = np.concatenate([[0], np.cumsum(on.values, dtype=np.int64)])
        step = total[1:] - np.repeat(total[ptr[:-1]], np.diff(ptr))
        if len(step) and step.max() > self.part["steps"]:
            raise InputError("a published step is after the last one")
        return PublishedSteps(ptr, step.astype(np.int32))

    def _absent(self) -> Ints:
        rows = self.part["absent"]
        if any(type(row) is not int or not 0 <= row < self.part["users"] for row in rows):
            raise InputError("'absent' lists numbers that are no users")
        return np.array(rows, np.int64)

    def _proofs(self, of: str = "") -> tuple[HallSets, ClauseProofs]:
        """Hall sets and clause proofs, from the two tables with this prefix."""
        hall_sets, refutations = self._rows(f"{of}closures"), self._rows(f"{of}clause_proofs")
        return HallSets(*hall_sets), ClauseProofs(*refutations)

    def _chosen(self) -> ChosenZones | None:
        """The minimum set of zones; None: the certificate is about all zones."""
        weight, bound = self.part["weight"], self.part["bound"]
        (zones,), cores, (count,) = (self._rows(name) for name in ("chosen", "cores", "count"))
        proofs, places = self._proofs("core_"), self._places()
        columns: list[Any] = [*cores, *proofs]
        if weight is None or bound is None:
            more = places is not None or any(map(len, (zones, cores[0], count, *proofs)))
            if weight is not bound or more:
                raise InputError("a certificate about all zones contains data of a minimum set")
            return None
        return ChosenZones(zones, weight, bound, ZoneCores(*columns), count, places)

    def _places(self) -> ZonePlaces | None:
        """Places that are chosen, and their costs; None: there are none."""
        names, costs = self.part["places"], self.part["costs"]
        (of,) = self._rows("zone_places")
        if names is None or costs is None:
            if names is not costs or len(of):
                raise InputError("the certificate has zones at places without names or costs")
            return None
        if any(type(name) not in (int, str) for name in names):
            raise InputError("the name of a place is neither a text nor an integer")
        if any(type(cost) is not int or not 0 <= cost <= MOST_COST for cost in costs):
            raise InputError(f"the cost of a place is not an integer from 0 to {MOST_COST:,}")
        return ZonePlaces(tuple(names), of.astype(np.int64), np.array(costs, np.int64))


def _named(names: list[str], kind: str) -> Names:
    """Array of user names, texts or integers."""
    if kind == "texts":
        found: Names = np.array(names, object)
    else:
        try:
            found = np.array([int(name) for name in names], np.int64)
        except (OverflowError, ValueError):
            raise InputError("a user name is not a 64-bit integer") from None
    if len(set(found.tolist())) < len(found):  # 7 and 07 are one name
        raise InputError("a user name occurs twice")
    return found
