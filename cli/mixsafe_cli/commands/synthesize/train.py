"""``mixsafe synthesize train``: a model (PPMTF+) of how people move."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixsafe.errors import about
from mixsafe_cli.options.records import panel, takes_records
from mixsafe_cli.options.synthesize_options import (
    LearningOptions,
    Seed,
    TracesFile,
    check_ending,
)
from mixsafe_cli.options.targets import Quiet, check_target
from mixsafe_cli.progress import progress
from mixsafe_cli.standard_streams import say_notes

if TYPE_CHECKING:
    from mixsafe.synthesize.ppmtf.train import TrainingSettings

_option = panel()


@dataclass(frozen=True)
class ModelOptions:
    """Options of the model: size, fit and the traces counted."""

    features: int = _option("Length of a feature vector.", default=16, min=1)
    alpha: float = _option("Precision of counts: how closely to fit.", default=200.0)
    iterations: int = _option("Sweeps of the Gibbs sampler.", default=100, min=1)
    largest: int = _option("Larger counts are cut down to it.", default=10, min=1)
    cells: int = _option("Positive counts taken of each user.", default=100, min=1)
    zeros: int = _option("Zero counts drawn for each user.", default=1000, min=0)

    @property
    def settings(self) -> TrainingSettings:
        """Settings of the training."""
        from mixsafe.synthesize.ppmtf.train import CountLimits, TrainingSettings

        counts = CountLimits(self.largest, self.cells, self.zeros)
        return TrainingSettings(self.features, self.alpha, self.iterations, counts)


@takes_records
def train(
    traces: TracesFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="Model to write (.npz).")],
    learning: LearningOptions,
    model: ModelOptions,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Train PPMTF+ on traces: how people move, without any of the people.

    time_id 1 is the first step of a day; users may be nowhere at some times. On one machine
    the same seed gives the same model, byte for byte.

    For example:

      mixsafe synthesize train traintraces.csv --steps-per-day 35 -o model.npz
    """
    check_target("--output", output)
    check_ending(output, ".npz", "a model is a NumPy archive")

    from mixsafe.io.traces.trace_model import write_model
    from mixsafe.synthesize.ppmtf.train import train as train_model

    settings, known = model.settings, learning.read(traces)
    with progress(quiet) as report, about(traces):
        trained = train_model(known, settings, seed=seed, progress=report)
    write_model(output, trained.model)
    note = f"{known.n_users} users, {known.n_regions} regions, {known.n_slots} time slots: {output}"
    say_notes([note], quiet)
