"""Synthetic traces of some traces, in one step: train, then sample."""

from __future__ import annotations

from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.progress import Progress, no_progress
from mixsafe.synthesize.ppmtf.train import TrainingSettings, train
from mixsafe.synthesize.ppmtf.virtual_users import SamplingPlan, sample
from mixsafe.synthesize.training import TrainingTraces


def synthesize(
    traces: Traces | TraceMatrix,
    plan: SamplingPlan,
    *,
    steps_per_day: int = 20,
    settings: TrainingSettings | None = None,
    progress: Progress = no_progress,
) -> TraceMatrix:
    """Traces of people who do not exist, who move as a population does (PPMTF+).

    Parameters
    ----------
    traces
        Regions, numbered from 1 in :class:`Traces`, of the users to train on; time_id 1 is the
        first step of a day.
    plan
        How many virtual users and days, with what seed; its seed is the training's, too.
    steps_per_day
        Of ``traces``, >= 1.
    settings
        Of the training; default: as in the contest's experiments.
    progress
        Called with stage, what is done and what is to be done.

    Raises
    ------
    InputError
        Traces of one user, of coordinates, or without any transition.

    Examples
    --------
    >>> import mixsafe
    >>> from mixsafe.synthesize.ppmtf.train import TrainingSettings
    >>> town = mixsafe.load(mixsafe.sample("town"))
    >>> plan = mixsafe.SamplingPlan(users=50, seed=1)
    >>> quick = TrainingSettings(z=4, iterations=5)
    >>> mixsafe.synthesize(town, plan, settings=quick).n_users  # doctest: +SKIP
    50
    """
    if isinstance(traces, Traces):
        count = 0 if traces.region is None else int(traces.region.max(initial=1))
        visits = TrainingTraces.of_traces(traces, count, steps_per_day)
    else:
        count = int(traces.region.max()) + 1
        visits = TrainingTraces.of_matrix(traces, count, steps_per_day)
    trained = train(visits, settings, seed=plan.seed, progress=progress)
    return sample(trained.model, plan, progress=progress)
