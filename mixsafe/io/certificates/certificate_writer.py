"""Certificates to folders: several problems in one, columns in pieces, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.certificates.manifest import FORMER, NAME, write_manifest
from mixsafe.io.certificates.stored_columns import TABLES, Columns, TableWriter
from mixsafe.io.files.atomic import replaced_folder
from mixsafe.model.answer.breaking_proof import BreakingProof
from mixsafe.model.answer.certificate import Audited, Certificate, Claims, Witnesses
from mixsafe.model.answer.minimum_proof import ChosenZones
from mixsafe.model.answer.proof import ClauseProofs, Closures
from mixsafe.model.answer.ragged import Ragged
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.fingerprint import fingerprint
from mixsafe.model.question.requirement import Requirements
from mixsafe.version import __version__

_OURS = {NAME, *FORMER, *(f"{table}.parquet" for table in TABLES)}


def check_folder(folder: Path) -> None:
    """Refuse a folder for certificates that cannot be made or used, before any long work.

    Raises
    ------
    InputError
        It is a file, it holds something that is no certificate, or it cannot be made or written to.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError("certificates need a folder, and this is a file", file=folder)
    if not folder.absolute().parent.is_dir():
        raise InputError("the folder that it is to be in does not exist", file=folder)
    place = folder if folder.exists() else folder.absolute().parent
    if not (os.access(place, os.W_OK) and os.access(folder.absolute().parent, os.W_OK)):
        raise InputError("certificates cannot be written there", file=folder)
    if folder.is_dir() and any(one.name not in _OURS for one in folder.iterdir()):
        raise InputError(
            "the folder holds something else than a certificate",
            file=folder,
            hint="name another one, or empty it",
        )


def write_certificates(folder: str | os.PathLike[str], certificates: Iterable[Certificate]) -> Path:
    """Write certificates into a folder, in the place of those that it holds.

    Parameters
    ----------
    folder
        Is made if it is missing.
    certificates
        One for each problem; each is made when it is its turn.

    Raises
    ------
    InputError
        The folder holds something else, cannot be written, or there are no certificates.
    """
    check_folder(Path(folder))
    with replaced_folder(folder) as draft:
        with ExitStack() as stack:
            writers = {table: TableWriter(draft, table) for table in TABLES}
            for writer in writers.values():
                stack.callback(writer.close)
            parts = [_write(certificate, writers) for certificate in certificates]
        if not parts:
            raise InputError("there is nothing to certify")
        write_manifest(draft, __version__, parts)
    return Path(folder)


def _write(certificate: Certificate, writers: dict[str, TableWriter]) -> dict[str, Any]:
    """Write one; returns what the manifest says of it."""
    before = {table: writer.rows for table, writer in writers.items()}
    problem = certificate.problem
    zones, known = problem.zones, problem.knowledge
    kind = _kind(zones.users)
    if kind != "counted":
        writers["users"].add(_name_columns(zones.users))
    members = Ragged(zones.ptr, zones.members)
    writers["zones"].add({"time": zones.time, "users": members})
    writers["sightings"].add({"user": known.row, "time": known.time})
    if problem.requirements is not None:
        writers["requirements"].add(_requirement_columns(problem.requirements))
    writers["claims"].add(_claim_columns(certificate.claims))
    for piece in certificate.witnesses.pieces():
        writers["witnesses"].add(_witness_columns(piece))
    writers["closures"].add(_closure_columns(certificate.closures))
    writers["clause_proofs"].add(_clause_proof_columns(certificate.clause_proofs))
    audited, chosen, breaking = certificate.audited, certificate.chosen, certificate.breaking
    if audited is not None:
        _write_audited(audited, writers)
    if chosen is not None:
        _write_chosen(chosen, writers)
    if breaking is not None:
        _write_breaking(breaking, writers)
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
        "k": certificate.k,
        "rule": str(certificate.rule),
        "rule_by_default": certificate.rule.by_default,
        "engine": certificate.engine,
        "weight": None if chosen is None else chosen.weight,
        "bound": None if chosen is None else chosen.bound,
        "breaking": None if breaking is None else breaking.sightings,
        "away": None if breaking is None else breaking.away,
        "problem": fingerprint(problem, None if audited is None else audited.seen),
        "rows": {table: writer.rows - before[table] for table, writer in writers.items()},
    }


