"""What a command does with a file that is not what it should be, and what it must not do."""

from __future__ import annotations

import contextlib
import csv
import gzip
import json
import re
import resource
import shutil
import signal
import time
import traceback
import unicodedata
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import numpy as np
from typer.testing import CliRunner

from mixsafe_cli.app import app
from mixsafe_cli.standard_streams import standard_input
from tests.support.advice import options_that_are_not_there
from tests.support.fuzz_cases import Case
from tests.support.fuzz_mutations import mutated

SECONDS = 20.0
"""Beyond which something is wrong: the files are some hundred bytes long."""

MEGABYTES = 400
"""By which a process may grow at one input."""

DASH = "-"
"""In place of a file: standard input."""

RUN = CliRunner()

_BINARY = (".gz", ".zst", ".parquet", ".gpkg", ".fgb", ".zip", ".npz")
_ENCODINGS = ("utf-8", "cp1252", "utf-16", "utf-32")

_OPTION = "mixsafe: --"
"""How a message begins that is about the command line."""


class _TooLongError(BaseException):
    """The alarm of :func:`_limited`; nobody may take it for bad input."""


@dataclass(frozen=True)
class Outcome:
    """What became of an input.

    Parameters
    ----------
    status
        Of the command.
    flaws
        What it must not do and did; empty: all is well.
    said
        On standard error.
    """

    status: int
    flaws: tuple[str, ...]
    said: str


class Fuzzed(NamedTuple):
    """A changed file, and what became of it.

    Parameters
    ----------
    name
        Of the file.
    change
        What kind of change.
    content
        What is in it.
    outcome
        Of the command.
    """

    name: str
    change: str
    content: bytes
    outcome: Outcome


def fuzz_once(case: Case, folder: Path, random: np.random.Generator) -> Fuzzed:
    """Change one file of a case and run its command."""
    name = case.changed[int(random.integers(len(case.changed)))]
    change, content = mutated(case.files[name], name, random)
    written(case, folder)
    (folder / name).write_bytes(content)
    return Fuzzed(name, change, content, run_once(case, name, folder))


def written(case: Case, folder: Path) -> None:
    """Write the files of a case into a folder, as they are."""
    for file, content in case.files.items():
        place = folder / file
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


def run_once(case: Case, name: str, folder: Path) -> Outcome:
    """Run the command of a case in a folder that has its files, ``name`` being changed."""
    given = (folder / name).read_bytes() if DASH in case.words else None
    standard_input.cache_clear()
    before, began = _memory(anew=True), time.process_time()
    try:
        with _limited(), contextlib.chdir(folder):
            result = RUN.invoke(app, list(case.words), input=given)
    except _TooLongError:
        return Outcome(-1, (f"takes longer than {SECONDS:g} s",), "")
    grown = _memory() - before
    flaws = list(_flaws(case, name, folder, result.exit_code, result.stderr, result.stdout))
    if grown > MEGABYTES:
        flaws.append(f"takes {grown:.0f} MB more")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        flaws.append("".join(traceback.format_exception(result.exception)).splitlines()[-1])
    if time.process_time() - began > SECONDS:
        flaws.append("takes long")
    return Outcome(result.exit_code, tuple(flaws), result.stderr)


def _memory(*, anew: bool = False) -> float:
    """Most memory that the process has had, MiB; ``anew``: from now on, where that can be."""
    with contextlib.suppress(OSError):
        if anew:
            Path("/proc/self/clear_refs").write_text("5")
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _flaws(
    case: Case, name: str, folder: Path, status: int, said: str, shown: str
) -> Iterator[str]:
    """What a command must not do."""
    written = sorted(folder.glob("out*"))
    own = {Path(file).parts[0] for file in case.files}
    strange = [one.name for one in folder.iterdir() if one.name not in own and one not in written]
    hidden = [path.name for path in folder.rglob(".*")]
    if "this is a bug" in said or "Traceback" in said:
        yield "is called a bug"
    if "out of memory" in said:
        yield "takes all memory"
    if status not in (0, 1, 2, 3, 4):
        yield f"ends with status {status}"
    if hidden:
        yield "leaves a draft behind"
    if strange:
        yield f"leaves what nobody asked for: {strange}"
    if any((folder / file).read_bytes() != case.files[file] for file in case.files if file != name):
        yield "changes a file that it reads"
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", said + shown):
        yield "sends control characters to the terminal"
    if status == 2:
        yield from _refused(case, name, said, written)
    else:
        yield from _answered(case, folder)
        yield from _strangers(case, name, folder)


