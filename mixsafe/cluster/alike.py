"""Whether workers are like this program: the same versions, so that they find the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from distributed import Client

from mixsafe.cluster.blocks import code_digest
from mixsafe.errors import InputError

_FOUND_BY = ("mixsafe", "numba", "numpy", "ortools", "python-sat", "scipy")
"""Packages on which it depends what is found, beside Python."""

_SPOKEN_BY = ("dask", "distributed", "cloudpickle")
"""Packages by which machines understand each other."""


def check_alike(client: Client) -> None:
    """Refuse workers, and a scheduler, that are not like this program.

    Raises
    ------
    InputError
        Names the machine, the package, and both versions; or a worker with several threads.
    """
    known: Any = client.get_versions(packages=list(_FOUND_BY))
    here = _versions(known["client"])
    check_versions("the scheduler", _versions(known["scheduler"]), here, _SPOKEN_BY)
    for address, told in known["workers"].items():
        check_versions(
            f"worker {address}", _versions(told), here, ("python", *_FOUND_BY, *_SPOKEN_BY)
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
                hint="start it with --nthreads 1, and more of them with --nworkers",
            )


def check_versions(
    who: str,
    theirs: Mapping[str, str | None],
    ours: Mapping[str, str | None],
    packages: tuple[str, ...],
) -> None:
    """Refuse a machine on which a package is missing, or has another version.

    Raises
    ------
    InputError
        Names the machine, the package, and both versions.
    """
    for name in packages:
        if theirs.get(name) != ours.get(name):
            told = theirs.get(name)
            has = f"no {name}" if told is None else f"{name} {told}"
            raise InputError(
                f"{who} has {has}, and this program {name} {ours.get(name)}",
                hint="install the same versions on all machines",
            )


def _versions(told: Mapping[str, Any] | None) -> dict[str, str | None]:
    """Versions by package."""
    return dict(told["packages"]) if told else {}
