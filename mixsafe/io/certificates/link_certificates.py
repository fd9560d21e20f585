"""Certificates of links of tracklets: one file of NumPy arrays (``.npz``), with its hash."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from mixsafe.errors import InputError
from mixsafe.io.files.content import check_members, reading, undamaged
from mixsafe.machinery.files import atomic_path, secret
from mixsafe.machinery.memory import check_fits
from mixsafe.model.tracklets import (
    Contradiction,
    LinkBounds,
    LinkCertificate,
    LinkProblem,
    LinkProof,
)

FORMAT = "mixsafe link certificate 1"

_PROBLEM: dict[str, type[np.generic]] = {
    "first": np.int64,
    "last": np.int64,
    "ptr": np.int64,
    "to": np.int32,
    "must_continue": np.bool_,
    "must_come": np.bool_,
    "same": np.int32,
}
_BOUNDS = [field.name for field in fields(LinkBounds) if field.name != "contradiction"]
_WHY = [field.name for field in fields(Contradiction)]
_PROOF = [field.name for field in fields(LinkProof)]

Arrays = dict[str, np.ndarray[Any, Any]]


@secret()
def write_link_certificate(path: str | os.PathLike[str], certificate: LinkCertificate) -> None:
    """Write a certificate atomically, for its owner alone.

    Raises
    ------
    InputError
        The file cannot be written.
    """
    problem, why = certificate.problem, certificate.bounds.contradiction
    arrays: Arrays = {name: getattr(problem, name) for name in _PROBLEM}
    arrays |= {name: getattr(certificate.bounds, name) for name in _BOUNDS}
    if why is not None:
        arrays |= {name: getattr(why, name) for name in _WHY}
    if certificate.proof is not None:
        arrays |= {name: getattr(certificate.proof, name) for name in _PROOF}
    about = {"format": FORMAT, "name": problem.name, "sha256": _hash_of(arrays)}
    text = np.frombuffer(json.dumps(about).encode(), np.uint8)
    with atomic_path(path) as draft, draft.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, about=text, **arrays)


def is_link_certificate(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a file of this format, of any version."""
    if not Path(path).is_file():
        return False
    with reading(path) as file, undamaged(path):
        if not zipfile.is_zipfile(file):
            return False
        with zipfile.ZipFile(file) as found:
            return "about.npy" in found.namelist()


def read_link_certificate(path: str | os.PathLike[str]) -> LinkCertificate:
    """Read a certificate.

    Raises
    ------
    InputError
        It is not a certificate, has another format, was changed or damaged, or is of tracklets
        that cannot be.
    """
    arrays, about = _arrays(path)
    try:
        problem = _problem(arrays, str(about["name"]))
        why = Contradiction(*(arrays[name].astype(np.int64) for name in _WHY if name in arrays))
        claims = {name: arrays[name].astype(np.bool_) for name in _BOUNDS}
        bounds = LinkBounds(**claims, contradiction=why if len(why) else None)
        has_proof = _PROOF[0] in arrays
        proof = LinkProof(*(arrays[name] for name in _PROOF)) if has_proof else None
    except KeyError as error:
        raise InputError(f"not a certificate of links: {error} is missing", file=path) from None
    return LinkCertificate(problem, bounds, proof)


def _hash_of(arrays: Mapping[str, np.ndarray[Any, Any]]) -> str:
    """SHA-256 of arrays, their names, types and shapes."""
    found = hashlib.sha256()
    for name in sorted(arrays):
        one = np.ascontiguousarray(arrays[name])
        found.update(f"{name} {one.dtype.str} {one.shape}\n".encode())
        found.update(one.data if one.size else b"")
    return found.hexdigest()


def _arrays(path: str | os.PathLike[str]) -> tuple[Arrays, dict[str, Any]]:
    """All arrays of a file, and what it says of itself."""
    try:
        with reading(path) as file, np.load(file, allow_pickle=False) as found:
            check_fits(path, 2 * check_members(path, found.zip.infolist()))
            arrays = {name: found[name] for name in found.files}
        about = json.loads(arrays.pop("about").tobytes())
        form, seal = about["format"], about["sha256"]
    except InputError:
        raise
    except Exception as error:  # noqa: BLE001 -- NumPy raises whatever follows from wrong bytes
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"not a certificate of links: {reason}", file=path) from None
    if form != FORMAT:
        raise InputError(f"the format is not '{FORMAT}'", file=path, hint="write it again")
    if seal != _hash_of(arrays):
        raise InputError("the content does not match its hash: it was changed", file=path)
    return arrays, about


def _problem(arrays: Arrays, name: str) -> LinkProblem:
    """The problem of a certificate; offsets and tracklets are in range."""
    kinds = dict(_PROBLEM)
    if "f" in (arrays["first"].dtype.kind, arrays["last"].dtype.kind):
        kinds |= {"first": np.float64, "last": np.float64}  # records with parts of seconds
    found: Arrays = {key: arrays[key].astype(kind) for key, kind in kinds.items()}
    n, ptr, to, same = len(found["first"]), found["ptr"], found["to"], found["same"]
    each = ("first", "last", "must_continue", "must_come")
    fit = all(found[key].shape == (n,) for key in each) and ptr.shape == (n + 1,)
    fit = fit and same.shape[1:] == (2,) and to.ndim == 1
    fit = fit and bool(np.isfinite(found["first"]).all() and np.isfinite(found["last"]).all())
    if not fit or ptr[0] != 0 or ptr[-1] != len(to) or np.any(np.diff(ptr) < 0):
        raise InputError("not a certificate of links: its arrays do not fit")
    numbers = np.concatenate([to, same.ravel()])
    if np.any((numbers < 0) | (numbers >= n)):
        raise InputError("not a certificate of links: a tracklet is not there")
    return LinkProblem(**found, name=name)
