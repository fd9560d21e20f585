"""Where answers go, as commands name it: the options that they share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

OutputFile = Annotated[Path, typer.Option("--output", "-o", help="File to write.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
JsonTarget = Annotated[
    str | None,
    typer.Option("--json", metavar="FILE|-", help="The answer as JSON; -: on stdout."),
]
ResumeFolder = Annotated[
    Path | None,
    typer.Option("--resume", metavar="DIR", help="Keep what is found, or go on from there."),
]
CertificateFolder = Annotated[
    Path | None,
    typer.Option("--certificates", metavar="DIR", help="Witnesses, for 'mixsafe check'."),
]
PlotTarget = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Pictures of it: .png or .svg.")
]
MapTarget = Annotated[
    Path | None,
    typer.Option(
        "--map", help="Where people are exposed, for QGIS and the like: .geojson or .parquet."
    ),
]
