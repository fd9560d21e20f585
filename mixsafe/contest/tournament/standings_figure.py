"""The scatter of the contest paper's figure 9: every team's release, and the benchmark."""

from __future__ import annotations

from io import BytesIO

from mixsafe.contest.tournament.standings import Standings
from mixsafe.errors import InputError


def tournament_scatter(standings: Standings) -> bytes:
    """s_R,min against s_T,min of the valid releases, PNG.

    R is the correlation over the teams' releases, without the benchmark.

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
    figure = Figure(figsize=(6, 5.5), layout="constrained")
    axes = figure.subplots()
    valid = [entry for entry in standings.releases if entry.valid]
    valid.sort(key=lambda entry: standings.privacy(entry, "ids"))
    for number, entry in enumerate(valid):
        place = standings.privacy(entry, "ids"), standings.privacy(entry, "traces")
        judge = entry is standings.benchmark
        axes.plot(*place, "x" if judge else "o", color="tab:red" if judge else "tab:blue")
        # Neighbours' names stand above and below in turn, so that they do not cover each other.
        axes.annotate(
            entry.name,
            place,
            xytext=(3, 5 if number % 2 else -11),
            textcoords="offset points",
            fontsize=8,
            parse_math=False,
        )
    correlation = standings.correlation
    axes.set(
        xlabel="re-identification $s_{R,min}$",
        ylabel="trace inference $s_{T,min}$",
        title="Privacy of valid releases: higher is better"
        + ("" if correlation is None else f" (R = {correlation:.3f})"),
    )
    axes.margins(0.15)
    axes.grid(alpha=0.3)
    picture = BytesIO()
    figure.savefig(picture, format="png", dpi=150, metadata={"Software": None})
    return picture.getvalue()
