"""Tasks on the workers of a Dask cluster: each becomes a block, which is written to one file.

The file's name is a digest of the code, the shared objects and the task. So an existing block is
reused, whichever run made it, and a block of another question is never taken.
"""

from __future__ import annotations

import functools
import hashlib
import secrets
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dask.utils import funcname
from distributed import Client, Future, KilledWorker
from distributed.comm.core import CommClosedError

from mixsafe.errors import InputError
from mixsafe.machinery import checkpoint
from mixsafe.machinery.cluster.shared import (
    Mapped,
    Moments,
    SharedFolder,
    digest,
    dumped,
    dumped_small,
    folder_at,
    loaded,
)
from mixsafe.machinery.compiled import compile_always
from mixsafe.model.course import Deadline, Found

_KIND = "block"


@dataclass(frozen=True)
class ClusterBlock:
    """The description of a block that a worker receives.

    Parameters
    ----------
    name
        Name of the file.
    place
        Address of the folder.
    shared
        File of the context.
    task
        Function and task, pickled.
    moments
        Deadlines of the context and of the task.
    """

    name: str
    place: str
    shared: str
    task: bytes
    moments: tuple[Moments, Moments]


def do_block(block: ClusterBlock) -> bytes | None:
    """Do a block, in a worker.

    Returns
    -------
    bytes | None
        None: what was found is in the file. Otherwise it was cut short by a deadline, and this is
        what was found.
    """
    compile_always()
    folder = folder_at(block.place)
    if content_of(folder.read(block.name)) is not None:
        return None
    context = _context(block.place, block.shared, block.moments[0])
    work, task = loaded(block.task, block.moments[1])
    found: Found = work(context.value, task)
    context.rest()
    content = framed(found)
    if any(Deadline.at(moment).passed for moments in block.moments for moment in moments):
        return content
    folder.write(block.name, [content])
    return None


@functools.lru_cache(maxsize=1)
def _context(place: str, shared: str, moments: Moments) -> Mapped:
    """Load the objects that blocks share, and cache them for the next blocks."""
    return Mapped(folder_at(place).on_disk(shared), moments)


def framed(found: Found) -> bytes:
    """Serialize a result as the content of a file."""
    return checkpoint.framed(_KIND, found)


def content_of(framed: bytes | None) -> Found | None:
    """The result in the content of a file; None: there is no file, or it is damaged."""
    if framed is None or len(framed) < checkpoint.FRAME.size:
        return None
    size, checksum = checkpoint.FRAME.unpack_from(framed)
    content = framed[checkpoint.FRAME.size :]
    if len(content) != size or zlib.crc32(content) != checksum:
        return None
    return checkpoint.unpacked(content)[1]


@functools.cache
def code_digest() -> str:
    """Digest of the package's code: workers must have the same."""
    root = Path(__file__).resolve().parents[1]
    made = hashlib.blake2b(digest_size=16)
    for path in sorted(root.rglob("*.py")):
        made.update(path.relative_to(root).as_posix().encode())
        made.update(path.read_bytes())
    return made.hexdigest()


PATIENCE = 60.0
"""Seconds that a run waits for a worker when there is none that works."""

_GLANCE = 2.0  # seconds between looks at the cluster, while waiting


