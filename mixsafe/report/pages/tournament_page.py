"""Tournaments of the contest, as pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mixsafe.report.base.page import cell, heading, numbers, plural, score_cell, share, table
from mixsafe.report.base.sections import section, sections_page
from mixsafe.report.figures.contest_figure import Point
from mixsafe.report.pages.contest_page import ATTACKER, MEANING, picture

Row = Mapping[str, Any]
RANKED = (
    "Each challenge has separate data. Releases of the challenge IDP are ranked by the"
    " re-identification that the strongest attack leaves undone (s_R), those of TRP by trace"
    " inference (s_T). A release that is not valid has no rank."
)


def tournament_page(result: Row) -> str:
    """The page for what ``contest tournament`` wrote: its challenges, one after the other."""
    challenges = result["challenges"]
    sections = [part for one in challenges for part in _sections(one)]
    return sections_page(
        "A tournament",
        [*sections, section("Assumptions", ATTACKER, RANKED)],
        word="Done",
        sentence=" ".join(_outcome(one) for one in challenges),
        meaning=MEANING,
        provenance=result.get("provenance"),
    )


def _sections(result: Row) -> list[dict[str, Any]]:
    """Facts about a challenge."""
    name = result["challenge"]
    before = f"{name}: "
    teams = [*result["teams"], *([result["benchmark"]] if result["benchmark"] else [])]
    awards = [
        (f"Best {award}", f"{', '.join(of['teams']) or 'nobody'} ({of['by']})")
        for award, of in result["awards"].items()
    ]
    sections = [
        section(f"{before}Awards", facts=awards),
        picture(tournament_points(result), tournament_corner(result), f"privacy-{name}", before),
        section(f"{before}Teams", table=_team_table(teams, before)),
        section(f"{before}Attackers", table=_attacker_table(result["teams"], before)),
        section(f"{before}Attacks", table=_attack_table(result["attacks"], before)),
    ]
    return [one for one in sections if one is not None]


def tournament_points(result: Row) -> list[Point]:
    """Valid releases of a tournament as points of a picture, the most private ones first."""
    teams = [(team, "team") for team in result["teams"]]
    if result["benchmark"]:
        teams.append((result["benchmark"], "benchmark"))
    points = [
        Point(team["name"], kind, kind, team["s_R_min"], team["s_T_min"])
        for team, kind in teams
        if team["valid"] and team["s_R_min"] is not None and team["s_T_min"] is not None
    ]
    return sorted(points, key=lambda point: -point.reid - point.trace)


def tournament_corner(result: Row) -> str:
    """Correlation of s_R,min and s_T,min over the teams, for the corner of the picture."""
    correlation = result.get("correlation")
    return "" if correlation is None else f"R = {correlation:.3f}"


def _outcome(result: Row) -> str:
    """Result of a challenge in a sentence."""
    teams = plural(len(result["teams"]), "team", "teams")
    tried = f"{teams} hid people, and made {plural(len(result['attacks']), 'attack', 'attacks')}"
    by = f"{result['ranked_by']}_min"
    first = [team for team in result["teams"] if team["rank"] == 1 and team[by] is not None]
    if not first:
        return f"{result['challenge']}: {tried}; no release was both valid and attacked."
    best = f"In the most private release, that of {' and '.join(one['name'] for one in first)},"
    part = share(1 - first[0][by])
    found = f"the best attack finds {part} of where people were"
    if by == "s_R_min":
        found = f"the best attack names the owner of {part} of the pseudonyms"
    return f"{result['challenge']}: {best} {found}; {tried}."


def _team_table(teams: Sequence[Row], before: str) -> dict[str, Any]:
    rows = [
        [_rank(team["rank"]), team["name"], "yes" if team["valid"] else "no",
         score_cell(team["utility"]), score_cell(team["s_R_min"]), team["s_R_min_by"] or "",
         score_cell(team["s_T_min"]), team["s_T_min_by"] or "", team["problem"] or ""]
        for team in teams
    ]  # fmt: skip
    return table(
        f"{before}Releases of the teams, each with the strongest attack of either kind",
        [
            *numbers("rank"),
            heading("team", names=True),
            heading("valid", filter="Valid"),
            *numbers("s_U", "s_R"),
            "left by",
            *numbers("s_T"),
            "left by",
            heading("problem", wide=True),
        ],
        rows,
    )


def _rank(rank: int | None) -> dict[str, Any]:
    """A place as a cell; those without one come last."""
    return cell("", 10**9) if rank is None else cell(str(rank), rank)


def _attacker_table(teams: Sequence[Row], before: str) -> dict[str, Any]:
    rows = [
        [team["name"], score_cell(team.get("s_R_sum")), score_cell(team.get("s_T_sum"))]
        for team in teams
    ]  # fmt: skip
    return table(
        f"{before}What each team's attacks left, summed over all valid releases: the"
        " lower, the stronger; a release that it did not attack counts 1",
        [heading("team", names=True), *numbers("sum of s_R", "sum of s_T")],
        rows,
    )


def _attack_table(attacks: Sequence[Row], before: str) -> dict[str, Any]:
    rows = [
        [attack["attacker"], attack["victim"], attack["answers"],
         score_cell(None if attack["score"] is None else attack["score"]["value"]),
         attack["problem"] or ""]
        for attack in attacks
    ]  # fmt: skip
    return table(
        f"{before}All attacks; the lower the score, the stronger the attack",
        [
            heading("attacker", names=True),
            "on",
            heading("answers", filter="Answers"),
            *numbers("score"),
            heading("problem", wide=True),
        ],
        rows,
    )
