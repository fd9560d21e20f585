"""Trained models as NumPy archives: one ``.npz`` file of plain arrays (see docs/synthesize.md).

Nothing is pickled, so that reading a file never executes code from it. Equal models give equal
bytes.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.io.files.content import check_members, reading
from mixsafe.machinery.files import atomic_path
from mixsafe.machinery.memory import check_fits
from mixsafe.model.mobility.complete_traces import TraceModel

Path = str | os.PathLike[str]
Array = npt.NDArray[np.generic]

FORMAT = 1
"""Version of the file format."""

DTYPES = {
    "mean": np.float64,
    "covariance": np.float64,
    "location": np.float64,
    "destination": np.float64,
    "slot": np.float64,
    "edge_ptr": np.int64,
    "edge_to": np.int32,
    "visited": np.bool_,
}


def write_model(path: Path, model: TraceModel) -> None:
    """Write a model atomically.

    Raises
    ------
    InputError
        The file cannot be written.
    """
    arrays = {name: getattr(model, name) for name in DTYPES}
    with atomic_path(path) as draft, draft.open("wb") as file:
        np.savez_compressed(
            file,
            format=np.array([FORMAT]),
            n_users=np.array([model.n_users]),
            **arrays,
        )


def read_model(path: Path) -> TraceModel:
    """Read a model.

    Raises
    ------
    InputError
        The file is not a model, or a part is missing or invalid.
    """
    hint = "create a model with mixsafe synthesize train"
    try:
        # Opened here, because NumPy does not close a damaged file.
        with reading(path) as file, np.load(file, allow_pickle=False) as archive:
            if not isinstance(archive, np.lib.npyio.NpzFile):
                raise zipfile.BadZipFile  # noqa: TRY301 -- one array is no archive either
            check_fits(path, check_members(path, archive.zip.infolist() if archive.zip else ()))
            parts = {name: archive[name] for name in archive}
    except InputError:
        raise
    except Exception:  # noqa: BLE001 -- NumPy raises whatever follows from wrong bytes
        raise InputError("not a model of mixsafe", file=path, hint=hint) from None
    try:
        _check_parts(parts)
        arrays: dict[str, Any] = {name: parts[name].astype(dtype) for name, dtype in DTYPES.items()}
        return TraceModel(**arrays, n_users=int(parts["n_users"][0]))
    except InputError as error:
        raise InputError(str(error), file=path, hint=hint) from None


def _check_parts(parts: Mapping[str, Array]) -> None:
    """Refuse missing arrays, arrays of another type, and unknown format versions."""
    for name in ("format", "n_users", *DTYPES):
        if name not in parts:
            raise InputError(f"array '{name}' of the model is missing")
    for name in ("format", "n_users"):
        if parts[name].shape != (1,) or parts[name].dtype.kind not in "iu":
            raise InputError(f"array '{name}' of the model is not one whole number")
    if parts["format"][0] != FORMAT:
        raise InputError(f"the model has format {parts['format'][0]} instead of {FORMAT}")
    for name, dtype in DTYPES.items():
        if parts[name].dtype != dtype or parts[name].ndim == 0:
            raise InputError(f"array '{name}' of the model does not have type {np.dtype(dtype)}")
