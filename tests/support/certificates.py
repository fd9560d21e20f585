"""Certificates by hand: claims and exchanges one by one, and the columns that they make."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from mixsafe.io.certificates.certificate_folder import TABLES, file_of, hash_of, seal_of
from mixsafe.model.answer.certificate import Certificate, Claims, Witnesses
from mixsafe.model.answer.verdict import DECISIONS, Argument, Verdict
from mixsafe.model.csr import Ragged
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Rule

_ARGUMENTS = {argument.word: argument for argument in Argument}


class Exchange(NamedTuple):
    """At step ``time``, in one mix zone, ``rows`` come to hold ``tokens``, in this order."""

    time: int
    rows: tuple[int, ...]
    tokens: tuple[int, ...]


Witness = tuple[Exchange, ...]


@dataclass(frozen=True)
class Claim:
    """A verdict on one user during some steps."""

    row: int
    start: int
    end: int
    k: int
    verdict: Verdict
    witnesses: tuple[int, ...] = ()
    candidates: tuple[int, ...] = ()
    decided_by: str = "-"
    proof: int = -1


@dataclass(frozen=True)
class Written:
    """What a certificate is to hold."""

    problem: Problem
    rule: Rule
    k: int | None
    claims: tuple[Claim, ...]
    witnesses: tuple[Witness, ...] = field(default=())

    @property
    def certificate(self) -> Certificate:
        """The same in columns."""
        made = claims_of(self.claims), witnesses_of(self.witnesses)
        return Certificate(self.problem, self.rule, self.k, *made)


def claims_of(claims: Sequence[Claim]) -> Claims:
    """Claims in columns."""
    verdicts = DECISIONS
    return Claims(
        *(
            np.array([getattr(claim, name) for claim in claims], np.int32)
            for name in ("row", "start", "end", "k")
        ),
        np.array([verdicts.index(claim.verdict) for claim in claims], np.int8),
        np.array([_ARGUMENTS[claim.decided_by] for claim in claims], np.uint8),
        Ragged.of(claim.witnesses for claim in claims),
        Ragged.of(claim.candidates for claim in claims),
        np.array([claim.proof for claim in claims], np.int32),
    )


def claims_in(claims: Claims) -> tuple[Claim, ...]:
    """Claims one by one."""
    verdicts, arguments = DECISIONS, [argument.word for argument in Argument]
    return tuple(
        Claim(
            int(claims.row[i]),
            int(claims.start[i]),
            int(claims.end[i]),
            int(claims.k[i]),
            verdicts[claims.verdict[i]],
            tuple(claims.witnesses[i].tolist()),
            tuple(claims.candidates[i].tolist()),
            arguments[claims.decided_by[i]],
            int(claims.proof[i]),
        )
        for i in range(len(claims))
    )


def witnesses_of(witnesses: Sequence[Witness]) -> Witnesses:
    """Witnesses in columns."""
    exchanges = [exchange for witness in witnesses for exchange in witness]
    return Witnesses(
        np.cumsum([0, *map(len, witnesses)], dtype=np.int64),
        np.array([exchange.time for exchange in exchanges], np.int32),
        Ragged.of(exchange.rows for exchange in exchanges),
        Ragged.of(exchange.tokens for exchange in exchanges),
    )


def witnesses_in(certificate: Certificate) -> tuple[Witness, ...]:
    """Witnesses one by one."""
    return tuple(
        tuple(
            Exchange(
                int(piece.time[e]), tuple(piece.rows[e].tolist()), tuple(piece.tokens[e].tolist())
            )
            for e in range(int(piece.ptr[w]), int(piece.ptr[w + 1]))
        )
        for piece in certificate.witnesses.pieces()
        for w in range(len(piece))
    )


def sealed_again(
    folder: Path,
    change: Callable[[dict[str, Any], dict[str, pa.Table]], object],
    read: Sequence[str] = ("manifest", "tables"),
) -> None:
    """Change the manifest or the tables of a certificate, and seal it as who made it would."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    tables = {}
    if "tables" in read:
        tables = {name: parquet.read_table(file_of(folder, name)) for name in TABLES}
    before = dict(tables)
    kept = dict(manifest["files"])
    change(manifest, tables)
    for name, table in tables.items():
        if table is not before[name]:
            parquet.write_table(table, file_of(folder, name))
    if manifest.get("files") == kept:
        manifest["files"] = {name: hash_of(folder / name) for name in kept}
    manifest.pop("sha256", None)
    path.write_text(json.dumps({**manifest, "sha256": seal_of(manifest)}), encoding="utf-8")


@dataclass(frozen=True)
class _Pieces:
    """Witnesses in small pieces, as those that are larger than memory are read."""

    whole: Witnesses
    at_once: int

    def __len__(self) -> int:
        return len(self.whole)

    def pieces(self) -> Iterator[Witnesses]:
        return self.whole.pieces(self.at_once)


def in_pieces(certificate: Certificate, at_once: int = 0) -> Certificate:
    """The certificate with its witnesses in pieces that move up to ``at_once`` tokens."""
    whole = Witnesses.joined(list(certificate.witnesses.pieces()))
    return replace(certificate, witnesses=_Pieces(whole, at_once))
