"""Writes certificates of several problems into one folder, atomically."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.certificates.certificate_folder import (
    FORMER,
    GROUP,
    NAME,
    TABLES,
    Column,
    TableWriter,
    write_manifest,
)
from mixsafe.machinery.files import replaced_folder, secret
from mixsafe.model.answer.certificate import Audited, Certificate, ChosenZones, Witnesses
from mixsafe.model.csr import Ints, Ragged, Whole, pointers, ranges
from mixsafe.model.mobility.published_steps import PublishedSteps
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import fingerprint
from mixsafe.version import __version__

_OURS = {NAME, *FORMER, *(f"{table}.parquet" for table in TABLES)}


def check_folder(folder: Path) -> None:
    """Refuse an unusable output folder before any long computation.

    Raises
    ------
    InputError
        It is a file, it contains other files, or it cannot be created or written.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError("this is a file; certificates need a folder", file=folder)
    if not folder.absolute().parent.is_dir():
        raise InputError("the parent folder does not exist", file=folder)
    place = folder if folder.exists() else folder.absolute().parent
    if not (os.access(place, os.W_OK) and os.access(folder.absolute().parent, os.W_OK)):
        raise InputError("the folder is not writable", file=folder)
    if folder.is_dir() and any(one.name not in _OURS for one in folder.iterdir()):
        raise InputError(
            "the folder contains files other than a certificate",
            file=folder,
            hint="give another folder or empty this one",
        )


@secret()
def write_certificates(
    folder: str | os.PathLike[str], certificates: Iterable[Certificate], group: int = GROUP
) -> Path:
    """Write certificates into a folder for its owner alone, replacing those in it.

    Parameters
    ----------
    folder
        Created if missing.
    certificates
        One for each problem, consumed lazily.
    group
        Values of a row group of a table, about: what is read at once.

    Raises
    ------
    InputError
        The folder contains other files, cannot be written, or there are no certificates.
    """
    check_folder(Path(folder))
    with replaced_folder(folder) as draft:
        with ExitStack() as stack:
            writers = {table: TableWriter(draft, table, group) for table in TABLES}
            for writer in writers.values():
                stack.callback(writer.close)
            parts = [_write(certificate, writers) for certificate in certificates]
        if not parts:
            raise InputError("there is no problem to certify")
        write_manifest(draft, __version__, parts)
    return Path(folder)


def _write(certificate: Certificate, writers: dict[str, TableWriter]) -> dict[str, Any]:
    """Write one certificate; return its entry in the manifest."""
    before = {table: writer.rows for table, writer in writers.items()}
    problem = certificate.problem
    zones, known = problem.zones, problem.knowledge
    kind = _kind(zones.users)
    if kind != "counted":
        writers["users"].add(_names(zones.users))
    if zones.published is not None:
        writers["published"].add(_steps_on(zones.published))
    writers["zones"].add(zones.time, Ragged(zones.ptr, zones.members))
    writers["pairs"].add(*_pairs(zones))
    writers["sightings"].add(known.row, known.time)
    if problem.requirements is not None:
        writers["requirements"].add(*_columns(problem.requirements))
    writers["claims"].add(*_columns(certificate.claims))
    for piece in certificate.witnesses.pieces():
        writers["witnesses"].add(*_witness_columns(piece))
    writers["closures"].add(*_columns(certificate.hall_sets))
    writers["clause_proofs"].add(*_columns(certificate.clause_proofs))
    audited, chosen = certificate.audited, certificate.chosen
    places = None if chosen is None else chosen.places
    if audited is not None:
        _write_audited(audited, writers)
    if chosen is not None:
        _write_chosen(chosen, writers)
    return {
        "name": problem.name,
        "users": zones.n_users,
        "user_ids": kind,
        "absent": zones.absent.tolist(),
        "known_ids": None if audited is None else _kind(audited.seen.users, counted="integers"),
        "steps": zones.axis.steps,
        "first": zones.axis.first,
        "step_seconds": zones.axis.step_seconds,
        "tz": zones.axis.tz,
        "adversary": certificate.adversary,
        "distinct": known.distinct,
        "k": certificate.k,
        "rule": str(certificate.rule),
        "rule_by_default": certificate.rule.by_default,
        "engine": certificate.engine,
        "weight": None if chosen is None else chosen.weight,
        "bound": None if chosen is None else chosen.bound,
        "places": None if places is None else list(places.names),
        "costs": None if places is None else places.cost.tolist(),
        "problem": fingerprint(problem, None if audited is None else audited.seen),
        "rows": {table: writer.rows - before[table] for table, writer in writers.items()},
    }


def _steps_on(published: PublishedSteps) -> Ragged:
    """How many steps each published step of a user is after the one before it: small numbers."""
    steps = np.diff(published.step, prepend=np.int32(0))
    first = published.ptr[:-1][published.counts > 0]
    steps[first] = published.step[first]
    return Ragged(published.ptr, steps)


def _pairs(zones: MixZones) -> tuple[Ints, Whole, Ragged]:
    """Zone, member, and on whose rows it may leave, where a zone does not allow all pairs."""
    if zones.relation is None:
        none = np.zeros(0, np.int32)
        return none.astype(np.int64), none, Ragged.empty(0)
    restricted, size = zones.relation.zones, zones.sizes
    own = ranges(zones.ptr[restricted], size[restricted])
    one, other = zones.relation.pairs(zones.ptr)
    one, other = np.concatenate([own, one]), np.concatenate([own, other])
    order = np.lexsort((other, one))
    leaves = Ragged(pointers(np.bincount(one)[own]), zones.members[other[order]])
    return np.repeat(restricted, size[restricted]), zones.members[own], leaves


def _write_audited(audited: Audited, writers: dict[str, TableWriter]) -> None:
    """Write the tables of an audit."""
    pins = audited.seen.pins
    writers["known"].add(_names(audited.seen.users))
    writers["pins"].add(pins.token, pins.time, Ragged(pins.ptr, pins.rows))
    writers["base"].add(*_witness_columns(audited.base))


def _write_chosen(chosen: ChosenZones, writers: dict[str, TableWriter]) -> None:
    """Write the tables of a minimum set of zones."""
    *cores, hall_sets, refutations = _columns(chosen.cores)
    writers["chosen"].add(chosen.zones)
    writers["cores"].add(*cores)
    writers["core_closures"].add(*_columns(hall_sets))
    writers["core_clause_proofs"].add(*_columns(refutations))
    writers["count"].add(chosen.count)
    if chosen.places is not None:
        writers["zone_places"].add(chosen.places.of)


def _columns(record: Any) -> list[Any]:  # noqa: ANN401 -- any record of columns
    """The fields of a record, in the order of its table's columns."""
    return [getattr(record, field.name) for field in fields(record)]


def _names(users: Names) -> pa.Array:
    return pa.array([str(one) for one in users.tolist()], pa.string())


def _kind(users: Names, counted: str = "counted") -> str:
    """Kind of user names: ``counted`` (0, 1, …), other ``integers``, or ``texts``."""
    listed = users.tolist()
    if any(type(one) is not int for one in listed):
        return "texts"
    return counted if listed == list(range(len(listed))) else "integers"


def _witness_columns(piece: Witnesses) -> tuple[Column, ...]:
    moved = piece.rows.ptr[piece.ptr]  # first row of each witness
    return (
        Ragged(piece.ptr, piece.time),
        Ragged(piece.ptr, piece.rows.sizes.astype(np.int32)),
        Ragged(moved, piece.rows.values),
        Ragged(moved, piece.tokens.values),
    )
