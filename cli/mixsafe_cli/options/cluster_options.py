"""Options of commands whose work can be done on several machines."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated

from mixsafe.errors import InputError
from mixsafe_cli.options.checks import refuse
from mixsafe_cli.options.records import panel

if TYPE_CHECKING:
    from mixsafe.cluster.connecting import ClusterWanted

_where = panel("On several machines")


@dataclasses.dataclass(frozen=True)
class ClusterOptions:
    """Which workers, and what they share."""

    cluster: Annotated[
        str | None,
        _where(
            metavar="local[:N]|ADDRESS",
            help="Workers of Dask: N processes of this machine, or those of a scheduler, as"
            " tcp://10.0.0.1:8786. Needs mixsafe\\[cluster].",
        ),
    ] = None
    cluster_folder: Annotated[
        str | None,
        _where(
            metavar="DIR|URL",
            help="What all workers see; what is found stays there, and the same command goes on"
            " from it.",
        ),
    ] = None
    cluster_tls: Annotated[
        bool,
        _where(
            "--cluster-tls",
            help="Encrypt all connections, and let nobody connect without a certificate: of a local"
            " cluster one of this run, else those of Dask's configuration. tls:// says the same.",
        ),
    ] = False
    worker_memory: Annotated[
        str | None,
        _where(
            metavar="SIZE",
            help="Of each process of a local cluster, as 2GiB. Default: an equal share.",
        ),
    ] = None

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            Options about a cluster where there is none, an address or an amount that is none, or
            Dask is not installed.
        """
        if self.cluster is None:
            others = ("cluster_folder", "cluster_tls", "worker_memory")
            refuse(self, "there is no --cluster", *others)
            return
        self.wanted(None)

    def wanted(self, folder: str | None) -> ClusterWanted:
        """What is said of the cluster.

        Parameters
        ----------
        folder
            What workers share if --cluster-folder does not say it.

        Raises
        ------
        InputError
            As :meth:`check`.
        """
        from mixsafe.spill.memory import parse_memory

        if self.cluster is None:
            raise InputError("--cluster is missing")
        try:
            from mixsafe.cluster.connecting import ClusterWanted
        except ModuleNotFoundError as error:
            raise InputError(
                f"--cluster needs {error.name}, which is not installed",
                hint="pip install dask distributed",
            ) from None
        memory = None if self.worker_memory is None else parse_memory(self.worker_memory)
        folder = self.cluster_folder or folder
        return ClusterWanted(self.cluster, folder, memory, self.cluster_tls)
