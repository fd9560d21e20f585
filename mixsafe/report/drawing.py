"""Style of pictures, and their output as files or parts of a page."""

from __future__ import annotations

import functools
import os
import re
import warnings
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from html import escape
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import matplotlib as mpl
import numpy as np
from markupsafe import Markup
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator

from mixsafe.errors import InputError, printable
from mixsafe.machinery.files import atomic_path
from mixsafe.report import colours

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


P = ParamSpec("P")
R = TypeVar("R")

ENDINGS = (".png", ".svg")

_LOOK: dict[Any, Any] = {
    "font.size": 10,
    "text.color": colours.INK,
    "axes.labelcolor": colours.INK,
    "axes.edgecolor": colours.FAINT,
    "xtick.color": colours.FAINT,
    "ytick.color": colours.FAINT,
    "xtick.labelcolor": colours.INK,
    "ytick.labelcolor": colours.INK,
    "figure.facecolor": colours.PAPER,
    "axes.facecolor": "none",
    "legend.frameon": False,
    "legend.fontsize": 10,
    "legend.title_fontsize": 10,
    "legend.handlelength": 1.2,
    "legend.handleheight": 1.0,
    "legend.columnspacing": 1.4,
    "legend.handletextpad": 0.5,
    "path.simplify": False,
    "text.parse_math": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "mixsafe",
}


def style(draw: Callable[P, R]) -> Callable[P, R]:
    """Let a function draw in the look of the house, whatever the caller's settings are."""

    @functools.wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> R:
        with mpl.rc_context():
            mpl.rcdefaults()
            mpl.rcParams.update(_LOOK)
            return draw(*args, **kwargs)

    return drawn


def canvas(width: float, height: float, *grid: int, **shared: Any) -> tuple[Figure, Any]:
    """An empty picture of this size, inches, and its axes.

    Parameters
    ----------
    grid, shared
        Rows and columns of axes, and what they share: as for ``Figure.subplots``.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(*grid, **shared)


def plain(axes: Axes) -> None:
    """Leave no more lines than are needed."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def legend_above(
    axes: Axes,
    shown: Sequence[Artist] | None = None,
    columns: int | None = None,
    title: str | None = None,
    gap: float = 0.01,
) -> None:
    """Draw a legend above a picture, aligned to its left edge.

    Parameters
    ----------
    shown
        What is explained; None: all in the axes that has a label.
    columns
        Of the legend, at most; None: one for each. It is read row by row.
    title
        Of the legend.
    gap
        Between it and the picture, of the picture's height.
    """
    handles = axes.get_legend_handles_labels()[0] if shown is None else list(shown)
    columns = min(columns or len(handles), len(handles)) or 1
    axes.legend(
        handles=[handle for column in range(columns) for handle in handles[column::columns]],
        title=title,
        loc="lower left",
        alignment="left",
        bbox_to_anchor=(0, 1 + gap),
        ncols=columns,
        borderaxespad=0,
    )


