"""Changes that no reader expects: bytes, lines, cells, values of JSON, columns of Parquet."""

from __future__ import annotations

import gzip
import io
import json
import re
import tarfile
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

Random = np.random.Generator
Mutation = Callable[[bytes, Random], bytes]

WORDS = (
    "", " ", "0", "-1", "1", "2", "3.5", "-0.0", "1e308", "1e309", "-1e308", "NaN", "Infinity",
    "-Infinity", "inf", "true", "null", "None", "9007199254740993", "2147483648",
    "9223372036854775807", "9223372036854775808", "18446744073709551616", "1" * 400, "0x10",
    "1_000", "\uff11\uff12", "9" * 5000, "+3", "1e400", "0X1F", "4294967297", "2\ufe0f",
    "٣", "½", "=1+1", "=HYPERLINK(\"http://x\")", "@SUM(1)", "\u202eabc", "\x1b[31mred\x1b[0m",
    "\x00", "a,b", "a\"b", "'", "2008-05-17T10:00:04Z", "2008-05-17T25:00:00", "0000-00-00",
    "9999-12-31T23:59:59+14:00", "12/31/2008", "POINT (1 2)", "POINT (1e400 2)", "é", "\U0001f600",
    "*", "ann", "../../x", "\\", "%s", "{}", "[]", "1 2", "91", "-91", "181", "nan,nan",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 10**9, 2**31, 2**53 + 1, 2**63, 2**64, -(2**63) - 1, 1.5, -0.0,
    1e308, -1e308, float("inf"), float("nan"), "", "x", "\u202e", "\x1b[2J", [], [[]], {}, {"a": 1},
    [1, 2], [[1, [0, 1]]], [1e308] * 3, "1", ["a"] * 3, [None], {"": None},
    "\ud800", "a\udfff", {"\udc00": 1}, 10**400, 2**32 + 1, "1_000", "\uff12",
)  # fmt: skip


def _pick(random: Random, options: Any) -> Any:
    return options[int(random.integers(len(options)))]


def flipped(content: bytes, random: Random) -> bytes:
    """Some bytes are others."""
    made = bytearray(content)
    for _ in range(int(random.integers(1, 6))):
        if made:
            made[int(random.integers(len(made)))] = int(random.integers(256))
    return bytes(made)


def cut(content: bytes, random: Random) -> bytes:
    """A stretch is gone, or the end."""
    begin = int(random.integers(len(content) + 1))
    end = len(content) if random.random() < 0.5 else begin + int(random.integers(1, 40))
    return content[:begin] + content[end:]


def repeated(content: bytes, random: Random) -> bytes:
    """A stretch is there twice, or very often."""
    begin = int(random.integers(len(content) + 1))
    part = content[begin : begin + int(random.integers(1, 60))]
    return content[:begin] + part * _pick(random, (2, 3, 500)) + content[begin:]


def wrapped(content: bytes, random: Random) -> bytes:
    """The same in another encoding, packed, or with what editors leave."""
    text = content.decode("utf-8", "replace")
    paths: tuple[Callable[[], bytes], ...] = (
        lambda: b"\xef\xbb\xbf" + content,
        lambda: text.encode("utf-16"),
        lambda: text.encode("latin-1", "replace"),
        lambda: gzip.compress(content),
        lambda: content.replace(b"\n", b"\r\n"),
        lambda: content.replace(b"\n", b"\r"),
        lambda: content.replace(b",", b";"),
        lambda: content.replace(b",", b", "),
        lambda: content.replace(b",", b"\t"),
        lambda: b"\n" * int(random.integers(1, 4)) + content,
        lambda: content + b"\x1a",
        lambda: content.rstrip(b"\n"),
        lambda: b"# a comment\n" + content,
        lambda: b"PK\x03\x04" + content,
        lambda: b"",
    )
    return bytes(_pick(random, paths)())


def lines(content: bytes, random: Random) -> bytes:
    """Lines are gone, doubled or in another order."""
    rows = content.split(b"\n")
    place, other = (int(random.integers(len(rows))) for _ in range(2))
    way = int(random.integers(4))
    if way == 0:
        del rows[place]
    elif way == 1:
        rows.insert(place, rows[other])
    elif way == 2:
        rows[place], rows[other] = rows[other], rows[place]
    else:
        rows[place] += b"," + rows[other]
    return b"\n".join(rows)


