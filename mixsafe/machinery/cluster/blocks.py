"""A block: one task of one worker, which writes its result to one file.

The file's name is a digest of the code, the shared objects and the task. So an existing block is
reused, whichever run made it, and a block of another question is never taken.
"""

from __future__ import annotations

import functools
import hashlib
import zlib
from dataclasses import dataclass
from pathlib import Path

from mixsafe.machinery.cluster.shared_folder import folder_at
from mixsafe.machinery.cluster.shared_objects import Mapped, Moments, loaded
from mixsafe.machinery.compiled import compile_always
from mixsafe.machinery.journal import packing
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
    return packing.framed(_KIND, found)


def content_of(framed: bytes | None) -> Found | None:
    """The result in the content of a file; None: there is no file, or it is damaged."""
    if framed is None or len(framed) < packing.FRAME.size:
        return None
    size, checksum = packing.FRAME.unpack_from(framed)
    content = framed[packing.FRAME.size :]
    if len(content) != size or zlib.crc32(content) != checksum:
        return None
    return packing.unpacked(content)[1]


@functools.cache
def code_digest() -> str:
    """Digest of the package's code: workers must have the same."""
    root = Path(__file__).resolve().parents[1]
    made = hashlib.blake2b(digest_size=16)
    for path in sorted(root.rglob("*.py")):
        made.update(path.relative_to(root).as_posix().encode())
        made.update(path.read_bytes())
    return made.hexdigest()
