"""The page about audits of assumed knowledge, draw by draw."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from typing import Any

from matplotlib.figure import Figure

from mixsafe.report.base import colours
from mixsafe.report.base.drawing import canvas, plain, style
from mixsafe.report.base.page import cell, heading, numbers, plural, share, table
from mixsafe.report.base.sections import section, sections_page
from mixsafe.report.base.words import SHARES, zone_words


def assumption_page(result: Mapping[str, Any]) -> str:
    """The page for a result of ``audit --assume --json``."""
    shares, draws = result["shares"], result["draws"]
    unsafe, per_user = shares["unsafe"], result["sightings_per_user"]
    exchange = (
        "pseudonyms are assumed to be exchanged wherever tracks meet"
        if result["exchange"] == "zones"
        else "pseudonyms are assumed never to be exchanged"
    )
    caption = (
        "Each dot is a draw, each bar the 95% interval of the mean; the dotted line is a random"
        " guess among all tracks."
    )
    interval = "in a single draw"
    if len(draws) > 1:
        interval = f"95% interval {share(unsafe['low'])} to {share(unsafe['high'])}"
    return sections_page(
        f"Location privacy of {result['name']}, seen from outside",
        [
            section("Results of the draws", figure=(draw_assumption(result), "shares", caption)),
            section(
                "Shares",
                f"A random guess among all tracks, without sightings, is right with probability"
                f" {share(result['random_guess'])}.",
                table=_spreads(shares),
            ),
            section("Draws", table=_draws(draws)),
            section("Assumptions", facts=_assumed(result)),
        ],
        word="By assumption",
        sentence=(
            f"An adversary with {plural(per_user, 'sighting', 'sightings')} of each person leaves"
            f" {share(unsafe['mean'])} of the people unprotected ({interval})."
        ),
        meaning=(
            f"The actual sightings are unknown. {plural(len(draws), 'time', 'times')}, sightings"
            f" were drawn at random from reference traces, and the release was audited with them."
            f" Protected means at least k = {result['k']} tracks by the rule '{result['rule']}';"
            f" {exchange}."
        ),
        provenance=result.get("provenance"),
    )


def _assumed(result: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Assumptions behind the shares, in sentences."""
    times = plural(result["sightings_per_user"], "time", "times")
    exchanged = result["exchange"] == "zones"
    seen = {"view": "auditor", "exchanged": exchanged}
    return [
        (
            "The adversary",
            "The adversary has the whole release and no secret table, and saw every person of the"
            f" reference traces {times}, at random times and at the places of the reference. A"
            " reference of other days than the release stands for habits; people found by a habit"
            " may be found wrongly.",
        ),
        ("A mix zone", zone_words(seen)),
        (
            "Found",
            "At some time, only one track is possible. Tracks are counted, not weighed.",
        ),
    ]


@style
def draw_assumption(result: Mapping[str, Any]) -> Figure:
    """Each share in each draw, with the interval of its mean."""
    figure, axes = canvas(9.6, 3.2)
    for row, name in enumerate(SHARES):
        values = [draw[name] for draw in result["draws"]]
        spread = result["shares"][name]
        # Shifted a little in turn, so that equal draws do not hide each other.
        places = [row + 0.12 * (number % 3 - 1) for number in range(len(values))]
        axes.plot(values, places, "o", color=colours.UNDECIDED, ms=4, mew=0)
        axes.plot([spread["low"], spread["high"]], [row, row], color=colours.SAFE, linewidth=5)
        axes.plot(spread["mean"], row, "o", color=colours.INK, ms=5)
    axes.axvline(result["random_guess"], color=colours.FAINT, linestyle=":", linewidth=1)
    axes.set(xlim=(-0.02, 1.02), ylim=(len(SHARES) - 0.5, -0.5), xlabel="share")
    axes.set_yticks(range(len(SHARES)), ["\n".join(wrap(text, 32)) for text in SHARES.values()])
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
    plain(axes)
    return figure


def _spreads(shares: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """Table of shares over the draws."""
    return table(
        "Means over the draws, with 95% bootstrap intervals",
        [heading("share", wide=True), *numbers("mean", "from", "to", "least", "most")],
        [
            [words, *(_share(shares[name][of]) for of in ("mean", "low", "high", "least", "most"))]
            for name, words in SHARES.items()
        ],
    )


def _draws(draws: list[Mapping[str, float]]) -> dict[str, Any]:
    """Table of all draws."""
    columns = {
        "unsafe": "not protected",
        "unsafe_low": "from",
        "unsafe_high": "to",
        "undecided": "undecided",
        "unsafe_time": "time unsafe",
        "undecided_time": "time undecided",
        "found": "found",
        "contradicted": "contradicted",
        "guess": "guess",
    }
    return table(
        "All draws, with Wilson intervals over people",
        numbers("draw", *columns.values()),
        [
            [number, *(_share(draw[name]) for name in columns)]
            for number, draw in enumerate(draws, 1)
        ],
    )


def _share(part: float) -> dict[str, Any]:
    """A share as a cell."""
    return cell(f"{part:.2%}", part)