def cells(content: bytes, random: Random) -> bytes:
    """One to three cells of a table, or words of a text, are something else."""
    parts = re.split(rb"([,\n \t\"\[\]{}:=]+)", content)
    for _ in range(int(random.integers(1, 4))):
        place = int(random.integers((len(parts) + 1) // 2)) * 2
        parts[place] = _pick(random, WORDS).encode("utf-8")
    return b"".join(parts)


def columns(content: bytes, random: Random) -> bytes:
    """A column of a table is gone, doubled, moved, or called otherwise."""
    rows = [row.split(b",") for row in content.split(b"\n")]
    width = len(rows[0])
    place, way = int(random.integers(width)), int(random.integers(4))
    if way == 3:
        rows[0][place] = _pick(random, (*WORDS, "user_id", "time", "k")).encode()
        return b"\n".join(b",".join(row) for row in rows)
    for row in rows:
        if len(row) == width:
            value = row.pop(place)
            if way == 1:
                row[:0] = [value, value]
            elif way == 2:
                row.append(value)
    return b"\n".join(b",".join(row) for row in rows)


def json_values(content: bytes, random: Random) -> bytes:
    """A value somewhere in JSON is another, is gone, or stands under another key."""
    rows = content.decode("utf-8").splitlines() if b"}\n{" in content else [content.decode("utf-8")]
    place = int(random.integers(len(rows)))
    found = json.loads(rows[place])
    holders = list(_holders(found))
    for _ in range(int(random.integers(1, 3))):
        holder = _pick(random, holders)
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys:
            continue
        key = _pick(random, keys)
        if random.random() < 0.2:
            del holder[key]
        else:
            holder[key] = _pick(random, VALUES)
    rows[place] = json.dumps(found)
    return "\n".join(rows).encode()


def _holders(value: Any) -> Any:
    """All objects and lists in a value."""
    if isinstance(value, dict | list):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _holders(inner)


def elements(content: bytes, random: Random) -> bytes:
    """Tags of XML are gone, doubled, or others; or what is in one."""
    parts = re.split(rb"(<[^<>]*>)", content)
    for _ in range(int(random.integers(1, 4))):
        place, way = int(random.integers(len(parts))), int(random.integers(4))
        if way == 0:
            parts[place] = b""
        elif way == 1:
            parts[place] *= 2
        elif way == 2:
            parts[place] = _pick(random, parts)
        else:
            parts[place] = _pick(random, (*WORDS, "<trk>", "</trk>", "&x;", "<!-- ", "]]>",
                '<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/passwd">]>')).encode()  # fmt: skip
    return b"".join(parts)


def parquet_columns(content: bytes, random: Random) -> bytes:
    """A column of Parquet has other values, another type, another name, or is gone."""
    table = parquet.read_table(io.BytesIO(content))
    place = int(random.integers(table.num_columns))
    name, n = table.column_names[place], table.num_rows
    columns_of = (
        lambda: pa.array([2**63 - 1] * n, pa.int64()),
        lambda: pa.array([2**53 + 1] * n, pa.int64()),
        lambda: pa.array([-(2**63)] * n, pa.int64()),
        lambda: pa.array([2**64 - 1] * n, pa.uint64()),
        lambda: pa.array([float("nan")] * n),
        lambda: pa.array([1e308] * n),
        lambda: pa.array([None] * n, pa.int64()),
        lambda: pa.nulls(n),
        lambda: pa.array([str(_pick(random, WORDS)) for _ in range(n)]),
        lambda: pa.array([b"\xff\xfe"] * n),
        lambda: pa.array([[1, 2]] * n),
        lambda: pa.array([True] * n),
        lambda: pa.array([0] * n, pa.timestamp("ns", "Asia/Tokyo")),
        lambda: pa.array([10**15] * n, pa.timestamp("s")),
        lambda: pa.array([0] * n, pa.date32()),
        lambda: pa.array(["a"] * n).dictionary_encode(),
        lambda: pa.array([{"x": 1}] * n),
        lambda: pa.array([1] * n, pa.decimal128(20, 3)),
        lambda: pa.array([1] * n, pa.float16() if n == 0 else pa.int8()),
    )
    way = random.random()
    if way < 0.1 and table.num_columns > 1:
        table = table.drop_columns([name])
    elif way < 0.2:
        names = [*table.column_names]
        names[place] = str(_pick(random, WORDS))
        table = table.rename_columns(names)
    elif way < 0.25:
        table = table.slice(0, 0)
    else:
        table = table.set_column(place, name, _pick(random, columns_of)())
    buffer = io.BytesIO()
    parquet.write_table(table, buffer)
    return buffer.getvalue()


def archived(content: bytes, random: Random) -> bytes:
    """A member of an archive has other content, another name or another kind."""
    buffer = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(content)) as old,
        tarfile.open(fileobj=buffer, mode="w") as new,
    ):
        members = old.getmembers()
        wrong = int(random.integers(len(members)))
        for number, member in enumerate(members):
            file = old.extractfile(member)
            text = b"" if file is None else file.read()
            if number == wrong:
                way = int(random.integers(4))
                if way == 0:
                    member.name = str(_pick(random, WORDS)) or "x"
                elif way == 1:
                    member.type = _pick(random, (b"2", b"5", b"6"))
                    member.linkname = "/etc/passwd"
                else:
                    text = _pick(random, TEXT)(text, random)
            member.size = len(text)
            new.addfile(member, io.BytesIO(text))
    return gzip.compress(buffer.getvalue(), mtime=0)  # the same seed makes the same file


def packed_bytes(content: bytes, random: Random) -> bytes:
    """Bytes of an archive are others below its compression, whose checksum would tell them."""
    return gzip.compress(flipped(gzip.decompress(content), random), mtime=0)