def _write_audited(audited: Audited, writers: dict[str, TableWriter]) -> None:
    """Write what makes it the certificate of an audit."""
    pins = audited.seen.pins
    writers["known"].add(_name_columns(audited.seen.users))
    tracks = Ragged(pins.ptr, pins.rows)
    writers["pins"].add({"user": pins.token, "time": pins.time, "tracks": tracks})
    writers["base"].add(_witness_columns(audited.base))


def _write_chosen(chosen: ChosenZones, writers: dict[str, TableWriter]) -> None:
    """Write what makes it the certificate of a minimum set of zones."""
    cores = chosen.cores
    writers["chosen"].add({"zone": chosen.zones})
    writers["cores"].add(
        {
            "requirement": cores.requirement,
            "zones": cores.off,
            "candidates": cores.left,
            "closures": cores.n_closures,
            "clause_proofs": cores.n_refutations,
        }
    )
    writers["core_closures"].add(_closure_columns(cores.closures))
    writers["core_clause_proofs"].add(_clause_proof_columns(cores.refutations))
    writers["count"].add({"number": chosen.count})


def _write_breaking(proof: BreakingProof, writers: dict[str, TableWriter]) -> None:
    """Write what makes it the certificate of breaking numbers."""
    broken = proof.broken
    about = {"user": proof.row, "from": proof.start, "to": proof.end}
    writers["targets"].add({**about, "lower": proof.lower, "sizes": proof.sizes})
    writers["broken"].add(
        {
            "target": broken.target,
            "users": broken.row,
            "times": broken.time,
            "unsafe": broken.n_unsafe,
            "closures": broken.n_closures,
            "clause_proofs": broken.n_refutations,
        }
    )
    too_few = {"candidates": broken.left, "proof": broken.proof}
    writers["broken_unsafe"].add({"time": broken.step, "k": broken.k, **too_few})
    writers["broken_closures"].add(_closure_columns(broken.closures))
    writers["broken_clause_proofs"].add(_clause_proof_columns(broken.refutations))


def _name_columns(users: Names) -> Columns:
    return {"user_id": pa.array([str(one) for one in users.tolist()], pa.string())}


def _kind(users: Names, counted: str = "counted") -> str:
    """How users are called: by whole numbers from 0 on, by other whole numbers, or by texts."""
    listed = users.tolist()
    if any(type(one) is not int for one in listed):
        return "texts"
    return counted if listed == list(range(len(listed))) else "integers"


def _requirement_columns(asked: Requirements) -> Columns:
    return {"user": asked.row, "time": asked.time, "k": asked.k}


def _claim_columns(claims: Claims) -> Columns:
    return {
        "user": claims.row,
        "from": claims.start,
        "to": claims.end,
        "k": claims.k,
        "verdict": claims.verdict,
        "decided_by": claims.decided_by,
        "witnesses": claims.witnesses,
        "candidates": claims.candidates,
        "proof": claims.proof,
    }


def _witness_columns(piece: Witnesses) -> Columns:
    moved = piece.rows.ptr[piece.ptr]  # where the rows of each witness begin
    return {
        "times": Ragged(piece.ptr, piece.time),
        "sizes": Ragged(piece.ptr, piece.rows.sizes.astype(np.int32)),
        "users": Ragged(moved, piece.rows.values),
        "tokens": Ragged(moved, piece.tokens.values),
    }


def _closure_columns(closures: Closures) -> Columns:
    return {"time": closures.time, "users": closures.rows, "tokens": closures.tokens}


def _clause_proof_columns(proofs: ClauseProofs) -> Columns:
    return {
        "user": proofs.row,
        "time": proofs.step,
        "begin": proofs.begin,
        "end": proofs.end,
        "tracked": proofs.tracked,
        "off": proofs.off,
        "needed": proofs.needed,
        "lemmas": proofs.lemmas,
    }
