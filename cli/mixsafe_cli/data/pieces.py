"""Traces that are written as they are made, some users after the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import TypeVar

from mixsafe_cli.render.progress import progress

_Piece = TypeVar("_Piece")


def write_pieces(
    stream: AbstractContextManager[Callable[[_Piece], None]],
    pieces: Iterable[tuple[_Piece, int]],
    doing: str,
    users: int,
    quiet: bool,
) -> None:
    """Write all pieces.

    Parameters
    ----------
    stream
        Where they go.
    pieces
        Each with its number of users.
    doing
        What users do, in a word.
    users
        How many there are in all.
    """
    with progress(quiet) as report, stream as add:
        done = 0
        for piece, count in pieces:
            add(piece)
            done += count
            report(doing, done, users)