def moment_ticks(axes: Axes, moments: Sequence[int | str]) -> None:
    """Label an axis of columns at up to seven round times, or round numbers of steps."""
    if len(moments) > 1 and all(isinstance(one, str) and "T" in one for one in moments):
        axes.set_xticks(*_round_times([datetime.fromisoformat(str(one)) for one in moments]))
        return
    steps = [moment for moment in moments if isinstance(moment, int)]
    if len(steps) == len(moments) > 1:
        labelled = _round_steps(steps)
        columns = np.interp(labelled, steps, range(len(steps)))
        axes.set_xticks((columns + 0.5).tolist(), list(map(str, labelled)))
        axes.set_xlabel("time step")
        return
    count = min(7, len(moments))
    shown = sorted({place * (len(moments) - 1) // max(count - 1, 1) for place in range(count)})
    axes.set_xticks([place + 0.5 for place in shown], [str(moments[place]) for place in shown])
    axes.set_xlabel("time step")


_ROUND = tuple(
    60 * minutes
    for minutes in (1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440, 2880, 10080)
)
"""Seconds between ticks, where they are few enough; beyond, doubled."""


def _round_steps(steps: Sequence[int]) -> list[int]:
    """The first of some numbers of steps, and up to six round ones."""
    low, high = steps[0], steps[-1]
    ticks = MaxNLocator(6, integer=True, steps=(1, 2, 5, 10)).tick_values(low, high)
    between = ticks[1] - ticks[0]
    return [low, *(int(tick) for tick in ticks if low + between / 2 <= tick <= high)]


def _round_times(moments: Sequence[datetime]) -> tuple[list[float], list[str]]:
    """Places of round times by the clock, among columns that begin at some moments, and names."""
    clock = [moment.replace(tzinfo=None) for moment in moments]
    midnight = clock[0].replace(hour=0, minute=0, second=0, microsecond=0)
    begins = np.maximum.accumulate([(one - midnight).total_seconds() for one in clock])
    end = begins[-1] + (begins[-1] - begins[0]) / (len(begins) - 1)
    between = next((one for one in _ROUND if (end - begins[0]) / one <= 6), _ROUND[-1])
    while (end - begins[0]) / between > 6:
        between *= 2
    ticks = np.arange(-(-begins[0] // between) * between, end + 1e-9, between)
    form = "%Y-%m-%d" if between % 86400 == 0 else "%Y-%m-%d\n%H:%M"
    names = [(midnight + timedelta(seconds=tick)).strftime(form) for tick in ticks.tolist()]
    return np.interp(ticks, [*begins, end], range(len(begins) + 1)).tolist(), names


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a picture as PNG or SVG, by the ending, whole or not at all; no date in it.

    Raises
    ------
    InputError
        Another ending, or the file cannot be written.
    """
    picture = picture_of(figure, check_ending(Path(path)))
    with atomic_path(path) as draft:
        draft.write_bytes(picture)


def _lay_out(figure: Figure) -> None:
    """Place the axes for good, at rounded places.

    The solver of the layout adds in the order of addresses in memory: last digits differ from run
    to run, and with them the names of clip paths in SVG.
    """
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        left, bottom, width, height = axes.get_position(original=True).bounds
        axes.set_position((round(left, 6), round(bottom, 6), round(width, 6), round(height, 6)))


@style
def picture_of(figure: Figure, kind: str) -> bytes:
    """A picture as ``png`` or ``svg``; the same figure gives the same bytes."""
    unsigned = {"Software": None} if kind == "png" else {"Date": None, "Creator": None}
    legible(figure)
    picture = BytesIO()
    with warnings.catch_warnings():
        # Names of people are in all scripts; a glyph missing in all fonts is drawn as a box.
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)
        _lay_out(figure)
        figure.savefig(picture, format=kind, dpi=150, metadata=unsigned)
    return picture.getvalue()


def legible(figure: Figure) -> None:
    """Tell names in a picture as pages do: what has no shape is an escape sequence."""
    for text in figure.findobj(Text):
        text.set_text(printable(text.get_text()))


def check_ending(path: Path) -> str:
    """The kind of a picture's file, by its ending: ``png`` or ``svg``.

    Raises
    ------
    InputError
        It is not one that can be written.
    """
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"'{path}' is no picture", hint="end its name in .png or .svg")
    return ending[1:]


@style
def inline_svg(figure: Figure, name: str, title: str) -> Markup:
    """A picture as a part of a page: it takes the page's colours, and is one image to a reader.

    Parameters
    ----------
    name
        Unique in the page; becomes a part of all ids.
    title
        What the picture shows, for those who do not see it; plain text.
    """
    figure.patch.set_visible(False)
    text = picture_of(figure, "svg").decode("utf-8")
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'(url\(|href=")#', rf"\1#{name}-", text)
    text = re.sub(r"(font: [\d.]+px) [^;\"]*", r"\1 var(--font)", text)
    text = re.sub(r"font-family: [^;\"]*", "font-family: var(--font)", text)
    text = re.sub(r"(?<=: )#[0-9a-f]{6}", _variable, text)
    label = escape(printable(title), quote=False).replace('"', "&quot;")
    head = f'<svg role="img" aria-label="{label}" '
    size = re.compile(r' (?:width|height)="[^"]*pt"')
    opening, _, rest = text.partition(">")
    # matplotlib escapes the texts of a picture
    return Markup(size.sub("", opening).replace("<svg ", head, 1) + ">" + rest)


def _variable(colour: re.Match[str]) -> str:
    """The page's variable for a colour, or the colour itself."""
    name = colours.VARIABLES.get(colour[0])
    return colour[0] if name is None else f"var(--{name})"
