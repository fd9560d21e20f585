"""Times of several engines side by side (CSP paper, figure 5), as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from mixsafe.compare.comparison import Comparison
from mixsafe.report.base import colours
from mixsafe.report.base.drawing import canvas, legend_above, plain, style
from mixsafe.solver.registry import ENGINES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FINISHED = ("decided", "optimal", "infeasible")
"""Status of runs that answered the question as a whole."""

MARKS = ("o", "s", "^", "D", "v", "P", "X")
"""Marks of engines, by their place in the list of engines, as their colours."""

_WIDTH = 0.03  # engines stand side by side by this share of a factor of ten


def comparison_figure(comparison: Comparison) -> Figure:
    """Seconds of each run by number of users, on scales of powers of ten; see `draw_times`."""
    one = comparison
    return draw_times(one.table, one.summary(), one.engines, one.limit, one.task)


def style_of(engine: str, engines: Sequence[str]) -> tuple[str, str]:
    """Colour and mark of an engine, the same in every picture; unregistered engines follow.

    Parameters
    ----------
    engines
        All that are in the picture.
    """
    known = ENGINES.names()
    order = [*known, *(one for one in engines if one not in known)]
    place = order.index(engine) % len(MARKS)
    return colours.SERIES[place], MARKS[place]


@style
def draw_times(
    runs: pd.DataFrame, summary: pd.DataFrame, engines: Sequence[str], limit: float, task: str
) -> Figure:
    """Seconds of each run by number of users, on scales of powers of ten.

    Each run is a small mark. Lines join medians, and bars reach from the lower to the upper
    quartile. Runs that did not finish are crosses at the limit, and count with it; a median that is
    one of them is hollow: the true one lies above.

    Parameters
    ----------
    runs, summary
        ``Comparison.table`` and ``Comparison.summary()``.
    engines, limit, task
        As in the comparison.
    """
    figure, axes = canvas(9.6, 5)
    axes.set(xscale="log", yscale="log")
    # Now, because limits that follow the data are singular where there is one run only.
    axes.set_xlim(runs["users"].min() / 1.3, runs["users"].max() * 1.3)
    axes.set_ylim(max(runs["seconds"].min(), 1e-4) / 2, 2 * max(limit, runs["seconds"].max()))
    finished = runs["status"].isin(FINISHED).to_numpy()
    for place, engine in enumerate(engines):
        shift = 10 ** (_WIDTH * (place - (len(engines) - 1) / 2))
        mine = (runs["engine"] == engine).to_numpy()
        colour, mark = style_of(engine, engines)
        done, late = runs[mine & finished], runs[mine & ~finished]
        axes.plot(done["users"] * shift, done["seconds"], mark, color=colour, ms=3, alpha=0.4)
        axes.plot(late["users"] * shift, np.full(len(late), limit), "x", color=colour, ms=7)
        _medians(axes, summary[summary["engine"] == engine], shift, (colour, mark))
    axes.axhline(limit, color=colours.FAINT, linestyle=":", linewidth=1)
    axes.annotate(
        f"limit: {limit:g} s",
        (1, limit),
        xycoords=("axes fraction", "data"),
        xytext=(-4, 4),
        textcoords="offset points",
        ha="right",
        fontsize="small",
    )
    _label(axes, sorted(set(runs["users"])), task)
    return figure


def _medians(axes: Axes, rows: pd.DataFrame, shift: float, look: tuple[str, str]) -> None:
    """Line of medians with quartiles; hollow marks where the median did not finish."""
    (colour, mark), engine = look, rows["engine"].iloc[0]
    users, median = rows["users"].to_numpy() * shift, rows["median"].to_numpy()
    lower, upper = (rows[f"{which}_quartile"].to_numpy() for which in ("lower", "upper"))
    spread = [median - lower, upper - median]
    open_ended = (rows["finished"] * 2 <= rows["runs"]).to_numpy()
    name = f"{engine}: {int(rows['finished'].sum())} of {int(rows['runs'].sum())} runs finished"
    axes.errorbar(users, median, spread, fmt="-", color=colour, capsize=3, label=name)
    for hollow in (False, True):
        here = open_ended == hollow
        face = colours.PAPER if hollow else colour
        axes.plot(users[here], median[here], mark, color=colour, mfc=face, ms=7, zorder=3)


def _label(axes: Axes, sizes: Sequence[int], task: str) -> None:
    """Draw axes, ticks and the legend."""
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.set_xticks([], minor=True)
    what = {"verify": "to decide who is safe", "optimize": "to find a minimum set"}[task]
    axes.set(xlabel="users", ylabel=f"seconds {what}")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.grid(color=colours.FAINT, alpha=0.3, which="major")
    title = "median and quartiles; x: not finished; hollow: median not finished"
    legend_above(axes, columns=4, title=title)
    plain(axes)
