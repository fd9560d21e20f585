"""The privacy scatter of the contest paper (figure 8): s_R,min against s_T,min."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING

from mixsafe.contest.run import MIXZONE, SHUFFLE, Outcome
from mixsafe.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FAMILIES = {
    "A1": ("no obfuscation", "black"),
    "A2": ("MRLH", "tab:blue"),
    "A3": ("k-RR", "tab:orange"),
    "A4": ("planar Laplace", "tab:green"),
    "A5": ("cheating", "tab:red"),
    "AS": ("shifted regions", "tab:purple"),
    "KM": ("clustered visits", "tab:brown"),
}
MARKERS = {SHUFFLE: "o", MIXZONE: "^"}


def privacy_scatter(outcomes: Sequence[Outcome], required: float) -> bytes:
    """The outcomes as a picture, PNG: one panel with all, one with those of s_U >= required.

    Each point is the strongest of the attacks that were run, and no more.

    Raises
    ------
    InputError
        matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError(
            "the picture needs matplotlib", hint="pip install 'mixsafe[plot]'"
        ) from None
    figure = Figure(figsize=(11, 6), layout="constrained")
    axes = figure.subplots(1, 2, sharex=True, sharey=True)
    _panel(axes[0], outcomes, "all releases")
    # Before the second panel, which would name every family again.
    figure.legend(loc="outside lower center", ncols=5, fontsize="small")
    valid = [outcome for outcome in outcomes if outcome.utility.value >= required]
    _panel(axes[1], valid, f"utility $s_U$ of {required:g} or more")
    attacks = dict.fromkeys(name for outcome in outcomes for name in outcome.privacy)
    figure.suptitle(f"Privacy against {', '.join(attacks)}: higher is better", fontsize="medium")
    picture = BytesIO()
    figure.savefig(picture, format="png", dpi=150, metadata={"Software": None})
    return picture.getvalue()


def _panel(axes: Axes, outcomes: Sequence[Outcome], title: str) -> None:
    """Points by family (colour) and pseudonymization (marker), with their parameters."""
    named = set()
    for outcome in outcomes:
        reid, trace = outcome.strongest("reid"), outcome.strongest("trace")
        if reid is None or trace is None:
            continue
        short, _, parameters = outcome.anonymiser.partition("-")
        family, colour = FAMILIES.get(short, (short, "gray"))
        name = f"{family}, {outcome.pseudonymization}"
        axes.plot(
            reid.value,
            trace.value,
            MARKERS[outcome.pseudonymization],
            color=colour,
            label=None if name in named else name,
        )
        named.add(name)
        axes.annotate(
            parameters.replace("-", ","),
            (reid.value, trace.value),
            xytext=(3, 3),
            textcoords="offset points",
            fontsize=6,
        )
    axes.set(
        title=title, xlabel="re-identification $s_{R,min}$", ylabel="trace inference $s_{T,min}$"
    )
    axes.grid(alpha=0.3)
