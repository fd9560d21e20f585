"""Likely candidates over time as a picture: who bets, and what counting would have said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from mixsafe.report.base import colours
from mixsafe.report.base.drawing import canvas, moment_ticks, plain, style
from mixsafe.report.figures.protection_figure import WIDTH

_LOOKS = ((colours.UNSAFE[0], "-"), (colours.INK, "--"), (colours.SAFE, "-"))


@style
def draw_weights(over_time: Mapping[str, Any], lines: Mapping[str, str]) -> Figure:
    """Shares of people over time.

    Parameters
    ----------
    over_time
        Of :func:`mixsafe.report.view_models.weighing_view.weighing_view` or ``tracks_view``.
    lines
        What is drawn of it, at most three, and what it is.
    """
    figure, axes = canvas(WIDTH, 3.6)
    middle = np.arange(len(over_time["moments"])) + 0.5
    for (name, label), (shade, dash) in zip(lines.items(), _LOOKS, strict=False):
        values = np.array(over_time[name], float)
        axes.plot(middle, values, dash, color=shade, label=label, linewidth=1.6)
    axes.set(xlim=(0, len(middle)), ylim=(0, 1.02), ylabel="share of people")
    moment_ticks(axes, over_time["moments"])
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.16), ncols=3)
    plain(axes)
    return figure
