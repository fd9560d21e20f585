"""Runs and tournaments of the contest, as pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from mixsafe.report import colours
from mixsafe.report.drawing import plain, style
from mixsafe.report.page import cell, count, heading, plural
from mixsafe.report.sections import section, sections_page

Row = Mapping[str, Any]
MEANING = (
    "Scores go from 0 to 1, and 1 is best for the people in the data: s_U says how useful a release"
    " still is, s_R how few pseudonyms, and s_T how few locations an attacker finds. A release is"
    " as private as its strongest attack leaves it; attacks that were not run may be stronger."
)
CAPTION = (
    "Each point is a valid release against the strongest of the attacks that were run: further up"
    " and to the right is more private."
)


def contest_page(scores: Sequence[Row]) -> str:
    """The page for the ``scores.csv`` of ``contest run``.

    Parameters
    ----------
    scores
        Its rows, with numbers as floats.
    """
    releases = _releases(scores)
    valid = [release for release in releases if release["valid"]]
    sections = [section("Releases", table=_release_table(releases))]
    drawn = [one for one in valid if one["reid"] is not None and one["trace"] is not None]
    if drawn:
        points = [(one["name"], one["kind"], one["reid"], one["trace"]) for one in drawn]
        figure = (scatter(points), "privacy", CAPTION)
        sections.insert(0, section("Privacy of the valid releases", figure=figure))
    sections.append(section("Scores", table=_score_table(scores)))
    return sections_page(
        "A run of the contest",
        sections,
        word="Done",
        sentence=(
            f"{plural(len(releases), 'release was', 'releases were')} attacked,"
            f" {count(len(valid))} of them valid."
        ),
        meaning=MEANING,
    )


def tournament_page(result: Row) -> str:
    """The page for what ``contest tournament`` wrote."""
    teams = [*result["teams"], *([result["benchmark"]] if result["benchmark"] else [])]
    points = [
        (team["name"], "benchmark" if team is result["benchmark"] else "team",
         team["s_R_min"], team["s_T_min"])
        for team in teams
        if team["valid"] and team["s_R_min"] is not None and team["s_T_min"] is not None
    ]  # fmt: skip
    awards = [
        (f"{award.capitalize()} (by {of['by']})", ", ".join(of["teams"]) or "nobody")
        for award, of in result["awards"].items()
    ]
    sections = [section("Awards", facts=awards)]
    if points:
        figure = (scatter(points), "privacy", CAPTION)
        sections.append(section("Privacy of the valid releases", figure=figure))
    sections += [
        section("Teams", table=_team_table(teams)),
        section("Attacks", table=_attack_table(result["attacks"])),
    ]
    return sections_page(
        "A tournament",
        sections,
        word="Done",
        sentence=(
            f"{plural(len(result['teams']), 'team', 'teams')},"
            f" {plural(len(result['attacks']), 'attack', 'attacks')}."
        ),
        meaning=MEANING,
    )


@style
def scatter(points: Sequence[tuple[str, str, float, float]]) -> Figure:
    """Privacy of releases.

    Parameters
    ----------
    points
        Name, kind, re-identification and trace inference score of each.
    """
    figure = Figure(figsize=(9.6, 6), layout="constrained")
    axes = figure.subplots()
    kinds = list(dict.fromkeys(kind for _, kind, _, _ in points))
    for place, kind in enumerate(kinds):
        mine = [point for point in points if point[1] == kind]
        axes.plot(
            [point[2] for point in mine],
            [point[3] for point in mine],
            "o^sD"[place % 4],
            color=colours.SERIES[place % len(colours.SERIES)],
            label=kind,
            linestyle="",
        )
    for name, _, reid, trace in points:
        axes.annotate(name, (reid, trace), xytext=(5, 3), textcoords="offset points", fontsize=8)
    axes.set(xlabel="re-identification, s_R", ylabel="trace inference, s_T")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.01), ncols=len(kinds), borderaxespad=0)
    plain(axes)
    return figure


def _releases(scores: Sequence[Row]) -> list[dict[str, Any]]:
    """A release per anonymiser and pseudonymization, with its strongest attacks."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in scores:
        key = (row["anonymiser"], row["pseudonymization"])
        release = found.setdefault(
            key,
            {"name": key[0], "kind": key[1], "valid": row["valid"] == "yes", "utility": None,
             "reid": None, "trace": None, "reid_by": "", "trace_by": ""},
        )  # fmt: skip
        kind = row["score"]
        if kind == "utility":
            release["utility"] = row["value"]
        elif release[kind] is None or row["value"] < release[kind]:
            release[kind], release[f"{kind}_by"] = row["value"], row["attack"]
    return list(found.values())


def _number(value: float | None) -> dict[str, Any]:
    """A score as a cell."""
    return cell("", -1) if value is None else cell(f"{value:.4f}", value)


def _release_table(releases: Sequence[Row]) -> dict[str, Any]:
    rows = [
        [one["name"], one["kind"], "yes" if one["valid"] else "no", _number(one["utility"]),
         _number(one["reid"]), one["reid_by"], _number(one["trace"]), one["trace_by"]]
        for one in releases
    ]  # fmt: skip
    return {
        "caption": "Releases, each with the strongest attack of either kind",
        "headings": [
            heading("obfuscation"),
            heading("pseudonyms", filter="Show"),
            heading("valid"),
            heading("s_U", number=True),
            heading("s_R", number=True),
            heading("by"),
            heading("s_T", number=True),
            heading("by"),
        ],
        "rows": rows,
    }


def _score_table(scores: Sequence[Row]) -> dict[str, Any]:
    rows = [
        [row["anonymiser"], row["pseudonymization"], row["attack"], _number(row["value"]),
         f"{row['low']:.4f} to {row['high']:.4f}", _number(row["baseline"])]
        for row in scores
    ]  # fmt: skip
    return {
        "caption": "All scores, with 95% intervals and what random guesses would leave",
        "headings": [
            heading("obfuscation"),
            heading("pseudonyms"),
            heading("attack", filter="Show"),
            heading("score", number=True),
            heading("95% interval"),
            heading("random", number=True),
        ],
        "rows": rows,
    }


def _team_table(teams: Sequence[Row]) -> dict[str, Any]:
    rows = [
        [team["name"], "yes" if team["valid"] else "no", _number(team["utility"]),
         _number(team["s_R_min"]), team["s_R_min_by"] or "", _number(team["s_T_min"]),
         team["s_T_min_by"] or "", team["problem"] or ""]
        for team in teams
    ]  # fmt: skip
    return {
        "caption": "Releases of the teams, each with the strongest attack of either kind",
        "headings": [
            heading("team"),
            heading("valid", filter="Valid"),
            heading("s_U", number=True),
            heading("s_R", number=True),
            heading("by"),
            heading("s_T", number=True),
            heading("by"),
            heading("problem"),
        ],
        "rows": rows,
    }


def _attack_table(attacks: Sequence[Row]) -> dict[str, Any]:
    rows = [
        [attack["attacker"], attack["victim"], attack["answers"],
         _number(None if attack["score"] is None else attack["score"]["value"]),
         attack["problem"] or ""]
        for attack in attacks
    ]  # fmt: skip
    return {
        "caption": "All attacks; the lower the score, the stronger the attack",
        "headings": [
            heading("attacker"),
            heading("on"),
            heading("answers", filter="Show"),
            heading("score", number=True),
            heading("problem"),
        ],
        "rows": rows,
    }
