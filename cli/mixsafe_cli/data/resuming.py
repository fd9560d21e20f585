"""``--resume DIR``: runs that can be stopped and taken up again."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mixsafe.journal.steps import Journal
    from mixsafe.model.question.problem import Problem
    from mixsafe_cli.options.options import EngineOptions, QuestionOptions


@contextmanager
def kept(
    folder: Path | None,
    problems: list[Problem],
    question: QuestionOptions,
    engine: EngineOptions,
    seed: int,
) -> Iterator[Journal | None]:
    """A journal in a folder; None: nothing is to be kept.

    Whoever interrupts the run is told how to go on.

    Raises
    ------
    InputError
        The folder is of another run: other data, or another question, engine or seed.
    """
    if folder is None:
        yield None
        return
    from mixsafe import __version__
    from mixsafe.journal.checkpoint import Checkpoint
    from mixsafe.model.question.fingerprint import fingerprint
    from mixsafe.verify.engines.registry import ENGINES

    data = hashlib.sha256("".join(map(fingerprint, problems)).encode()).hexdigest()
    asked: dict[str, str | int | None] = {
        "data": data,
        "k": question.k,
        "at": question.at,
        "rule": question.rule,
        "exhaustive": question.exhaustive,
        "engine": engine.engine,
        "encoding": ENGINES[engine.engine].encoding(engine.encoding),
        "seed": seed,
        "version": __version__,
    }
    with Checkpoint(folder, asked) as journal:
        try:
            yield journal
        except KeyboardInterrupt:
            print(  # noqa: T201
                f"note: what was decided is in {folder}; the same command goes on from there",
                file=sys.stderr,
            )
            raise
