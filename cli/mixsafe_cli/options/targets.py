"""Where answers go, as commands name it: the options that they share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

OutputFile = Annotated[Path, typer.Option("--output", "-o", help="File to write.")]