def tar_sizes(content: bytes, random: Random) -> bytes:
    """A member of an archive has another size in its header, or says that it is sparse."""
    made = bytearray(gzip.decompress(content))
    headers = [at for at in range(0, len(made), 512) if made[at + 257 : at + 262] == b"ustar"]
    at = _pick(random, headers)
    if random.random() < 0.3:
        made[at + 156 : at + 157] = _pick(random, (b"S", b"L", b"x", b"K"))
    size = _pick(
        random, (0, 1, 511, 10**6, 8**11 - 1, 2**40, 2**63 - 1, 2**63, 2**87, -1, -(2**40))
    )
    fits = 0 <= size < 8**11
    field = b"%011o\0" % size if fits else b"\x80" + (size % 2**88).to_bytes(11, "big")
    made[at + 124 : at + 136] = b"\xff" + field[1:] if size < 0 else field
    made[at + 148 : at + 156] = b" " * 8
    made[at + 148 : at + 156] = b"%06o\0 " % sum(made[at : at + 512])
    return gzip.compress(bytes(made), mtime=0)


def zip_fields(content: bytes, random: Random) -> bytes:
    """A method, a flag, a size, an offset or a length of an archive is another."""
    made = bytearray(content)
    fields = {b"PK\1\2": (4, 6, 8, 10, 16, 20, 24, 28, 30, 32, 38, 42),
              b"PK\3\4": (4, 6, 8, 14, 18, 22, 26, 28), b"PK\5\6": (4, 8, 10, 12, 16)}  # fmt: skip
    for _ in range(int(random.integers(1, 4))):
        magic = _pick(random, [*fields])
        places = [found.start() for found in re.finditer(re.escape(magic), content)]
        at = _pick(random, places) + _pick(random, fields[magic])
        size, value = _pick(random, (2, 4)), _pick(random, (0, 1, 8, 12, 14, 93, 99, 2**16 - 1,
                                                            2**31, 2**32 - 1))  # fmt: skip
        made[at : at + size] = (value % 256**size).to_bytes(size, "little")
    return bytes(made)


def zipped_again(content: bytes, random: Random) -> bytes:
    """Members of an archive are packed with another method, or have other contents."""
    buffer = io.BytesIO()
    method = _pick(
        random, (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    )
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(buffer, "w", method) as new:
        for member in old.infolist():
            text = old.read(member)
            new.writestr(member.filename, _pick(random, TEXT)(text, random))
    return buffer.getvalue()


TEXT: tuple[Mutation, ...] = (flipped, cut, repeated, wrapped, lines, cells, cells, columns)
JSON: tuple[Mutation, ...] = (json_values, json_values, json_values, cells, cut, wrapped, flipped)
PARQUET: tuple[Mutation, ...] = (parquet_columns, parquet_columns, parquet_columns, flipped, cut)
ARCHIVE: tuple[Mutation, ...] = (archived, archived, packed_bytes, tar_sizes, flipped, cut)
ZIP: tuple[Mutation, ...] = (zip_fields, zip_fields, zipped_again, flipped, cut, repeated)


BYTES: tuple[Mutation, ...] = (flipped, flipped, cut, repeated)
XML: tuple[Mutation, ...] = (elements, elements, cells, cut, wrapped, flipped)
KINDS = {"json": JSON, "jsonl": JSON, "geojson": JSON, "geojsonl": JSON, "parquet": PARQUET,
         "tar.gz": ARCHIVE, "zip": ZIP, "gpkg": BYTES, "fgb": BYTES, "npz": ZIP[:2] + BYTES,
         "gpx": XML, "kml": XML}  # fmt: skip
PACKED = {"csv.gz": "gzip", "csv.zst": "zstd", "jsonl.gz": "gzip"}


def mutated(content: bytes, name: str, random: Random) -> tuple[str, bytes]:
    """What was changed, by the kind that a name says, and what the file is now."""
    ending = name.rpartition("/")[2].partition(".")[2]
    if ending in PACKED and random.random() < 0.7:
        return packed_again(content, PACKED[ending], random)
    change: Mutation = _pick(random, BYTES if ending in PACKED else KINDS.get(ending, TEXT))
    return _called(change), bytes(change(content, random))


def packed_again(content: bytes, codec: str, random: Random) -> tuple[str, bytes]:
    """What was changed in a packed file, and what it is now."""
    with pa.CompressedInputStream(pa.BufferReader(content), codec) as stream:
        text = stream.read()
    change: Mutation = _pick(random, TEXT)
    buffer = pa.BufferOutputStream()
    with pa.CompressedOutputStream(buffer, codec) as stream:
        stream.write(change(text, random))
    return f"{_called(change)}, packed again", bytes(buffer.getvalue().to_pybytes())


def _called(change: Mutation) -> str:
    """Name of a change, in words."""
    return change.__name__.replace("_", " ").replace("json", "JSON").replace("parquet", "Parquet")
