"""A run of the contest for people: the most private releases first, then what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mixsafe_cli.render.printing import SHOWN, Part, command, headline, table

if TYPE_CHECKING:
    from mixsafe.contest.base.weights import Weights
    from mixsafe.contest.posterior.training import Training
    from mixsafe.contest.run import Outcome


def show(outcomes: Sequence[Outcome], folder: Path) -> Iterator[Part]:
    """How many releases are valid, and those of them that attacks leave most private."""
    valid = [one for one in outcomes if one.utility.valid]
    releases = "release" if len(outcomes) == 1 else "releases"
    said = f"of {len(outcomes):,} {releases}, {len(valid):,} valid"
    yield headline("DONE", "bold green" if valid else "bold red", said)
    if valid:
        yield ""
        yield "Most private valid releases, under the strongest attacks"
        headings = ("obfuscation", "pseudonyms", ">s_U", ">s_R,min", ">s_T,min")
        yield table(headings, map(_row, sorted(valid, key=_privacy)[:SHOWN]))
    yield ""
    yield f"Tables: {folder}; scores with intervals in scores.csv"
    yield f"HTML page: {command('report', folder)}"


def show_training(found: Training, count: int) -> Iterator[Part]:
    """What was learned of sample teams, and what it gains on those that were left out."""
    teams = "1 sample team" if count == 1 else f"{count} sample teams"
    yield f"Weights trained on {teams}. s_R of POST on those left out, with own and trained weights"
    headings = (
        *("left out", ">home", ">later steps"),
        *(">shuffled, own", ">trained", ">gain", ">exchanged, own", ">trained", ">gain"),
    )
    rows = [
        [fold.name, *_weights(fold.weights), *_gains(fold.own, fold.trained)]
        for fold in found.folds
    ]
    own, trained = (
        [sum(pair) / len(rows) for pair in zip(*values, strict=True)]
        for values in zip(*((fold.own, fold.trained) for fold in found.folds), strict=True)
    )
    rows.append(["none: mean of all rows", *_weights(found.weights), *_gains(own, trained)])
    yield table(headings, rows)
    if all(after >= before for before, after in zip(own, trained, strict=True)):
        yield "Trained weights find no more of those left out than their own reference traces do."
    yield ""


def _weights(weights: Weights) -> Iterator[str]:
    """Weights of homes, and of cells at later steps, from the lowest to the highest."""
    later = weights.steps[1:]
    yield f"{weights.home:.3f}"
    yield f"{later.min():.3f} to {later.max():.3f}" if len(later) else "none"


def _gains(own: Sequence[float], trained: Sequence[float]) -> Iterator[str]:
    """Scores under own and trained weights, and how much lower the second is."""
    for before, after in zip(own, trained, strict=True):
        yield from (f"{before:.4f}", f"{after:.4f}", f"{before - after:+.4f}")


def _privacy(outcome: Outcome) -> tuple[float, float]:
    """How private a release is, the most private first."""
    reid, trace = outcome.strongest("reid"), outcome.strongest("trace")
    return (-1.0 if reid is None else -reid.value, -1.0 if trace is None else -trace.value)


def _row(outcome: Outcome) -> Iterator[str]:
    """A release in a line, with the strongest attacks on it."""
    yield outcome.anonymiser
    yield outcome.pseudonymization
    yield f"{outcome.utility.value:.4f}"
    for kind in ("reid", "trace"):
        score = outcome.strongest(kind)
        by = next((name for name, one in outcome.privacy.items() if one is score), "")
        yield "" if score is None else f"{score.value:.4f} {by}".rstrip()
