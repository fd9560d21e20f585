"""The result of a step as bytes: a header and the arrays, compressed by Zstandard.

The head is JSON: the step, and of each array its name, type, shape and packed size.
"""

from __future__ import annotations

import json
import struct
import zlib

import numpy as np
import pyarrow as pa

from mixsafe.model.course import Entry

FRAME = struct.Struct("<QI")  # bytes of what follows, and their CRC-32
_HEAD = struct.Struct("<I")  # bytes of an entry's JSON head


def packed(step: str, entry: Entry) -> bytes:
    """An entry as bytes."""
    codec = pa.Codec("zstd", compression_level=1)
    parts = [
        codec.compress(pa.py_buffer(np.ascontiguousarray(array)), asbytes=True)
        for array in entry.values()
    ]
    arrays = [
        [name, array.dtype.str, array.shape, len(part)]
        for (name, array), part in zip(entry.items(), parts, strict=True)
    ]
    head = json.dumps([step, arrays]).encode()
    return b"".join([_HEAD.pack(len(head)), head, *parts])


def framed(step: str, entry: Entry) -> bytes:
    """An entry as bytes, with their number and a checksum before them (``FRAME``)."""
    content = packed(step, entry)
    return FRAME.pack(len(content), zlib.crc32(content)) + content


def unpacked(content: bytes) -> tuple[str, Entry]:
    """The step and the arrays of an entry."""
    codec = pa.Codec("zstd", compression_level=1)
    begin = _HEAD.size + _HEAD.unpack_from(content)[0]
    step, arrays = json.loads(content[_HEAD.size : begin])
    entry = {}
    for name, kind, shape, size in arrays:
        dtype = np.dtype(kind)
        n_bytes = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        raw = codec.decompress(content[begin : begin + size], decompressed_size=n_bytes)
        entry[name] = np.frombuffer(raw, dtype).reshape(shape).copy()
        begin += size
    return step, entry
