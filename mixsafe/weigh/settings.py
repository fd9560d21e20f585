"""Settings of posterior inference: engine and accuracy."""

from __future__ import annotations

from dataclasses import dataclass

from mixsafe.model.arguments import KeptCourseOptions

ERROR = 0.01
"""Largest Monte Carlo error of a settled best guess."""


class WeighOptions(KeptCourseOptions, total=False):
    """Optional arguments of posterior inference, besides those about its course.

    Parameters
    ----------
    engine
        Engine of ``verify`` that proves candidates, from whose witnesses chains begin.
    exact
        Count exactly where that is cheap; False: sample everything.
    error
        Largest Monte Carlo error of a settled best guess.
    exhaustive
        Keep the probability of every candidate, not only of the likeliest.
    """

    engine: str
    exact: bool
    error: float
    exhaustive: bool


@dataclass(frozen=True)
class WeighSettings:
    """What :class:`WeighOptions` says of the accuracy, with what is left out."""

    engine: str = "auto"
    exact: bool = True
    error: float = ERROR
    exhaustive: bool = False
