"""What remedies cost, as a picture: how the data are published, and how much of them is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import PercentFormatter

from mixsafe.report.base import colours
from mixsafe.report.base.drawing import canvas, legend_above, legend_mark, plain, style

_ALSO = {
    "": ("o", colours.SERIES[0], "nothing else"),
    "leave out": ("s", colours.SERIES[1], "people left out"),
    "hide stretches": ("^", colours.SERIES[2], "stretches hidden"),
}
"""Marker, colour and words of what is done besides."""


@style
def draw_remedies(found: pd.DataFrame) -> Figure:
    """A row per form of the data, the mildest on top; what is not published to the right.

    Parameters
    ----------
    found
        A row per remedy, as of ``Protection.table`` (:mod:`mixsafe.tasks.remedies.remedy`).
        Remedies that pass are filled and have their numbers.
    """
    rows = found.to_dict(orient="records")
    forms: dict[str, str] = {}  # of each form its name, with the costs of publishing everything
    for row in rows:
        forms.setdefault(_key(row), _form(row))
    places = {form: place for place, form in enumerate(forms)}
    figure, axes = canvas(8.4, 0.5 * len(forms) + 1.9)
    most = 0.0
    for row in rows:
        name, also = str(row["remedy"]), ""
        for more in ("leave out", "hide stretches"):
            also = more if name.endswith(more) else also
        marker, colour, _ = _ALSO[also]
        passes, lost = row["verdict"] in ("safe", "weak pass"), _lost(row)
        most, place = max(most, lost), places[_key(row)]
        fill = colour if passes else colours.PAPER
        axes.plot(
            [lost], [place], marker=marker, ms=8, mew=1.4, color=colour, mfc=fill, ls="none",
            clip_on=False, zorder=3,
        )  # fmt: skip
        if passes:
            axes.annotate(
                str(row["number"]), (lost, place), (0, -11 if also == "leave out" else 11),
                textcoords="offset points", ha="center", va="center", fontsize=9,
            )  # fmt: skip
    axes.set_yticks(range(len(forms)), list(forms.values()))
    axes.set(ylim=(len(forms) - 0.5, -0.7), xlim=(0, min(1.0, max(most * 1.08, 0.05))))
    axes.set_xlabel("share of the data that is not published")
    axes.xaxis.set_major_formatter(PercentFormatter(1))
    axes.tick_params(axis="y", length=0, pad=10)
    axes.grid(axis="y", color=colours.FAINT, lw=0.5, alpha=0.5)
    plain(axes)
    legend_above(axes, _legend({str(row["remedy"]) for row in rows}), columns=3)
    return figure


def _key(row: Mapping[Any, Any]) -> str:
    """What all remedies of a form have in common."""
    return str([row[name] for name in ("cell_size", "time_step", "rotate")])


def _lost(row: Mapping[Any, Any]) -> float:
    """Share of the fixes that are not published; where there are none, of time or of people."""
    lost = row["share_of_fixes_lost"]
    if _known(lost):
        return float(str(lost))
    people = sum(int(str(row[word])) for word in ("safe", "unsafe", "undecided"))
    left_out, hidden = int(str(row["left_out"])), float(str(row["share_of_time_hidden"]))
    return hidden if hidden else left_out / max(left_out + people, 1)


def _form(row: Mapping[Any, Any]) -> str:
    """How the data are published, with what that costs."""
    name = str(row["remedy"])
    for more in ("leave out", "hide stretches"):
        name = name.removesuffix(more).removesuffix(", ")
    metres, minutes = row["metres"], row["minutes"]
    if name == "larger cells":
        off = f" (off by {_number(metres, digits=3)} m)" if _known(metres) else ""
        return f"cells of {_size(row)}{off}"
    if name == "longer steps":
        late = f" (late by {_number(minutes, digits=2)} min)" if _known(minutes) else ""
        return f"steps of {_number(row['time_step'], 60)} min{late}"
    return f"all change {row['rotate']}" if name == "rotations" else "as it is"


def _known(value: object) -> bool:
    """Whether a cell of a table is a number: not None, and not NaN."""
    return isinstance(value, float) and value == value


def _size(row: Mapping[Any, Any]) -> str:
    size = row["cell_size"]
    return size if isinstance(size, str) else f"{_number(size)} m"


def _number(value: object, unit: float = 1.0, digits: int = 6) -> str:
    return f"{float(str(value)) / unit:.{digits}g}"


def _legend(names: set[str]) -> list[Line2D]:
    """What markers mean."""
    shown = []
    for also, (marker, colour, words) in _ALSO.items():
        if also == "" or any(name.endswith(also) for name in names):
            shown.append(legend_mark(words, colour, marker, ms=8))
    for words, fill in (("passes", colours.INK), ("does not pass", colours.PAPER)):
        shown.append(legend_mark(words, colours.INK, ms=8, mfc=fill))
    return shown
