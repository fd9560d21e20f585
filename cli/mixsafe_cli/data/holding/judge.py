"""What the judge keeps of a tournament, so that the next call makes the same."""

from __future__ import annotations

import json as json_text
import secrets
from pathlib import Path
from typing import Any

from mixsafe.errors import InputError
from mixsafe.io.files.content import whole
from mixsafe.machinery.files import SECRET, make_folder, secret

KEPT = f"{SECRET}/judge.json"


def judges_seed(folder: Path, given: int | None, settings: dict[str, Any]) -> int:
    """The seed that was given, or that of the tournament in the folder, or a new one.

    Raises
    ------
    InputError
        The folder holds another tournament.
    """
    kept = folder / KEPT
    if not kept.exists():
        return secrets.randbits(128) if given is None else given
    content = whole(kept)
    try:
        found = json_text.loads(content.decode("utf-8"))
        seed = int(found.pop("seed"))
    except (ValueError, KeyError, AttributeError):
        raise InputError("this is not what the judge keeps", file=kept) from None
    if found != settings or given not in (None, seed):
        raise InputError(
            "the folder holds a tournament of another seed or other settings",
            file=folder,
            hint="use another folder",
        )
    return seed


@secret()
def keep_seed(folder: Path, seed: int, settings: dict[str, Any]) -> None:
    """Store the seed for the next call, readable by the judge only."""
    from mixsafe.machinery.files import write_text

    make_folder(folder / SECRET)
    text = json_text.dumps({"seed": seed, **settings}, indent=2)
    write_text(folder / KEPT, f"{text}\n")
