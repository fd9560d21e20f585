"""Output options that commands share, and their checks before a long run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple

import typer

from mixsafe.errors import InputError
from mixsafe_cli.options.apart import STDOUT
from mixsafe_cli.options.records import panel

_option = panel()

OutputFile = Annotated[Path, typer.Option("--output", "-o", help="File to write.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
JsonTarget = Annotated[
    str | None,
    typer.Option("--json", metavar="FILE|-", help="Write JSON to a file or stdout (-)."),
]
ResumeFolder = Annotated[
    Path | None,
    typer.Option("--resume", metavar="DIR", help="Keep findings in DIR; continue from them."),
]
CertificateFolder = Annotated[
    Path | None,
    typer.Option("--certificates", metavar="DIR", help="Write proofs for 'mixsafe check'."),
]
PlotTarget = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Draw the result: .png or .svg.")
]


def table_option(help: str) -> Any:  # noqa: ANN401 -- a field of a record
    """The option ``--output``, for a table."""
    return _option(help, "--output", "-o")


class Kind(NamedTuple):
    """A kind of files, and how their names end."""

    name: str
    endings: tuple[str, ...]


TABLE = Kind("table", (".csv", ".parquet"))
CSV_TABLE = Kind("CSV table", (".csv",))
PICTURE = Kind("picture", (".png", ".svg"))
MAP = Kind("map", (".geojson", ".parquet"))
GRAPH = Kind("graph", (".graphml", ".gexf"))


def check_target(option: str, path: str | Path | None, kind: Kind | None = None) -> None:
    """Refuse a file that could not be written in the end, before any long work.

    Raises
    ------
    InputError
        Its ending is of another kind, it is a folder, or its folder is missing or may not be
        written to.
    """
    if path is None or (str(path) == STDOUT and kind in (None, TABLE)):
        return
    target = Path(path)
    if kind is not None and target.suffix.lower() not in kind.endings:
        hint = f"end its name in {' or '.join(kind.endings)}"
        raise InputError(f"{option} '{path}' is no {kind.name}", hint=hint)
    if target.is_dir():
        raise InputError(f"{option} is a folder", file=target, hint="name a file")
    _check_above(option, target)


def _check_above(option: str, target: Path) -> None:
    """Refuse a path whose folder is missing or not writable."""
    folder = target.absolute().parent
    if not folder.is_dir():
        raise InputError(f"{option}: its folder does not exist", file=target, hint="create it")
    if not os.access(folder, os.W_OK):
        raise InputError(f"{option}: its folder may not be written to", file=target)


def check_certificates(folder: Path | None) -> None:
    """Refuse a folder that certificates could not be written into in the end.

    Raises
    ------
    InputError
        It is a file, it holds something that is no certificate, or it cannot be made or written to.
    """
    if folder is not None:
        from mixsafe.io.certificates.certificate_writer import check_folder

        check_folder(folder)


def check_journal(folder: Path | None) -> None:
    """Refuse a folder that no run can be taken up from, or kept in.

    Raises
    ------
    InputError
        Says why.
    """
    if folder is not None:
        from mixsafe.machinery import checkpoint

        checkpoint.check_folder(folder)


def check_folder_target(option: str, folder: Path) -> None:
    """Refuse a folder that could not be filled in the end.

    Raises
    ------
    InputError
        It is a file, it has something in it, or the folder above it is missing or may not be
        written to.
    """
    if folder.is_dir() and any(folder.iterdir()):
        raise InputError(
            f"{option}: the folder is not empty", file=folder, hint="name another one, or empty it"
        )
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{option} is a file, not a folder", file=folder, hint="name a folder")
    _check_above(option, folder)


def check_new_folder(option: str, folder: Path) -> None:
    """Refuse a folder that could not be made, with those above it, or not be written to.

    Raises
    ------
    InputError
        It, or the nearest folder above it that exists, is a file or may not be written to.
    """
    place = folder.absolute()
    above = next(one for one in (place, *place.parents) if one.exists())
    if not above.is_dir():
        raise InputError(f"{option} is a file, not a folder", file=above, hint="name a folder")
    if not os.access(above, os.W_OK):
        raise InputError(f"{option}: its folder may not be written to", file=above)


class AnswerTargets:
    """Destinations of an answer; a command's record redefines those that it has."""

    output: Path | None = None
    candidates: Path | None = None
    json: str | None = None
    plot: Path | None = None
    map: Path | None = None
    certificates: Path | None = None
    resume: Path | None = None
    quiet: bool = False

    kinds: ClassVar[dict[str, Kind | None]] = {
        "output": TABLE,
        "candidates": TABLE,
        "json": None,
        "plot": PICTURE,
        "map": MAP,
        "graph": GRAPH,
    }
    """Of files, by the names of their options."""

    @property
    def shown(self) -> bool:
        """Whether one answer is written as JSON, a picture or a map."""
        return not (self.json is None and self.plot is None and self.map is None)

    @property
    def printed(self) -> bool:
        """Whether the terminal shows the answer: not if standard output takes a file."""
        return not self.quiet and STDOUT not in (self.json, str(self.output))

    def check(self) -> None:
        """Refuse targets that cannot be written.

        Raises
        ------
        InputError
            Says which, and why.
        """
        for name, kind in self.kinds.items():
            check_target(f"--{name}", getattr(self, name, None), kind)
        check_certificates(self.certificates)
        check_journal(self.resume)
