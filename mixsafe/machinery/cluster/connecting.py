"""Connect to a cluster: start or reach its workers, and check their versions and shared folder.

Whether a scheduler is at an address is known before anything is begun that could wait for ever.
Workers that run the same versions as this program find the same results. Whether all of them see
the folder that they are to share is tried with files that are written and read.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import secrets
import socket
import struct
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import dask
from distributed import Client, LocalCluster
from distributed.security import Security

from mixsafe.errors import InputError
from mixsafe.machinery.cluster.dask_executor import DaskExecutor, code_digest
from mixsafe.machinery.cluster.shared import DiskFolder, SharedFolder, folder_at
from mixsafe.machinery.temporary_files import scratch_folder, undisturbed
from mixsafe.model.course import SolveLimits

TIMEOUT = 5.0
"""Seconds that a scheduler has to answer."""

_LENGTH = struct.Struct("<Q")  # what Dask sends first, at both ends: bytes of its greeting
_LONGEST = 1 << 16  # bytes of a greeting, by far


def check_reached(address: str, timeout: float = TIMEOUT) -> None:
    """Refuse an address at which no Dask scheduler answers.

    Parameters
    ----------
    address
        ``host:port``, with ``tcp://`` or another scheme before it; of other schemes than that one
        only the connection is tried.
    timeout
        Seconds that the scheduler has to answer.

    Raises
    ------
    InputError
        Says what came of it.
    """
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    try:
        port = parts.port
    except ValueError:
        port = None
    if parts.hostname is None or not port:
        raise InputError(f"'{address}' is not an address", hint="write it as tcp://10.0.0.1:8786")
    try:
        with socket.create_connection((parts.hostname, port), timeout) as connection:
            greeted = parts.scheme != "tcp" or _greets(connection, timeout)
    except OSError as error:
        why = "it does not answer" if isinstance(error, TimeoutError) else error.strerror or error
        raise _nobody(address, str(why).lower()) from None
    if not greeted:
        raise _nobody(address, "what answers is something else")


def _greets(connection: socket.socket, timeout: float) -> bool:
    """Whether the other end speaks first, as Dask does."""
    end, said = time.monotonic() + timeout, b""
    while len(said) < _LENGTH.size:
        connection.settimeout(max(end - time.monotonic(), 0.01))
        more = connection.recv(_LENGTH.size - len(said))
        if not more:
            return False
        said += more
    return 0 < int(_LENGTH.unpack(said)[0]) < _LONGEST


def _nobody(address: str, why: str) -> InputError:
    """The error for an address without a scheduler."""
    return InputError(
        f"no Dask scheduler at {address}: {why}",
        hint="check that it runs and that this machine can reach it",
    )


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


def check_sighted(client: Client, folder: SharedFolder, *, named: bool) -> None:
    """Refuse a folder that a worker does not see, or may not write to.

    Parameters
    ----------
    client, folder
        The workers, and their shared folder.
    named
        Whether the user named the folder.

    Raises
    ------
    InputError
        Names a worker that reads something else there, or nothing, or cannot write.
    """
    name, word = f"token-{secrets.token_hex(8)}", secrets.token_hex(16)
    folder.write(name, [word.encode()])
    answers: list[str] = []
    try:
        found = client.run(read_and_answer, folder.place, name)
        for worker, (seen, why) in found.items():
            answers.append(why)
            if seen != word or folder.read(f"{name}-{why}") != word.encode():
                raise InputError(
                    f"worker {worker} does not see what this program writes there"
                    if seen is None or seen != word
                    else f"worker {worker} cannot write there",
                    file=folder.place,
                    hint="give a folder that all machines share"
                    if named
                    else "name one that all machines share (--cluster-folder)",
                )
    finally:
        for one in [name, *(f"{name}-{answer}" for answer in answers)]:
            folder.forget(one)


def read_and_answer(place: str, name: str) -> tuple[str | None, str]:
    """In a worker: the content of a file, and the name of the copy that is written of it."""
    answer = secrets.token_hex(8)
    try:
        folder = folder_at(place)
        content = folder.read(name)
        if content is not None:
            folder.write(f"{name}-{answer}", [content])
    except (InputError, OSError):
        return None, answer
    return None if content is None else content.decode(), answer


_LOCAL = re.compile(r"local(?::([1-9][0-9]{0,2}))?")
_ADDRESS = re.compile(r"(?:[a-z]+://)?\S+:[0-9]{1,5}")

_SETTINGS = {
    # A block leaves only a name in memory: there is nothing to spill, and a worker that waits
    # for spilling to free memory would wait forever.
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": 0.95,
    "distributed.comm.timeouts.connect": f"{TIMEOUT:.0f}s",
    "distributed.admin.tick.limit": "1h",
    "distributed.worker.daemon": False,  # runs of single engines start processes
}


@dataclass(frozen=True)
class ClusterWanted:
    """Options of a cluster.

    Parameters
    ----------
    address
        ``local``, ``local:N`` (N worker processes on this machine), or a scheduler's address.
    folder
        Path or URL, visible to all workers, of the folder for results; None: a temporary folder.
    worker_memory
        Memory limit of each worker of ``local`` in bytes; None: an equal share of the machine's.
    tls
        Whether to encrypt all connections and require a certificate of each peer. A local cluster
        gets certificates for this run; a scheduler's address uses those of Dask's configuration
        (``distributed.comm.tls``). An address with ``tls://`` implies it.
    timeout
        Seconds that a scheduler has to answer, and then to have a worker.

    Raises
    ------
    InputError
        The address is invalid, or is unencrypted with ``tls``.
    """

    address: str
    folder: str | None = None
    worker_memory: int | None = None
    tls: bool = False
    timeout: float = TIMEOUT

    def __post_init__(self) -> None:
        if not (_LOCAL.fullmatch(self.address) or _ADDRESS.fullmatch(self.address)):
            raise InputError(
                f"'{self.address}' is no cluster",
                hint="use local, local:4, or the scheduler's address such as tcp://10.0.0.1:8786",
            )
        if self.worker_memory is not None and not self.local:
            raise InputError("a memory limit applies only to workers of a local cluster")
        if self.tls and not self.local and not self.encrypted:
            hint = f"use tls://{self.address.rpartition('://')[2]}"
            raise InputError(f"connections to {self.address} are not encrypted", hint=hint)

    @property
    def local(self) -> bool:
        """Whether this run starts the workers."""
        return _LOCAL.fullmatch(self.address) is not None

    @property
    def encrypted(self) -> bool:
        """Whether the address is one of encrypted connections (``tls://``)."""
        return self.address.startswith("tls://")

    def security(self) -> Security | None:
        """The certificates to connect with; None: connections are not encrypted.

        Raises
        ------
        InputError
            There are no certificates, or a file of one cannot be used.
        """
        if not self.tls and not self.encrypted:
            return None
        if self.local:
            try:
                made: Security = Security.temporary()
            except ImportError as error:
                raise InputError(
                    "--cluster-tls needs cryptography, which is not installed",
                    hint="pip install cryptography",
                ) from error
            return made
        found = Security(require_encryption=True)
        files = found.get_tls_config_for_role("client")
        if not all((files["ca_file"], files["cert"], files["key"])):
            raise InputError(
                f"no certificate to connect to {self.address} with",
                hint="set ca-file, client.cert and client.key in Dask's configuration,"
                " distributed.comm.tls",
            )
        try:
            found.get_connection_args("client")
        except (OSError, ValueError) as error:
            raise InputError(f"invalid certificates in Dask's configuration: {error}") from None
        return found

    @property
    def workers(self) -> int:
        """Workers of a local cluster."""
        found = _LOCAL.fullmatch(self.address)
        return int(found[1]) if found and found[1] else SolveLimits().workers


@contextmanager
def connected(
    wanted: ClusterWanted, tell: Callable[[str], object] = lambda text: None
) -> Iterator[DaskExecutor]:
    """Connect to a cluster; yield its executor.

    Parameters
    ----------
    wanted
        Options of the cluster.
    tell
        Called with notes: the address of the cluster's dashboard, and a warning if other users
        can write to the folder.

    Raises
    ------
    InputError
        No scheduler answers, or it has no workers; or workers have other versions than this
        program or several threads, or do not see the folder.
    """
    with contextlib.ExitStack() as stack:
        # Dask's usual folder of workers stays when they have gone.
        scratch = {"temporary-directory": str(stack.enter_context(scratch_folder("cluster")))}
        stack.enter_context(dask.config.set({**_SETTINGS, **scratch}))
        stack.enter_context(_silence())
        place = wanted.folder
        if place is None:
            place = str(stack.enter_context(scratch_folder("cluster")))
        folder = folder_at(place)
        client = stack.enter_context(_reached(wanted))
        check_alike(client)
        check_sighted(client, folder, named=wanted.folder is not None)
        tell(f"the dashboard of the cluster is at {client.dashboard_link}")
        if isinstance(folder, DiskFolder) and folder.others_may_write:
            tell(
                f"other users can write to {folder.place}, and so make workers run any code;"
                " run 'chmod go-w' on it"
            )
        executor = DaskExecutor(client, folder)
        try:
            yield executor
        finally:
            executor.forget_shared()


@contextmanager
def _reached(wanted: ClusterWanted) -> Iterator[Client]:
    """A client of the cluster, once the cluster has a worker."""
    security = wanted.security()
    with contextlib.ExitStack() as stack:
        where: str | LocalCluster = wanted.address
        if wanted.local:
            where = stack.enter_context(_started(wanted, security))
        else:
            check_reached(wanted.address, wanted.timeout)
        try:
            client = Client(where, timeout=wanted.timeout, set_as_default=False, security=security)
            stack.enter_context(client)
        except (OSError, ValueError, RuntimeError, ImportError) as error:
            why = str(error) or type(error).__name__
            raise InputError(f"no Dask scheduler at {wanted.address}: {why}") from None
        try:
            client.wait_for_workers(1, timeout=wanted.timeout)
        except TimeoutError:
            raise InputError(
                f"the scheduler at {wanted.address} has no workers",
                hint="start some: dask worker ADDRESS --nthreads 1",
            ) from None
        yield client


@contextmanager
def _started(wanted: ClusterWanted, security: Security | None) -> Iterator[LocalCluster]:
    """Start worker processes that only this machine can reach."""
    with contextlib.ExitStack() as stack:
        with undisturbed():  # a partly started cluster cannot be closed
            cluster = LocalCluster(
                n_workers=wanted.workers,
                threads_per_worker=1,
                memory_limit=wanted.worker_memory or "auto",
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
                security=security,
            )
            stack.enter_context(cluster)
        yield cluster


@contextmanager
def _silence() -> Iterator[None]:
    """Silence the logs and warnings of Dask: mixsafe reports errors in one line."""
    logger = logging.getLogger("distributed")
    before, variable = logger.level, os.environ.get("DASK_LOGGING__DISTRIBUTED")
    logger.setLevel(logging.CRITICAL + 1)
    os.environ["DASK_LOGGING__DISTRIBUTED"] = "critical"  # of workers that are started
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(before)
        os.environ.pop("DASK_LOGGING__DISTRIBUTED")
        if variable is not None:
            os.environ["DASK_LOGGING__DISTRIBUTED"] = variable