def _refused(case: Case, name: str, said: str, written: list[Path]) -> Iterator[str]:
    """What a command must not do that refuses an input."""
    last = said.rstrip("\n").rpartition("\n")[2]
    if not last.startswith("mixsafe: "):
        yield "has no line that says what is wrong"
    elif not _names(last, case, name):
        yield "has a message without its file"
    if written:
        yield "leaves a part of the output"
    advised = options_that_are_not_there(last.partition(name)[2], case.words)
    if advised:
        yield f"advises options that it does not have: {advised}"


def _answered(case: Case, folder: Path) -> Iterator[str]:
    """What a command must not do that answers: all is there, and everybody reads its JSON."""
    missing = [one for one in case.words if one.startswith("out") and not (folder / one).exists()]
    if missing:
        yield f"leaves out {missing}"
    for path in folder.glob("out*"):
        if path.suffix in (".json", ".geojson"):
            yield from _strict(path)


def _strangers(case: Case, name: str, folder: Path) -> Iterator[str]:
    """People of whom no text file of the case knows: a reader may not make some up."""
    table = folder / "out.csv"
    if case.words[0] != "verify" or not table.exists() or name.endswith(_BINARY):
        return
    known = _letters("\n".join([*case.words, *case.files]))
    for file in case.files:
        content = (folder / file).read_bytes()
        with contextlib.suppress(OSError, EOFError, zlib.error):
            content = gzip.decompress(content)
        known += "".join(_letters(content.decode(one, "ignore")) for one in _ENCODINGS)
    numbers = {float(one) for one in re.findall(r"[0-9]+(?:\.[0-9]*)?(?:e\+?[0-9]{1,2})?", known)}
    with table.open(newline="", encoding="utf-8") as file:
        people = {row["user_id"] for row in csv.DictReader(file) if row.get("user_id")}
    for one in people:
        whole = re.fullmatch(r"[0-9]{1,15}", one) is not None
        if _letters(one) not in known and not (whole and float(one) in numbers):
            yield f"has a person '{one}', of whom the file knows nothing"


def _letters(text: str) -> str:
    """A text in one spelling: without blanks, capitals, quotes, escapes and what is not seen."""
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
    text = unicodedata.normalize("NFKC", text.replace('""', '"')).casefold()
    return "".join(one for one in text if not one.isspace() and unicodedata.category(one) != "Cf")


def _names(line: str, case: Case, name: str) -> bool:
    """Whether a message says which file it is about, or is about the command line."""
    files = [part for file in case.files for part in (file, Path(file).parts[0])]
    files += [word for word in case.words if word.startswith("out")]
    if DASH in case.words:
        files.append("standard input")
    return any(file in line for file in files) or "--help'" in line or line.startswith(_OPTION)


def _strict(path: Path) -> Iterator[str]:
    """Whether a file of JSON is JSON that everybody reads."""

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        for line in path.read_text().splitlines() if _by_line(path) else [path.read_text()]:
            json.loads(line, parse_constant=refuse)
    except ValueError as error:
        yield f"writes JSON that is none: {error}"


def _by_line(path: Path) -> bool:
    text = path.read_text()
    return "\n{" in text and not text.startswith("{\n")


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """An alarm after some seconds."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise _TooLongError

    former = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, SECONDS + 5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, former)


def emptied(folder: Path) -> Path:
    """The folder with nothing in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder
