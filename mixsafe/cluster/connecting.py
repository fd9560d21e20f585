"""From what the command line says to workers that are ready: reached, alike, and at one folder."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import dask
from distributed import Client, LocalCluster
from distributed.security import Security

from mixsafe.cluster.alike import check_alike
from mixsafe.cluster.dask_executor import DaskExecutor
from mixsafe.cluster.reaching import TIMEOUT, check_reached
from mixsafe.cluster.shared_folder import DiskFolder, folder_at
from mixsafe.cluster.sighted import check_sighted
from mixsafe.errors import InputError
from mixsafe.model.limits import SolveLimits
from mixsafe.temporary_files import scratch_folder, undisturbed

_LOCAL = re.compile(r"local(?::([1-9][0-9]*))?")
_ADDRESS = re.compile(r"(?:[a-z]+://)?\S+:[0-9]{1,5}")

_SETTINGS = {
    # What a block leaves in memory is a name: there is nothing to spill, and a worker that waits
    # for its memory to shrink by spilling would wait for ever.
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": 0.95,
    "distributed.comm.timeouts.connect": f"{TIMEOUT:.0f}s",
    "distributed.admin.tick.limit": "1h",
    "distributed.worker.daemon": False,  # runs of one engine have processes of their own
}


@dataclass(frozen=True)
class ClusterWanted:
    """Which cluster, and how it is used.

    Parameters
    ----------
    address
        ``local``, ``local:N`` (N worker processes on this machine), or a scheduler's address.
    folder
        Path or URL that all workers see, where what is found stays; None: one that is gone at the
        end.
    worker_memory
        Bytes that each worker of ``local`` may take; None: an equal share of the machine's.
    tls
        Whether all connections are encrypted, and whoever connects shows a certificate. Those of a
        local cluster are made for this run; those of an address are the ones that Dask's
        configuration names (``distributed.comm.tls``). ``tls://`` in an address says the same.

    Raises
    ------
    InputError
        The address is none, or it is one without encryption where that is asked for.
    """

    address: str
    folder: str | None = None
    worker_memory: int | None = None
    tls: bool = False

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
        """Whether its workers are started for this run."""
        return _LOCAL.fullmatch(self.address) is not None

    @property
    def encrypted(self) -> bool:
        """Whether the address is one of encrypted connections."""
        return self.address.startswith("tls://")

    def security(self) -> Security | None:
        """The certificates to connect with; None: connections are not encrypted.

        Raises
        ------
        InputError
            There are none, or a file of them cannot be used.
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
        told = found.get_tls_config_for_role("client")
        if not all((told["ca_file"], told["cert"], told["key"])):
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
    """A crew that is ready for work.

    Parameters
    ----------
    wanted
        Which.
    tell
        Called with what a user should know: where the cluster's dashboard is, and whether others
        can write to the folder.

    Raises
    ------
    InputError
        No scheduler answers, it has no workers, they are not like this program, they have several
        threads, or they do not see the folder.
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
                f"others may write to {folder.place}: whoever does can make workers run any code;"
                " 'chmod go-w' it"
            )
        executor = DaskExecutor(client, folder)
        try:
            yield executor
        finally:
            executor.forget_shared()


@contextmanager
def _reached(wanted: ClusterWanted) -> Iterator[Client]:
    """A client of the cluster, which has a worker at least."""
    security = wanted.security()
    with contextlib.ExitStack() as stack:
        where: str | LocalCluster = wanted.address
        if wanted.local:
            where = stack.enter_context(_started(wanted, security))
        else:
            check_reached(wanted.address)
        try:
            client = Client(where, timeout=TIMEOUT, set_as_default=False, security=security)
            stack.enter_context(client)
        except (OSError, ValueError, RuntimeError, ImportError) as error:
            why = str(error) or type(error).__name__
            raise InputError(f"no Dask scheduler at {wanted.address}: {why}") from None
        try:
            client.wait_for_workers(1, timeout=TIMEOUT)
        except TimeoutError:
            raise InputError(
                f"the scheduler at {wanted.address} has no workers",
                hint="start some: dask worker ADDRESS --nthreads 1",
            ) from None
        yield client


@contextmanager
def _started(wanted: ClusterWanted, security: Security | None) -> Iterator[LocalCluster]:
    """Worker processes on this machine, whom only this machine reaches."""
    with contextlib.ExitStack() as stack:
        with undisturbed():  # a cluster that is started in part cannot be ended
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
    """Whatever goes wrong is told in one line, by us."""
    logger = logging.getLogger("distributed")
    before, told = logger.level, os.environ.get("DASK_LOGGING__DISTRIBUTED")
    logger.setLevel(logging.CRITICAL + 1)
    os.environ["DASK_LOGGING__DISTRIBUTED"] = "critical"  # of workers that are started
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(before)
        os.environ.pop("DASK_LOGGING__DISTRIBUTED")
        if told is not None:
            os.environ["DASK_LOGGING__DISTRIBUTED"] = told
