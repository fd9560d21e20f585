"""Check that workers run the same versions as this program, and so find the same results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from distributed import Client

from mixsafe.errors import InputError
from mixsafe.machinery.cluster.blocks import code_digest

_FOUND_BY = ("mixsafe", "numba", "numpy", "ortools", "python-sat", "scipy")
"""Packages on which results depend, in addition to Python."""

_SPOKEN_BY = ("dask", "distributed", "cloudpickle")
"""Packages that define the protocol between machines."""


def check_alike(client: Client) -> None:
    """Refuse workers and a scheduler with other versions than this program.

    Raises
    ------
    InputError
        Names the machine, the package, and both versions; or a worker with several threads.
    """
    known: Any = client.get_versions(packages=list(_FOUND_BY))
    here = _versions(known["client"])
    check_versions("the scheduler", _versions(known["scheduler"]), here, _SPOKEN_BY)
    for address, report in known["workers"].items():
        check_versions(
            f"worker {address}", _versions(report), here, ("python", *_FOUND_BY, *_SPOKEN_BY)
        )
    for address, digest in client.run(code_digest).items():
        if digest != code_digest():
            raise InputError(
                f"worker {address} has other code of mixsafe {here['mixsafe']} than this program",
                hint="install the same on all machines",
            )
    for address, one in client.scheduler_info()["workers"].items():
        if one["nthreads"] != 1:
            raise InputError(
                f"worker {address} has {one['nthreads']} threads, and needs one",
                hint="dask worker ADDRESS --nthreads 1, and more of them with --nworkers",
            )


def check_versions(
    who: str,
    theirs: Mapping[str, str | None],
    ours: Mapping[str, str | None],
    packages: tuple[str, ...],
) -> None:
    """Refuse a machine on which a package is missing or has another version.

    Raises
    ------
    InputError
        Names the machine, the package, and both versions.
    """
    for name in packages:
        if theirs.get(name) != ours.get(name):
            version = theirs.get(name)
            has = f"no {name}" if version is None else f"{name} {version}"
            raise InputError(
                f"{who} has {has}, and this program {name} {ours.get(name)}",
                hint="install the same versions on all machines",
            )


def _versions(report: Mapping[str, Any] | None) -> dict[str, str | None]:
    """Versions by package."""
    return dict(report["packages"]) if report else {}
