"""What was typed: the command's words and options, from which answers get their provenance."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from mixsafe.extract.adversaries import ADVERSARIES, DEFAULT
from mixsafe_cli.options.question_options import AdversaryOptions
from mixsafe_cli.options.source_options import SourceOptions
from mixsafe_cli.running.sources import path_of

if TYPE_CHECKING:
    from mixsafe.documents.atlas import Atlas, Context
    from mixsafe.model.question.problem import Problem
    from mixsafe_cli.running.sources import Source

_Record = TypeVar("_Record")


def atlas_of(data: Source, options: SourceOptions) -> Atlas | None:
    """Coordinates and names of places, if the source has them."""
    from mixsafe.documents.atlas import Atlas
    from mixsafe.extract.zones import Extraction
    from mixsafe.model.mobility.traces import Traces

    if isinstance(data, Extraction):
        return Atlas.of_extraction(data)
    return (
        Atlas.of(data, options.grid_cells, options.step_seconds)
        if isinstance(data, Traces)
        else None
    )


def is_centred(data: Source, options: SourceOptions) -> bool:
    """Whether places are cells of a grid around the centre of the data."""
    from mixsafe.extract.zones import Extraction
    from mixsafe.model.mobility.traces import Traces

    if isinstance(data, Extraction):
        return data.grid is not None and data.grid.squares
    if not isinstance(data, Traces) or data.region is not None:
        return False
    named_only = data.shapes is not None and not data.shapes.elsewhere
    return options.cells is None and not named_only


@dataclasses.dataclass(frozen=True)
class Invocation:
    """The command and options that made an answer, of a source of traces, zones or problems.

    Parameters
    ----------
    words
        Of the command line, without the program's name.
    records
        Options of the command.
    atlas
        Where places are; None: not known.
    said_by_source
        The source says itself what the adversary knows.
    result
        What ``verify`` wrote, where that says which source; None: the command says it.
    centred
        Places are cells of a grid around the centre of the data.
    """

    words: Sequence[str]
    records: tuple[Any, ...]
    atlas: Atlas | None = None
    said_by_source: bool = False
    result: Path | None = None
    centred: bool = False

    def _one(self, kind: type[_Record]) -> _Record:
        """The options of a kind; where the command has none, those by default."""
        return next((one for one in self.records if isinstance(one, kind)), kind())

    @property
    def source(self) -> SourceOptions:
        """Options for reading the source."""
        return self._one(SourceOptions)

    @property
    def adversary(self) -> AdversaryOptions:
        """Options of the adversary."""
        return self._one(AdversaryOptions)

    @property
    def path(self) -> Path:
        """Files that were read."""
        return path_of(self.source)

    @property
    def options(self) -> dict[str, Any]:
        """Values of all options by name."""
        return {name: value for record in self.records for name, value in vars(record).items()}

    @property
    def files(self) -> dict[str, Path | None]:
        """Files that are read, by role; None: not given."""
        options = self.options
        files = {
            "source": self.path,
            **{f"source {n}": path for n, path in enumerate(self.source.further or (), 2)},
            "users": self.source.user_list,
            "places": self.source.places,
            "speeds": self.source.speed_file,
            "requirements": options.get("requirements"),
            "costs": options.get("costs"),
            "adversary": self.adversary.file,
        }
        for record in self.records:
            files |= getattr(record, "files", {})
        return {**files, "verified": self.result}

    @property
    def adversary_name(self) -> str:
        """Name of the adversary in certificates."""
        return "of the problem" if self.said_by_source else self.adversary.called

    def adversary_words(self) -> str:
        """The adversary's knowledge as a sentence for pages."""
        if self.said_by_source:
            return "The adversary has the sightings that the problem lists"
        file = self.adversary.file
        also = ", and every person at the last step" if self.adversary.sealed else ""
        seen = ADVERSARIES[self.adversary.name].sentence if file is None else ""
        if file is not None:
            seen = f"The adversary saw people at the times in {file.name}"
        said = self.exchanges_said()
        return f"{seen}{also}. Pseudonyms change {said}"

    def context(self) -> Context:
        """What documents of the answers show beside them."""
        from mixsafe.documents.atlas import Context

        listed = not self.said_by_source and self.adversary.file is not None
        sealed = self.adversary.sealed
        return Context(self.path.name, self.adversary_words(), self.atlas, listed, sealed)

    def exchanges_said(self) -> str:
        """When pseudonyms change, and among whom, for traces and lists of mix zones."""
        source = self.source
        when = [] if source.no_meetings else ["in mix zones"]
        if source.rotate is not None:
            when.append(f"at scheduled times ({source.rotate})")
        rules = source.rules(meetings=not source.no_meetings)
        limit, share = rules.limit, rules.believable
        among = "among all who are there, at any speed" if limit is None else f"within {limit}"
        likely = f", in permutations at least {share:g} times as likely as the likeliest one"
        return f"{' and '.join(when)}, {among}{likely if share else ''}"

    @property
    def in_lines(self) -> bool:
        """Whether answers are lines, as the problems of the source are."""
        return self.said_by_source and self.path.suffix.lower() == ".jsonl"

    def lasting(self, problem: Problem) -> dict[str, Any] | None:
        """Which verdicts are final, as JSON; None: the source says itself what is known."""
        from mixsafe.extract.exchange.together import lasting

        if self.said_by_source:
            return None
        source, adversary = self.source, self.adversary
        found = lasting(
            problem,
            adversary.name if adversary.file is None else None,
            centred=self.centred,
            limited=source.max_speed is not None or source.max_step is not None,
            learned=bool(source.believable),
            steps_per_day=source.day_steps,
        )
        return {"safe": found.safe, "unsafe": found.unsafe, "why": list(found.why)}

    def provenance(self) -> dict[str, Any]:
        """Command, versions, inputs and settings that reproduce the answer."""
        settings = self._settings()
        return CommandLine(self.words, self.files, settings, self.source.seed).provenance()

    def _settings(self) -> dict[str, Any]:
        """Options that were given, and those defaults that matter most."""
        source = self.source
        given = _said(self.options, ("source", "further", "seed"))
        if self.said_by_source:
            return given
        if self.atlas is not None and self.atlas.grid is not None:
            if source.cells is None:
                given = {"cell-size": source.grid_cells, **given}
            given = {"time-step": source.step_seconds, **given}
        asked = any(isinstance(record, AdversaryOptions) for record in self.records)
        adversary = {"adversary": DEFAULT} if asked else {}
        return {**adversary, "min-users": source.fewest, **given}