class DaskExecutor:
    """Workers of a cluster, and the folder that they share with this run.

    Parameters
    ----------
    client
        Of the cluster.
    folder
        Blocks that are in it are taken as they are.
    """

    def __init__(self, client: Client, folder: SharedFolder) -> None:
        self._client, self._folder = client, folder
        self._shared: dict[str, Moments] = {}  # of each file that was laid down for blocks
        self._warm: set[str] = set()

    def share(self, context: object) -> str:
        """Lay down what many tasks need where all workers see it."""
        made = dumped(context)
        name = f"shared-{made.digest}"
        if name not in self._shared:
            self._folder.write(name, made.parts)
        self._shared[name] = made.moments
        return name

    def forget_shared(self) -> None:
        """Remove the files of shared objects; results stay."""
        for name in self._shared:
            self._folder.forget(name)
        self._shared.clear()

    def each(
        self, work: Callable[[Any, Any], Found], shared: str, tasks: Sequence[object]
    ) -> Iterator[Found]:
        """The result of each task, in the order of the tasks.

        Raises
        ------
        InputError
            The cluster is lost, or no worker could do a block.
        """
        blocks = [self._block(work, shared, task) for task in tasks]
        missing = {one.name: one for one in blocks if self._read(one) is None}
        futures = self._handed_out(funcname(work), list(missing.values()))
        try:
            for block in blocks:
                future = futures.pop(block.name, None)
                late = None if future is None else self._waited(future, block)
                found = content_of(late) if late is not None else self._read(block)
                if found is None:
                    raise InputError(
                        f"block {block.name} is gone, or damaged",
                        file=self._folder.place,
                        hint="run the same command again",
                    )
                yield found
        finally:
            if futures and self._client.status == "running":
                self._client.cancel(list(futures.values()))

    def _block(self, work: Callable[[Any, Any], Found], shared: str, task: object) -> ClusterBlock:
        """The description of a task for a worker."""
        content, moments = dumped_small((work, task))
        name = digest([code_digest().encode(), shared.encode(), content])
        both = (self._shared[shared], moments)
        return ClusterBlock(f"block-{name}", self._folder.place, shared, content, both)

    def _read(self, block: ClusterBlock) -> Found | None:
        """The result of a block; None: there is none yet."""
        return content_of(self._folder.read(block.name))

    def _handed_out(self, kind: str, blocks: Sequence[ClusterBlock]) -> dict[str, Future[Any]]:
        """The blocks as futures, by name.

        Each machine first gets one block of a kind, which compiles and caches its functions; the
        other blocks use the cache instead of compiling the same functions concurrently.
        """
        first: dict[str, Future[Any]] = {}
        if kind not in self._warm and blocks:
            self._warm.add(kind)
            for block, worker in zip(blocks, self._one_of_each_machine(), strict=False):
                first[block.name] = self._submitted(kind, block, worker)
            for block in blocks[: len(first)]:
                self._waited(first[block.name], block)
        rest = blocks[len(first) :]
        return first | {block.name: self._submitted(kind, block) for block in rest}

    def _submitted(self, kind: str, block: ClusterBlock, worker: str | None = None) -> Future[Any]:
        """A block as a future."""
        return self._client.submit(
            do_block,
            block,
            key=f"{kind.strip('_')}-{secrets.token_hex(16)}",  # a block may be done twice
            workers=worker,
            allow_other_workers=worker is not None,
            pure=False,
        )

    def _one_of_each_machine(self) -> list[str]:
        """Addresses of workers, one for each machine."""
        workers = self._client.scheduler_info()["workers"]
        return list({one["host"]: address for address, one in workers.items()}.values())

    def _waited(self, future: Future[Any], block: ClusterBlock) -> bytes | None:
        """The result of a finished block.

        Raises
        ------
        InputError
            The cluster is lost, or no worker could do it.
        """
        idle_since: float | None = None
        while True:
            try:
                late: bytes | None = future.result(timeout=_GLANCE)
            except TimeoutError:
                idle_since = self._looked_after(idle_since)
            except KilledWorker as error:
                raise InputError(
                    f"block {block.name} ended {error.allowed_failures + 1} workers, one after the"
                    " other",
                    hint="give them more memory, which most likely ran out",
                ) from None
            except (CancelledError, OSError) as error:
                own = not isinstance(error, (CancelledError, CommClosedError))
                if self._client.status == "running" and own:
                    raise  # of the block itself: a full disk, say
                raise lost() from None
            else:
                return late

    def _looked_after(self, idle_since: float | None) -> float | None:
        """Since when no worker works; None: some do.

        Raises
        ------
        InputError
            The cluster is lost, or has had no worker for long.
        """
        if self._client.status != "running":
            raise lost()
        workers = self._client.scheduler_info()["workers"].values()
        if any(one["status"] == "running" for one in workers):
            return None
        now = time.monotonic()
        if idle_since is not None and now - idle_since > PATIENCE:
            raise InputError(
                f"no worker of the cluster has worked for {PATIENCE:.0f} s",
                hint="start some or give them more memory, and run the same command to continue",
            )
        return idle_since or now


def lost() -> InputError:
    """The error for a cluster that does not answer any more."""
    return InputError(
        "the cluster's scheduler does not answer any more",
        hint="run the same command to continue from its folder",
    )
