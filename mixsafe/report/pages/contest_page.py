"""Runs of the contest, as pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mixsafe.contest.pseudonymizers import PSEUDONYMIZERS
from mixsafe.contest.registry import ANONYMISERS, ATTACKERS, about
from mixsafe.report.base.page import (
    capital,
    count,
    heading,
    numbers,
    plural,
    score_cell,
    share,
    table,
)
from mixsafe.report.base.scores import releases_of
from mixsafe.report.base.sections import section, sections_page
from mixsafe.report.figures.contest_figure import Point, scatter

Row = Mapping[str, Any]
MEANING = (
    "An attacker who identifies a pseudonym has all data published under it. Scores go from 0 to"
    " 1, and 1 is best for the people in the data: s_U says how useful a release still is, s_R how"
    " few pseudonyms, and s_T how few locations an attacker finds. A release is as private as its"
    " strongest attack leaves it; attacks that were not run may be stronger."
)
ATTACKER = (
    "Attackers have the release and reference traces of the same people from other days, and answer"
    " whose each pseudonym is (ids), or where everybody was (traces). Obfuscation changes places"
    " before pseudonyms are given. A release is valid when it is useful enough."
)
CAPTION = (
    "Each point is a valid release against the strongest of the attacks that were run: further up"
    " and to the right is more private."
)


def contest_page(scores: Sequence[Row], provenance: Mapping[str, Any] | None = None) -> str:
    """The page for the ``scores.csv`` of ``contest run``.

    Parameters
    ----------
    scores
        Its rows, with numbers as floats.
    provenance
        See :func:`mixsafe.report.base.provenance.provenance`.
    """
    releases = releases_of(scores)
    sections = [
        picture(run_points(scores)),
        section("Releases", table=_release_table(releases)),
        section("Scores", table=_score_table(scores)),
        section("Assumptions", ATTACKER, facts=_glossary(scores)),
    ]
    return sections_page(
        "A run of the contest",
        [one for one in sections if one is not None],
        word="Done",
        sentence=_best(releases),
        meaning=MEANING,
        provenance=provenance,
    )


def run_points(scores: Sequence[Row], *, every: bool = False) -> list[Point]:
    """Releases of a run as points of a picture, the most private ones first.

    Parameters
    ----------
    scores
        Rows of ``scores.csv``.
    every
        Those that are not useful enough, too.
    """
    points = [
        Point(
            one["name"],
            one["kind"],
            one["name"].partition("-")[0],
            one["reid"]["value"],
            one["trace"]["value"],
            one["valid"],
        )
        for one in releases_of(scores)
        if (every or one["valid"]) and one["reid"] is not None and one["trace"] is not None
    ]
    return sorted(points, key=lambda point: (-point.valid, -point.reid - point.trace))


def picture(
    points: Sequence[Point], corner: str = "", name: str = "privacy", before: str = ""
) -> dict[str, Any] | None:
    """The section with the picture, where there is something to draw.

    Parameters
    ----------
    name
        Of the picture, unique in its page.
    before
        What its title begins with.
    """
    if not points:
        return None
    figure, left_out = scatter(points, corner)
    caption = CAPTION
    if left_out:
        caption += f" {plural(left_out, 'name', 'names')} without room: the table has them all."
    return section(f"{before}Privacy of the valid releases", figure=(figure, name, caption))


def _best(releases: Sequence[Row]) -> str:
    """What came out, in a sentence."""
    valid = [release for release in releases if release["valid"]]
    attacked = [one for one in valid if one["reid"] is not None]
    tried = f"{plural(len(releases), 'release', 'releases')}, {count(len(valid))} of them useful"
    if not attacked:
        return f"{tried}; no attack was run on those."
    best = max(attacked, key=lambda one: one["reid"]["value"])
    part, by = share(1 - best["reid"]["value"]), best["reid"]["attack"]
    guess = share(1 - best["reid"]["baseline"])
    return (
        f"In the most private release, {best['name']} ({best['kind']}), the best attack, {by},"
        f" names the owner of {part} of the pseudonyms (guessing: {guess}); {tried}."
    )


def _glossary(scores: Sequence[Row]) -> list[tuple[str, str]]:
    """What the names mean that occur, those that ship with mixsafe."""
    known = {method.short: capital(about(method)) for method in (*ANONYMISERS, *ATTACKERS)}
    used = dict.fromkeys(row["pseudonymization"] for row in scores)
    named = [(name, f"{PSEUDONYMIZERS[name].sentence}.") for name in used if name in PSEUDONYMIZERS]
    used = dict.fromkeys(row["anonymiser"].partition("-")[0] for row in scores)
    used |= dict.fromkeys(row["attack"] for row in scores)
    return named + [(name, known[name]) for name in used if known.get(name)]


def _strongest(attack: Row | None) -> list[Any]:
    """What the strongest attack of a kind leaves, and which it is, as cells."""
    return (
        [score_cell(None), ""]
        if attack is None
        else [score_cell(attack["value"]), attack["attack"]]
    )


def _release_table(releases: Sequence[Row]) -> dict[str, Any]:
    rows = [
        [one["name"], one["kind"], "yes" if one["valid"] else "no", score_cell(one["utility"]),
         *_strongest(one["reid"]), *_strongest(one["trace"])]
        for one in releases
    ]  # fmt: skip
    return table(
        "Releases, each with the strongest attack of either kind",
        [
            "obfuscation",
            heading("pseudonyms", filter="Pseudonyms"),
            heading("valid", filter="Valid"),
            *numbers("s_U", "s_R"),
            "left by",
            *numbers("s_T"),
            "left by",
        ],
        rows,
    )


def _score_table(scores: Sequence[Row]) -> dict[str, Any]:
    rows = [
        [row["anonymiser"], row["pseudonymization"], row["attack"], score_cell(row["value"]),
         f"{row['low']:.4f} to {row['high']:.4f}", score_cell(row["baseline"])]
        for row in scores
    ]  # fmt: skip
    return table(
        "All scores, with 95% intervals and what random guesses would leave",
        [
            "obfuscation",
            "pseudonyms",
            heading("attack", filter="Attack"),
            *numbers("score"),
            "95% interval",
            *numbers("random"),
        ],
        rows,
    )
