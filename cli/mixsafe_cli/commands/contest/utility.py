"""``mixsafe contest utility``: what traces and releases are still good for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mixsafe.contest.measure.measures import MEASURES, Compared, Scope, measured
from mixsafe.errors import InputError, about
from mixsafe.model.numerals import MOST_SEED
from mixsafe_cli.options.apart import STDOUT
from mixsafe_cli.options.contest_options import OriginalFile, QuietButResult, RegionOptions
from mixsafe_cli.options.records import panel, takes_records
from mixsafe_cli.options.targets import AnswerTargets, JsonTarget
from mixsafe_cli.running.invocation import CommandLine
from mixsafe_cli.running.json_answers import write_answers
from mixsafe_cli.running.run import running

if TYPE_CHECKING:
    from mixsafe.contest.base.rules import Rules
    from mixsafe.contest.measure.measures import Near
    from mixsafe.model.mobility.complete_traces import TraceMatrix
    from mixsafe.model.release import Cells

_option = panel()

_UNITS = {"expected error": "km"}
"""What a table of attacks is called in the object."""


@dataclass(frozen=True)
class PlaceOptions:
    """Places that people ask for near where they are shown."""

    places: Path | None = _option(
        lambda: f"Places: lat,lon (or y,x), category. {MEASURES.help('places')}.", "--poi"
    )
    category: str | None = _option("Only places of it, such as food.")
    near: float = _option("Places so near count, km.", "--r1", default=1.0)
    asked: float = _option("Places so near are asked for, km.", "--r2", default=2.0)

    def read(self) -> Near | None:
        """The places; None where none are given.

        Raises
        ------
        InputError
            A category without places, or places that cannot be used.
        """
        if self.places is None:
            if self.category is not None:
                raise InputError("--category is for --poi", hint="give --poi FILE")
            return None
        from mixsafe.contest.measure.measures import Near
        from mixsafe.io.problems.side_tables import read_places

        return Near(read_places(self.places, self.category), self.near, self.asked)


@dataclass(frozen=True)
class MoreMeasures:
    """What is measured where it is asked for."""

    testing: Path | None = _option(
        lambda: (
            "ORG was trained on, these traces were not: attack OTHER for both."
            f" {MEASURES.help('training')}."
        )
    )
    diversity: bool = _option(
        lambda: f"Of the first two OTHER: {MEASURES.help('teams')}.", default=False
    )
    inferred: list[Path] | None = _option(
        lambda: f"ETRACES of an attack on ORG; repeat it. {MEASURES.help('attacks')}."
    )

    def check(self, others: list[Path]) -> None:
        """Refuse to compare two where there is one.

        Raises
        ------
        InputError
            --diversity with fewer than two files.
        """
        if self.diversity and len(others) < 2:
            raise InputError("--diversity compares two teams", hint="give two files OTHER")


@dataclass(frozen=True)
class HowOptions(AnswerTargets):
    """How it is measured and told."""

    seed: int = _option("Directions of TM-EMD.", default=0, min=0, max=MOST_SEED)
    json: JsonTarget = None
    quiet: QuietButResult = False


@takes_records
def utility(
    context: typer.Context,
    original: OriginalFile,
    others: Annotated[
        list[Path],
        typer.Argument(
            metavar="OTHER...",
            help=f"Releases (ANO, PUB) or traces to compare with ORG. {MEASURES.help('any')}.",
        ),
    ],
    places: PlaceOptions,
    more: MoreMeasures,
    options: RegionOptions,
    how: HowOptions,
) -> None:
    """Compare the statistics of releases, or of synthetic traces, with those of the originals.

    More is measured with --poi, --testing, --diversity and --inferred; with --inferred three times
    or more, how s_T goes with the expected error, too.

    For example:

      mixsafe contest utility orgtraces.csv anotraces.csv reftraces.csv

      mixsafe contest utility orgtraces.csv anotraces.csv --poi POI.csv --category food

      mixsafe contest utility traintraces.csv one.csv two.csv --testing testtraces.csv --diversity
    """
    more.check(others)
    files = {
        "original": original,
        **_numbered("other", others),
        "testing": more.testing,
        **_numbered("inferred", more.inferred or ()),
        "places": places.places,
        "regions": options.regions,
    }
    settings = {
        "category": places.category,
        "r1": places.near,
        "r2": places.asked,
        "diversity": more.diversity,
        "steps_per_day": options.steps_per_day,
    }
    line = CommandLine(context.find_root().obj or (), files, settings, how.seed)
    with running("contest utility", line, how) as run:
        answer = _compared(original, others, places, more, options.read(), how.seed)
    from mixsafe.contest.measure.utility_document import utility_document

    run.tell([answer], lambda pages: [utility_document(answer)], whole=True)
    if how.quiet and how.json != STDOUT:
        write_answers(STDOUT, "contest utility", [answer], lines=True)


def _numbered(what: str, paths: Sequence[Path]) -> dict[str, Path]:
    """Files of one role, by the role and a number."""
    return {f"{what} {number}": path for number, path in enumerate(paths, 1)}


def _compared(
    original: Path,
    others: list[Path],
    places: PlaceOptions,
    more: MoreMeasures,
    rules: Rules,
    seed: int,
) -> dict[str, Any]:
    """All measures that are asked for."""
    from mixsafe.io.contest.reading import read_traces

    count = rules.regions.count
    traces = read_traces(original, count)
    shown = [_read(path, traces, count) for path in others]
    tested = None if more.testing is None else read_traces(more.testing, count)
    near = places.read()
    compared = [Compared(traces, some, rules, seed, near, tested) for some in shown]
    scopes: dict[Scope, object] = {"any": traces, "places": near, "training": tested}
    given = [scope for scope, what in scopes.items() if what is not None]
    tables = [_table(path, one, given) for path, one in zip(others, compared, strict=True)]
    answer: dict[str, Any] = {
        "original": str(original),
        "others": [{"file": str(path)} | table for path, table in zip(others, tables, strict=True)],
    }
    if more.diversity:
        answer["diversity"] = measured(Compared(shown[0], shown[1], rules), "teams")
    if more.inferred:
        answer["expected_error"] = _errors(traces, more.inferred, rules)
    return answer


def _table(path: Path, one: Compared, scopes: list[Scope]) -> dict[str, Any]:
    """All measures of some scopes, by name; ``path``: what is compared."""
    with about(path):
        return {name: value for scope in scopes for name, value in measured(one, scope).items()}


def _read(path: Path, original: TraceMatrix, count: int) -> TraceMatrix | Cells:
    """A release of users, a release of pseudonyms, or traces: by the file's header."""
    from mixsafe.io.contest.reading import read_anonymized, read_public, read_traces
    from mixsafe.io.files.tables import header_of

    header = header_of(path)
    if header == ("reg_id",):
        return read_anonymized(path, original, count)
    if "pse_id" in header:
        return read_public(path, count)
    return read_traces(path, count)


def _errors(original: TraceMatrix, paths: list[Path], rules: Rules) -> dict[str, Any]:
    """Expected error of each attack; of three or more, how it goes with s_T."""
    from mixsafe.contest.measure.privacy import error_correlations
    from mixsafe.io.contest.reading import read_inferred_traces
    from mixsafe.model.mobility.complete_traces import TraceMatrix

    guesses = [read_inferred_traces(path, original, rules.regions.count) for path in paths]
    first = original.first_time
    made = [
        measured(Compared(original, TraceMatrix(guess, first), rules), "attacks")
        for guess in guesses
    ]
    answer: dict[str, Any] = {
        _UNITS.get(name, name): {
            str(path): one[name] for path, one in zip(paths, made, strict=True)
        }
        for name in made[0]
    }
    if len(guesses) >= 3:
        found = error_correlations([(original, guess) for guess in guesses], rules)
        answer["correlation with s_T"] = {
            f"hospital weight {weight:g}": value for weight, value in found.items()
        }
    return answer
