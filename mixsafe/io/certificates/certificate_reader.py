"""Certificates from folders; witnesses are read when they are needed, piece by piece."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np

from mixsafe.errors import InputError
from mixsafe.io.certificates.manifest import FORMER, NAME, Manifest, former, read_manifest
from mixsafe.io.certificates.stored_columns import TABLES, StoredTable
from mixsafe.io.certificates.stored_witnesses import StoredWitnesses
from mixsafe.io.files.content import check_fits
from mixsafe.model.answer.breaking_proof import BreakingProof, BrokenTargets
from mixsafe.model.answer.certificate import Audited, Certificate, Claims
from mixsafe.model.answer.minimum_proof import ChosenZones, ZoneCores
from mixsafe.model.answer.proof import ClauseProofs, HallSets
from mixsafe.model.answer.ragged import Ints
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.adversary import Knowledge, Pins, Seen
from mixsafe.model.question.fingerprint import fingerprint
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import NO_K, Requirements, Rule, check_k, outside_k

_USER_BYTES = 70
"""Memory for each user while a certificate is replayed, bytes, about."""


def read_certificates(path: str | os.PathLike[str]) -> Certificates:
    """Certificates of a folder, or of the folder that a manifest is in.

    Raises
    ------
    InputError
        There is no certificate, it is one of an older format, its content is not what was sealed,
        or there is no sense in it.
    """
    folder = Path(path)
    if folder.name == NAME and folder.is_file():
        folder = folder.parent
    is_former = folder.name in FORMER or any((folder / name).exists() for name in FORMER)
    if is_former and not (folder / NAME).exists():
        raise former(Path(path))
    if not (folder / NAME).exists():
        raise InputError(
            "there is no certificate", file=path, hint="name a folder of --certificates"
        )
    return Certificates(folder, read_manifest(folder))


class Certificates(Sequence[Certificate]):
    """The certificates of a folder; each is read when it is asked for.

    Parameters
    ----------
    folder
        Where they are.
    manifest
        What it says of them.

    Raises
    ------
    InputError
        A table is not one of a certificate, or has more or fewer rows than it should have.
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
                raise InputError(f"not all rows of '{table}' belong to a problem", file=folder)

    def __len__(self) -> int:
        return len(self.manifest.parts)

    @overload
    def __getitem__(self, number: int) -> Certificate: ...

    @overload
    def __getitem__(self, number: slice) -> list[Certificate]: ...

    def __getitem__(self, number: int | slice) -> Certificate | list[Certificate]:
        """One of them, or some.

        Raises
        ------
        InputError
            There is no sense in it.
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
        All rows, and where those of each problem begin.
    number, told
        Which problem, and what the manifest says of it.
    """

    tables: dict[str, StoredTable]
    first: dict[str, Ints]
    number: int
    told: dict[str, Any]

    def _bounds(self, table: str) -> tuple[int, int]:
        begin, end = self.first[table][self.number : self.number + 2].tolist()
        return begin, end

    def _rows(self, table: str) -> list[Any]:
        return self.tables[table].rows(*self._bounds(table))

    def certificate(self, version: str) -> Certificate:
        """The certificate; its witnesses stay where they are."""
        self._check_memory()
        told, problem, audited = self.told, self._problem, self._audited()
        seen = None if audited is None else audited.seen
        if fingerprint(problem, seen) != told["problem"]:
            raise InputError("its problem is not the one that its hash says")
        return Certificate(
            problem,
            replace(Rule.parse(told["rule"]), by_default=told["rule_by_default"]),
            told["k"],
            Claims(*self._rows("claims")),
            StoredWitnesses(self.tables["witnesses"], *self._bounds("witnesses")),
            *self._proofs(),
            audited,
            self._chosen(),
            self._breaking(),
            told["adversary"],
            told["engine"],
            version,
        )

    def _check_memory(self) -> None:
        """Refuse what does not fit into memory; of witnesses, no more than a group is there."""
        needed = self.told["users"] * _USER_BYTES
        for name, table in self.tables.items():
            groups = table.memory(*self._bounds(name))
            needed += max(groups, default=0) if name == "witnesses" else sum(groups)
        check_fits(self.tables["claims"].path.parent, needed)

    @cached_property
    def _problem(self) -> Problem:
        told = self.told
        axis = TimeAxis(told["steps"], told["first"], told["step_seconds"], told["tz"])
        (time, met), seen = self._rows("zones"), self._rows("sightings")
        row, at, k = self._rows("requirements")
        requirements = None
        if told["k"] is not None:
            check_k(told["k"])
        if np.any(outside_k(k)):
            raise InputError(f"a requirement's k {NO_K}")
        if told["k"] is None:
            requirements = Requirements(row, at, k)
        elif len(k):
            raise InputError("k is asked of everybody, and there are requirements as well")
        return Problem(
            told["name"],
            MixZones(
                self._users(),
                axis,
                time,
                met.ptr,
                met.values,
                absent=self._absent(),
            ),
            Knowledge(*seen),
            requirements,
        )

    def _users(self) -> Names:
        kind, n = self.told["user_ids"], self.told["users"]
        if kind not in ("counted", "integers", "texts"):
            raise InputError(f"users cannot be called by '{kind}'")
        if n < 0:
            raise InputError(f"the number of users, {n}, is below 0")
        if kind == "counted":
            return np.arange(n, dtype=np.int64)
        (names,) = self._rows("users")
        if len(names) != n:
            raise InputError("there are not as many names as users")
        return _named(names, kind)

    def _audited(self) -> Audited | None:
        """What makes it the certificate of an audit, if it is one."""
        (known,), (user, time, tracks) = self._rows("known"), self._rows("pins")
        kind = self.told["known_ids"]
        base = list(StoredWitnesses(self.tables["base"], *self._bounds("base")).pieces())
        if kind is None:
            if base or len(known) or len(user):
                raise InputError("a publisher's question has what belongs to an audit")
            return None
        if kind not in ("integers", "texts"):
            raise InputError(f"known users cannot be called by '{kind}'")
        if len(base) != 1 or len(base[0]) != 1:
            raise InputError("an audit needs one assignment to begin with")
        sightings = Pins(user, time, tracks.ptr, tracks.values)
        return Audited(Seen(_named(known, kind), sightings), base[0])

    def _absent(self) -> Ints:
        rows = self.told["absent"]
        if any(type(row) is not int or not 0 <= row < self.told["users"] for row in rows):
            raise InputError("those of whom there are no data are not among its users")
        return np.array(rows, np.int64)

    def _proofs(self, of: str = "") -> tuple[HallSets, ClauseProofs]:
        """Closures and proofs by clauses, in two tables whose names begin so."""
        hall_sets, refutations = self._rows(f"{of}closures"), self._rows(f"{of}clause_proofs")
        return HallSets(*hall_sets), ClauseProofs(*refutations)

    def _chosen(self) -> ChosenZones | None:
        """What makes it the certificate of a minimum set of zones, if it is one."""
        weight, bound = self.told["weight"], self.told["bound"]
        (zones,), cores, (count,) = (self._rows(name) for name in ("chosen", "cores", "count"))
        proofs = self._proofs("core_")
        columns: list[Any] = [*cores, *proofs]
        if weight is None or bound is None:
            if weight is not bound or any(map(len, (zones, cores[0], count, *proofs))):
                raise InputError("what all zones are asked of has what belongs to a minimum set")
            return None
        return ChosenZones(zones, weight, bound, ZoneCores(*columns), count)

    def _breaking(self) -> BreakingProof | None:
        """What makes it the certificate of breaking numbers, if it is one."""
        sightings, away = self.told["breaking"], self.told["away"]
        about, broken, unsafe = (
            self._rows(name) for name in ("targets", "broken", "broken_unsafe")
        )
        proofs = self._proofs("broken_")
        if sightings is None:
            if away is not None or any(map(len, (about[0], broken[0], unsafe[0], *proofs))):
                raise InputError("what is asked of users has what belongs to breaking numbers")
            return None
        columns: list[Any] = [*broken, *unsafe, *proofs]
        fields: list[Any] = [sightings, away, *about, BrokenTargets(*columns)]
        return BreakingProof(*fields)


def _named(names: list[str], kind: str) -> Names:
    """Users by their names, which are texts or whole numbers."""
    if kind == "texts":
        made: Names = np.array(names, object)
    else:
        try:
            made = np.array([int(name) for name in names], np.int64)
        except (OverflowError, ValueError):
            raise InputError("a name is no whole number") from None
    if len(set(made.tolist())) < len(made):  # 7 and 07 are one name
        raise InputError("there is a name twice")
    return made
