"""``mixsafe contest utility``: what traces and releases are still good for."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mixsafe.errors import InputError
from mixsafe_cli.options.contest_options import OriginalFile, QuietButResult, RuleOptions
from mixsafe_cli.options.records import takes_records

if TYPE_CHECKING:
    from mixsafe.contest.base.rules import Rules
    from mixsafe.model.mobility.trace_matrix import TraceMatrix
    from mixsafe.model.release.cells import Cells

Others = Annotated[
    list[Path],
    typer.Argument(metavar="OTHER...", help="Releases (ANO, PUB) or traces to compare with ORG."),
]


@dataclass(frozen=True)
class PlaceOptions:
    """Places that people ask for near where they are shown."""

    places: Annotated[
        Path | None, typer.Option("--poi", help="Places: lat,lon (or y,x), category.")
    ] = None
    category: Annotated[
        str | None, typer.Option("--category", help="Only places of it, such as food.")
    ] = None
    near: Annotated[float, typer.Option("--r1", help="Places so near count, km.")] = 1.0
    asked: Annotated[float, typer.Option("--r2", help="Places so near are asked for, km.")] = 2.0

    def accuracy(
        self, original: TraceMatrix, other: TraceMatrix | Cells, rules: Rules
    ) -> dict[str, float]:
        """POI accuracy, where places are given; rows of both are the same users.

        Raises
        ------
        InputError
            A category without places, or places that cannot be used.
        """
        from mixsafe.contest.measure.poi_accuracy import poi_accuracy
        from mixsafe.contest.measure.statistics import Whereabouts
        from mixsafe.io.traces.places import read_places

        if self.places is None:
            if self.category is not None:
                raise InputError("--category is for --poi", hint="give --poi FILE")
            return {}
        release = Whereabouts.of(other, rules.regions.count, rules.steps_per_day)
        places = read_places(self.places, self.category)
        accuracy = poi_accuracy(
            original, release, rules.regions, places, near_km=self.near, asked_km=self.asked
        )
        return {"POI accuracy": accuracy}


@dataclass(frozen=True)
class MoreMeasures:
    """What is measured where it is asked for."""

    testing: Annotated[
        Path | None,
        typer.Option(help="ORG was trained on, these traces were not: attack OTHER for both."),
    ] = None
    diversity: Annotated[
        bool, typer.Option("--diversity", help="Same-TV and Diff-TV of the first two OTHER.")
    ] = False
    inferred: Annotated[
        list[Path] | None,
        typer.Option(help="ETRACES of an attack on ORG, with its expected error; repeat it."),
    ] = None

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
class HowOptions:
    """How it is measured and told."""

    seed: Annotated[int, typer.Option("--seed", min=0, help="Directions of TM-EMD.")] = 0
    as_json: Annotated[bool, typer.Option("--json", help="Print an object.")] = False
    quiet: QuietButResult = False


@takes_records
def utility(
    original: OriginalFile,
    others: Others,
    places: PlaceOptions,
    more: MoreMeasures,
    options: RuleOptions,
    how: HowOptions,
) -> None:
    """Compare the statistics of releases, or of synthetic traces, with those of the originals.

    TP-TV-Top50 (where people are when), TM-EMD (where they go from there; in regions) and VF-TV
    (how much of their time they spend where): lower is better. With --poi, POI accuracy: higher is
    better. With --testing, what synthetic traces tell about ORG: re-identification rate and
    membership advantage. With --inferred three times or more, how s_T goes with the expected error.

    For example:

      mixsafe contest utility orgtraces.csv anotraces.csv reftraces.csv

      mixsafe contest utility orgtraces.csv anotraces.csv --poi POI.csv --category food

      mixsafe contest utility traintraces.csv one.csv two.csv --testing testtraces.csv --diversity
    """
    from mixsafe.io.contest.reading import read_traces

    more.check(others)
    rules = options.read()
    count = rules.regions.count
    traces = read_traces(original, count)
    shown = [_read(path, traces, count) for path in others]
    tested = None if more.testing is None else read_traces(more.testing, count)
    tables = [
        _one(traces, some, rules, how.seed)
        | places.accuracy(traces, some, rules)
        | _privacy(traces, tested, some, rules)
        for some in shown
    ]
    answer: dict[str, Any] = {
        "original": str(original),
        "others": [{"file": str(path)} | table for path, table in zip(others, tables, strict=True)],
    }
    if more.diversity:
        answer["diversity"] = _diversity(shown[0], shown[1], rules)
    if more.inferred:
        answer["expected_error"] = _errors(traces, more.inferred, rules)
    _show(answer, how.as_json or how.quiet)


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


def _one(
    original: TraceMatrix, other: TraceMatrix | Cells, rules: Rules, seed: int
) -> dict[str, float]:
    """The three distances."""
    from mixsafe.contest.measure.quality import quality
    from mixsafe.contest.measure.statistics import Whereabouts

    count, day = rules.regions.count, rules.steps_per_day
    one, two = Whereabouts.of(original, count, day), Whereabouts.of(other, count, day)
    return quality(one, two, rules.regions, seed=seed).to_dict()


def _diversity(
    one: TraceMatrix | Cells, two: TraceMatrix | Cells, rules: Rules
) -> dict[str, float]:
    """How alike the i-th users of two teams are, and other pairs."""
    from mixsafe.contest.measure.quality import diversity
    from mixsafe.contest.measure.statistics import Whereabouts

    count, day = rules.regions.count, rules.steps_per_day
    found = diversity(*(Whereabouts.of(some, count, day) for some in (one, two)))
    return {
        "Same-TV": found.same,
        "Diff-TV": found.different,
        "pairs": found.pairs,
        "deviation": found.different_deviation,
    }


def _privacy(
    training: TraceMatrix, testing: TraceMatrix | None, other: TraceMatrix | Cells, rules: Rules
) -> dict[str, float]:
    """What synthetic traces tell about those who were trained on."""
    from mixsafe.contest.measure.training_privacy import membership_advantage, reidentification_rate
    from mixsafe.model.release.cells import Cells

    if testing is None:
        return {}
    if isinstance(other, Cells):
        raise InputError("--testing is for synthetic traces, not for releases")
    count, day = rules.regions.count, rules.steps_per_day
    return {
        "re-identification rate": reidentification_rate(training, other, count, day),
        "membership advantage": membership_advantage(training, testing, other, count, day),
    }


def _errors(original: TraceMatrix, paths: list[Path], rules: Rules) -> dict[str, Any]:
    """Expected error of each attack; of three or more, how it goes with s_T."""
    from mixsafe.contest.measure.expected_error import error_correlations, expected_error
    from mixsafe.io.contest.reading import read_inferred_traces

    guesses = [read_inferred_traces(path, original, rules.regions.count) for path in paths]
    answer: dict[str, Any] = {
        "km": {
            str(path): expected_error(original, guess, rules)
            for path, guess in zip(paths, guesses, strict=True)
        }
    }
    if len(guesses) >= 3:
        found = error_correlations([(original, guess) for guess in guesses], rules)
        answer["correlation with s_T"] = {
            f"hospital weight {weight:g}": value for weight, value in found.items()
        }
    return answer


def _show(answer: dict[str, Any], as_json: bool) -> None:
    """Print an object, or tables for people."""
    if as_json:
        typer.echo(json.dumps(answer))
        return
    from mixsafe_cli.render.printing import console, facts

    out = console()
    for other in answer["others"]:
        out.print(facts([(name, _word(value)) for name, value in other.items()]))
        out.print()
    if "diversity" in answer:
        out.print(facts([(name, _word(value)) for name, value in answer["diversity"].items()]))
    for name, values in answer.get("expected_error", {}).items():
        out.print(facts([(f"{name}: {what}", _word(value)) for what, value in values.items()]))


def _word(value: object) -> str:
    """A value as people read it."""
    return f"{value:.4f}" if isinstance(value, float) else str(value)
