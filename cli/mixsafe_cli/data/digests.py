"""How a result was made, so that a page about it can say so."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mixsafe.extract.adversaries import ADVERSARIES, DEFAULT
from mixsafe_cli.options.question_options import AdversaryOptions
from mixsafe_cli.options.source_options import SourceOptions

if TYPE_CHECKING:
    from mixsafe.model.mobility.traces import Positions
    from mixsafe.release.audit import Audit
    from mixsafe.report.digests.places import Atlas
    from mixsafe.tasks.released import Released
    from mixsafe.verify.verification import Verification
    from mixsafe_cli.data.sources import Source


def atlas_of(data: Source, options: SourceOptions) -> Atlas | None:
    """Where places are, if the source says it."""
    from mixsafe.extract.extracted import Extraction
    from mixsafe.model.mobility.traces import Traces
    from mixsafe.report.digests.places import Atlas

    if isinstance(data, Extraction):
        return Atlas.of_extraction(data)
    return (
        Atlas.of(data, options.grid_cells, options.step_seconds)
        if isinstance(data, Traces)
        else None
    )


@dataclasses.dataclass(frozen=True)
class Made:
    """The command and options that made an answer.

    Parameters
    ----------
    words
        Of the command line, without the program's name.
    records
        Options of the command.
    source
        What was read.
    atlas
        Where places are; None: not known.
    said_by_source
        The source says itself what the adversary knows.
    """

    words: Sequence[str]
    records: tuple[Any, ...]
    source: Path
    atlas: Atlas | None = None
    said_by_source: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """Values of all options by name."""
        return {
            field.name: getattr(record, field.name)
            for record in self.records
            for field in dataclasses.fields(record)
        }

    @property
    def _adversary(self) -> AdversaryOptions:
        """Who the adversary is."""
        return next(one for one in self.records if isinstance(one, AdversaryOptions))

    @property
    def adversary_name(self) -> str:
        """What the adversary is called in certificates."""
        return "of the problem" if self.said_by_source else self._adversary.called

    def digest(self, answer: Verification) -> dict[str, Any]:
        """What a page shows of an answer."""
        from mixsafe.report.digests.verification_digest import digest

        return digest(
            answer,
            adversary=self.adversary_words(),
            atlas=self.atlas,
            provenance=self.provenance(),
        )

    def check_map(self, wanted: Path | None) -> None:
        """Refuse data of which no map can be made, where one is wanted.

        Raises
        ------
        InputError
            It is not known where people were.
        """
        if wanted is not None:
            from mixsafe.report.exposure_map import check_map

            check_map(self.atlas)

    def write_map(self, path: Path, answer: Verification) -> None:
        """Write where people are exposed."""
        from mixsafe.report.exposure_map import write_exposure_map

        write_exposure_map(path, answer, self.atlas)

    def adversary_words(self) -> str:
        """What the adversary knows, as a sentence for pages."""
        if self.said_by_source:
            return "She has the sightings that the problem lists"
        file = self._adversary.file
        if file is not None:
            return f"She knows when {file.name} says that she saw people"
        return ADVERSARIES[self._adversary.name].sentence

    def adversary_said(self, sightings: int) -> str:
        """What the adversary knows, in a line for terminals."""
        if self.said_by_source:
            return f"as the problem says: {sightings:,} sightings"
        name = self._adversary.name
        if self._adversary.file is not None:
            return f"{sightings:,} sightings from {name}"
        return f"{name}: {ADVERSARIES[name].about} ({sightings:,} sightings)"

    def provenance(self) -> dict[str, Any]:
        """What is needed to find the answer again."""
        from mixsafe.report.digests.provenance import provenance

        options = self.options
        files = {
            "source": self.source,
            **{f"source {n}": path for n, path in enumerate(options.get("further") or (), 2)},
            "users": options.get("user_list"),
            "places": options.get("places"),
            "requirements": options.get("requirements"),
            "adversary": None if self.said_by_source else self._adversary.file,
        }
        for record in self.records:
            files |= getattr(record, "files", {})
        return provenance(
            ["mixsafe", *self.words],
            {what: file for what, file in files.items() if file is not None},
            self._parameters(options),
            options["seed"],
        )

    def _parameters(self, options: dict[str, Any]) -> dict[str, Any]:
        """Options that were given, and those defaults that matter most."""
        given = _said(options, ("source", "further", "seed"))
        source = next((one for one in self.records if isinstance(one, SourceOptions)), None)
        if self.said_by_source or source is None:
            return given
        if self.atlas is not None and self.atlas.grid is not None:
            if source.cells is None:
                given = {"cell-size": source.grid_cells, **given}
            given = {"time-step": source.step_seconds, **given}
        return {"adversary": DEFAULT, "min-users": source.fewest, **given}


class CommandLine(NamedTuple):
    """The command that made an answer, of those that take no source of traces.

    Parameters
    ----------
    words
        Of the command line, without the program's name.
    files
        What was read, by what it is; None: it was not given.
    settings
        Options by name; those that are None or False are not told.
    """

    words: Sequence[str]
    files: Mapping[str, Path | None]
    settings: Mapping[str, Any]

    def provenance(self, seed: int | None) -> dict[str, Any]:
        """What is needed to find the answer again."""
        from mixsafe.report.digests.provenance import provenance

        return provenance(
            ["mixsafe", *self.words],
            {what: file for what, file in self.files.items() if file is not None},
            _said(self.settings, ("seed",)),
            seed,
        )


def _said(options: Mapping[str, Any], but: Sequence[str]) -> dict[str, Any]:
    """Options that were given, by the names that they have on the command line."""
    return {
        name.replace("_", "-"): value
        for name, value in options.items()
        if value is not None and value is not False and name not in but
    }


def audit_shown(answer: Audit, released: Released, made: CommandLine) -> dict[str, Any]:
    """What a page shows of an audit.

    Parameters
    ----------
    released
        The release.
    made
        The command, with ``release`` and ``regions`` among its files and ``seed`` among its
        settings.
    """
    from mixsafe.report.digests.audit_digest import audit_digest
    from mixsafe.report.digests.places import Atlas

    release, in_contest = made.files["release"], released.n_regions is not None
    drawn = released.outlines is not None or (in_contest and made.files["regions"] is None)
    outlines, where = released.outlines, _shown(released) if drawn else None
    atlas = Atlas(None, where) if outlines is None else Atlas(outlines.grid, where, outlines.shapes)
    return audit_digest(
        answer,
        name="release" if release is None else release.name.split(".")[0],
        atlas=atlas if drawn else None,
        provenance=made.provenance(made.settings["seed"]),
    )


def _shown(released: Released) -> Positions:
    """Where published tracks are."""
    from mixsafe.model.mobility.traces import Positions

    tracks = released.published
    first = 0 if released.n_regions is None else 1  # what place 0 is called outside
    place = tracks.place + first
    return Positions(tracks.zones.users, tracks.zones.axis, tracks.row, tracks.step, place)
