"""Options of commands that can run on a cluster."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from mixsafe.errors import InputError
from mixsafe_cli.options.declaring import CheckedOptions, needs
from mixsafe_cli.options.records import panel

if TYPE_CHECKING:
    from mixsafe.machinery.cluster.connecting import ClusterWanted

_where = panel("Cluster")

_OF_CLUSTER = needs("cluster", "there is no --cluster")


@dataclasses.dataclass(frozen=True)
class ClusterOptions(CheckedOptions):
    """Options of the workers and their shared folder."""

    cluster: str | None = _where(
        "Dask workers: N processes of this machine, or those of a scheduler, as"
        " tcp://10.0.0.1:8786. Needs mixsafe\\[cluster].",
        metavar="local[:N]|ADDRESS",
    )
    cluster_folder: str | None = _where(
        "Folder shared by all workers. It keeps findings; the same command continues from them.",
        metavar="DIR|URL",
        constraints=(_OF_CLUSTER,),
    )
    cluster_tls: bool = _where(
        "Encrypt connections and require certificates: generated for a local cluster, else those of"
        " Dask's configuration. As with tls:// addresses.",
        default=False,
        constraints=(_OF_CLUSTER,),
    )
    worker_memory: str | None = _where(
        "Memory of each local worker, as 2GiB. Default: an equal share.",
        metavar="SIZE",
        constraints=(_OF_CLUSTER,),
    )

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            An option needs --cluster, an address or an amount is invalid, or Dask is not installed.
        """
        super().check()
        if self.cluster is not None:
            self.wanted(None)

    def wanted(self, folder: str | None) -> ClusterWanted:
        """The cluster to connect to.

        Parameters
        ----------
        folder
            Shared folder without --cluster-folder.

        Raises
        ------
        InputError
            As :meth:`check`.
        """
        from mixsafe.machinery.memory import parse_memory

        if self.cluster is None:
            raise InputError("--cluster is missing")
        try:
            from mixsafe.machinery.cluster.connecting import ClusterWanted
        except ModuleNotFoundError as error:
            raise InputError(
                f"--cluster needs {error.name}, which is not installed",
                hint="pip install dask distributed",
            ) from None
        memory = None if self.worker_memory is None else parse_memory(self.worker_memory)
        folder = self.cluster_folder or folder
        return ClusterWanted(self.cluster, folder, memory, self.cluster_tls)
