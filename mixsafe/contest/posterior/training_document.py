"""What training says: the weights, and what they gain on each sample team that was left out."""

from __future__ import annotations

from collections.abc import Sequence

from mixsafe.contest.base.weights import Weights
from mixsafe.contest.posterior.training import Training
from mixsafe.documents.document import Column, Document, Table, Value
from mixsafe.model.answer.wording import plural


def training_document(found: Training, teams: int) -> Document:
    """The document of weights that were trained on so many sample teams."""
    own, trained = (
        [sum(column) / len(column) for column in zip(*values, strict=True)]
        for values in zip(*((fold.own, fold.trained) for fold in found.folds), strict=True)
    )
    sentence = f"Weights trained on {plural(teams, 'sample team', 'sample teams')}."
    if all(after >= before for before, after in zip(own, trained, strict=True)):
        sentence += " They find no more of those left out than their own reference traces do."
    rows = [
        (fold.name, *_weights(fold.weights), *_gains(fold.own, fold.trained))
        for fold in found.folds
    ]
    names = ("shuffled, own", "trained", "gain", "exchanged, own", "trained", "gain")
    scores = (Column(name, "score") for name in names)
    return Document(
        title="Trained weights",
        word="Trained",
        tone="plain",
        sentence=sentence,
        meaning="",
        parts=(
            Table(
                "Gain",
                "s_R of POST on the team left out, with own and trained weights",
                (Column("left out"), Column("home", "score"), Column("later steps"), *scores),
                (
                    *rows,
                    ("none: mean of all rows", *_weights(found.weights), *_gains(own, trained)),
                ),
            ),
        ),
    )


def _weights(weights: Weights) -> tuple[Value, Value]:
    """Weights of homes, and of cells at later steps, from the lowest to the highest."""
    later = weights.steps[1:]
    ends = f"{later.min():.3f} to {later.max():.3f}" if len(later) else "none"
    return float(weights.home), ends


def _gains(own: Sequence[float], trained: Sequence[float]) -> list[float]:
    """Scores under own and trained weights, and how much lower the second is."""
    pairs = zip(own, trained, strict=True)
    return [value for before, after in pairs for value in (before, after, before - after)]
