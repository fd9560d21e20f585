"""How a result was made, so that a page about it can say so."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mixsafe_cli.options import (
    AdversaryOptions,
    EngineOptions,
    QuestionOptions,
    SourceOptions,
)

if TYPE_CHECKING:
    from mixsafe.model.mix_zones import MixZones
    from mixsafe.model.problem import Problem
    from mixsafe.model.traces import Traces
    from mixsafe.report.places import Atlas
    from mixsafe.verify.verification import Verification

SAYINGS = {
    "none": "She has seen nobody",
    "endpoints": "She knows every person before the first and at the last step",
    "daily": "She knows every person at the first and the last step of every day",
    "home": "She knows every person whenever that person is at home",
}


def atlas_of(data: Traces | MixZones | list[Problem], options: SourceOptions) -> Atlas | None:
    """Where places are, if the source says it."""
    from mixsafe.model.traces import Traces
    from mixsafe.report.places import Atlas

    return Atlas.of(data, options.cell_metres) if isinstance(data, Traces) else None


@dataclasses.dataclass(frozen=True)
class Made:
    """The command and options that made an answer.

    Parameters
    ----------
    words
        Of the command line, without the program's name.
    options
        Source, question, adversary and engine.
    atlas
        Where places are; None: not known.
    said_by_source
        The source says itself what the adversary knows.
    """

    words: Sequence[str]
    options: tuple[SourceOptions, QuestionOptions, AdversaryOptions, EngineOptions]
    atlas: Atlas | None
    said_by_source: bool = False

    @property
    def adversary(self) -> str | None:
        """The adversary as she was named."""
        return self.options[2].adversary

    def digest(self, answer: Verification, path: Path) -> dict[str, Any]:
        """What a page shows of an answer about the source ``path``."""
        from mixsafe.report.digest import digest
        from mixsafe.report.provenance import provenance

        source, question, adversary, _ = self.options
        name = adversary.adversary or "endpoints"
        file = None if name in SAYINGS else Path(name)
        files = {
            "source": path,
            "users": source.user_list,
            "requirements": question.requirements,
            "adversary": file,
        }
        if self.said_by_source:
            said = "She has the sightings that the problem lists"
        else:
            said = SAYINGS.get(name, f"She knows when {Path(name).name} says that she saw people")
        return digest(
            answer,
            adversary=said,
            atlas=self.atlas,
            provenance=provenance(
                ["mixsafe", *self.words],
                {what: file for what, file in files.items() if file is not None},
                self._parameters(),
                source.seed,
            ),
        )

    def _parameters(self) -> dict[str, Any]:
        """Options that were given, and those defaults that matter most."""
        given: dict[str, Any] = {} if self.said_by_source else {"adversary": "endpoints"}
        for record in self.options:
            for field in dataclasses.fields(record):
                value = getattr(record, field.name)
                if (
                    value is not None
                    and value is not False
                    and field.name not in ("source", "seed")
                ):
                    given[field.name.replace("_", "-")] = value
        if self.atlas is not None and self.atlas.grid is not None:
            source = self.options[0]
            given["cell-size"] = source.cell_metres
            given["time-step"] = source.step_seconds
        if not self.said_by_source:
            given["min-users"] = self.options[0].fewest
        return given