@dataclasses.dataclass(frozen=True)
class CommandLine:
    """The command that made an answer, of those that take no source of traces.

    Parameters
    ----------
    words
        Of the command line, without the program's name.
    files
        What was read, by what it is; None: it was not given.
    settings
        Options by name; None and False are left out.
    seed
        Of all that is random; None: it is kept secret.
    records
        Options of the command.
    """

    words: Sequence[str]
    files: Mapping[str, Path | None]
    settings: Mapping[str, Any]
    seed: int | None
    records: tuple[Any, ...] = ()
    in_lines: ClassVar = False

    def provenance(self) -> dict[str, Any]:
        """Command, versions, inputs and settings that reproduce the answer."""
        from mixsafe.report.provenance import provenance

        return provenance(
            ["mixsafe", *self.words],
            {what: file for what, file in self.files.items() if file is not None},
            _said(self.settings, ("seed",)),
            self.seed,
        )


def without_seed(words: Sequence[str]) -> list[str]:
    """Words of a command line whose seed is secret."""
    hidden = ["--seed=SECRET" if word.startswith("--seed=") else word for word in words]
    pairs = zip(["", *hidden], hidden, strict=False)
    return ["SECRET" if before == "--seed" else word for before, word in pairs]


def _said(options: Mapping[str, Any], but: Sequence[str]) -> dict[str, Any]:
    """Options that were given, by the names that they have on the command line."""
    return {
        name.replace("_", "-"): value
        for name, value in options.items()
        if value is not None and value is not False and name not in but
    }
