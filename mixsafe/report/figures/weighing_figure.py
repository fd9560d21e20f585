"""Likely candidates over time as a picture: who bets, and what counting would have said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from mixsafe.report.base import colours
from mixsafe.report.base.drawing import moment_ticks, plain, style
from mixsafe.report.figures.protection_figure import WIDTH


@style
def draw_weights(over_time: Mapping[str, Any], bet: float) -> Figure:
    """Shares of people over time.

    Parameters
    ----------
    over_time
        Of :func:`mixsafe.report.digests.weighing_digest.weighing_digest`.
    bet
        Chance above which the adversary bets.
    """
    figure = Figure(figsize=(WIDTH, 3.6), layout="constrained")
    axes = figure.subplots()
    middle = np.arange(len(over_time["moments"])) + 0.5
    lines = (
        ("best", colours.UNSAFE[0], "-", "right, if she always bets on the likeliest"),
        ("counted", colours.INK, "--", "what one over the number of candidates says"),
        ("bet_on", colours.SAFE, "-", f"people with a candidate above {bet:g}"),
    )
    for name, shade, dash, label in lines:
        axes.plot(middle, over_time[name], dash, color=shade, label=label, linewidth=1.6)
    axes.set(xlim=(0, len(middle)), ylim=(0, 1.02), ylabel="share of people")
    moment_ticks(axes, over_time["moments"])
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.16), ncols=3)
    plain(axes)
    return figure
