"""The samples that ship with the package, and how each was made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np

from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.mobility.traces import Traces
from mixsafe.synthesize.scenarios.cabs import cabs
from mixsafe.synthesize.scenarios.town import town


@dataclass(frozen=True)
class Sample:
    """A data set of the project's own, small enough to ship.

    Parameters
    ----------
    name
        What people call it.
    file
        Name of its file.
    about
        What is in it, in a sentence.
    format
        Name of its format.
    make
        Makes what is in the file, the same every time.
    """

    name: str
    file: str
    about: str
    format: str
    make: Callable[[], TraceMatrix | Traces]


def _town() -> TraceMatrix:
    return town(200, days=2, random=np.random.default_rng(1))


def _cabs() -> Traces:
    return cabs(36, steps=360, random=np.random.default_rng(1))


SAMPLES = (
    Sample(
        "town",
        "town.csv",
        "200 users of a small town, two days of 20 steps, in 32 x 32 regions",
        "contest",
        _town,
    ),
    Sample(
        "cabs",
        "cabs.csv",
        "36 cabs on a street grid, six hours, a fix a minute",
        "table",
        _cabs,
    ),
)


def sample(name: str = "town") -> Path:
    """Path of a sample that ships with the package.

    Raises
    ------
    InputError
        There is no such sample.
    """
    files = {known.name: known.file for known in SAMPLES}
    if name not in files:
        raise InputError(f"unknown sample '{name}'", hint=f"use {', '.join(files)}")
    # The package is always unpacked: numba's compiled caches need it to be, too.
    return Path(str(resources.files("mixsafe.synthesize") / "data" / files[name]))
