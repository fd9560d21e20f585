"""What a tournament says: whose releases hide people best, and whose attacks find most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mixsafe.contest.run_document import ATTACKER, CAPTION, LIMIT, MEANING, Point, release_panel
from mixsafe.documents.document import Chart, Column, Document, Fact, Table, Text
from mixsafe.model.answer.wording import plural, share

Row = Mapping[str, Any]

RANKED = (
    "Each challenge has separate data. Releases of the challenge IDP are ranked by the"
    " re-identification that the strongest attack leaves undone (s_R), those of TRP by trace"
    " inference (s_T). A release that is not valid has no rank."
)


def tournament_document(challenges: Sequence[Row]) -> Document:
    """The document of a tournament.

    Parameters
    ----------
    challenges
        As :meth:`mixsafe.contest.tournament.standings.Standings.to_dict` has them.
    """
    return Document(
        title="A tournament",
        word="Done",
        tone="plain",
        sentence=f"Most private: {', '.join(map(_best, challenges))}.",
        meaning=MEANING,
        facts=tuple(fact for one in challenges for fact in _facts(one)),
        parts=(
            *(part for one in challenges for part in _parts(one)),
            Text("Assumptions", (ATTACKER, RANKED), pages_only=True),
        ),
        next_steps=tuple(_next_steps(challenges)),
        limits=(LIMIT,),
    )


def _best(result: Row) -> str:
    """The most private release of a challenge, and what the best attack finds in it."""
    by = _ranked_by(result)
    first = [team for team in result["teams"] if team["rank"] == 1 and team[by] is not None]
    if not first:
        return f"nobody in {result['challenge']}"
    names, part = " and ".join(team["name"] for team in first), share(1 - first[0][by])
    found = "owners" if by == "s_R_min" else "places"
    return f"{names} in {result['challenge']} ({part} of the {found} found)"


def _ranked_by(result: Row) -> str:
    """Name of the score that releases are ranked by."""
    return f"{result['ranked_by']}_min"


def _facts(result: Row) -> Iterator[Fact]:
    """Teams and attacks of a challenge, its awards, and how its two scores go together."""
    name = result["challenge"]
    teams = plural(len(result["teams"]), "team", "teams")
    attacks = plural(len(result["attacks"]), "attack", "attacks")
    valid = sum(team["valid"] for team in result["teams"])
    yield Fact(name, f"{teams}, {valid:,} with a valid release; {attacks}")
    for award, won in result["awards"].items():
        teams = ", ".join(won["teams"]) or "nobody"
        yield Fact(f"{name}, best {award}", f"{teams} ({won['by']})")
    correlation = result.get("correlation")
    if correlation is not None:
        yield Fact(f"{name}, correlation of s_R and s_T over the teams", correlation, "score")


def _parts(result: Row) -> Iterator[Table | Chart]:
    """Releases of a challenge in a picture, and its tables, by rank."""
    name = result["challenge"]
    ranked = sorted(result["teams"], key=_rank)
    yield from _charts(result)
    yield _team_table(result, ranked)
    yield _attacker_table(name, ranked)
    yield _attack_table(result, ranked)


def _rank(team: Row) -> float:
    """The place of a team; those without one come last."""
    return float("inf") if team["rank"] is None else float(team["rank"])


def _charts(result: Row) -> Iterator[Chart]:
    """Valid releases that were attacked."""
    releases = [(team, "team") for team in result["teams"]]
    if result["benchmark"]:
        releases.append((result["benchmark"], "benchmark"))
    points = [
        Point(release["name"], kind, kind, release["s_R_min"], release["s_T_min"])
        for release, kind in releases
        if release["valid"] and release["s_R_min"] is not None and release["s_T_min"] is not None
    ]
    if points:
        name, correlation = result["challenge"], result.get("correlation")
        legend = name if correlation is None else f"{name}, R = {correlation:.3f}"
        title = f"{name}: privacy of the valid releases"
        yield Chart(title, f"privacy-{name}", CAPTION, (release_panel(points, legend),))


def _team_table(result: Row, ranked: Sequence[Row]) -> Table:
    benchmark, faults = result["benchmark"], list(_faults(result))
    columns = (
        Column("rank", "count"),
        Column("team", "name"),
        Column("valid", filter="Valid"),
        Column("s_U", "score"),
        Column("s_R", "score"),
        Column("left by"),
        Column("s_T", "score"),
        Column("left by"),
        Column("remarks", wide=True),
    )
    rows = [
        (
            release["rank"],
            release["name"],
            "yes" if release["valid"] else "no",
            release["utility"],
            release["s_R_min"],
            release["s_R_min_by"],
            release["s_T_min"],
            release["s_T_min_by"],
            "the judge's benchmark" if release is benchmark else _remarks(release, faults),
        )
        for release in (*ranked, *([benchmark] if benchmark else []))
    ]
    title = f"{result['challenge']}: teams"
    caption = (
        f"{result['challenge']}: releases, ranked by {result['ranked_by']}, each with the"
        " strongest attack of either kind"
    )
    return Table(title, caption, columns, rows)


def _faults(result: Row) -> Iterator[tuple[str, str]]:
    """Teams whose attacks were not valid, and why."""
    for attack in result["attacks"]:
        if attack["team"] and attack["problem"]:
            yield attack["attacker"], f"attack on {attack['victim']}: {attack['problem']}"


def _remarks(release: Row, faults: Sequence[tuple[str, str]]) -> str:
    """Why a release, or an attack of its team, is not valid; empty: they are."""
    invalid = [f"not valid: {release['problem']}"] if release["problem"] else []
    return "; ".join([*invalid, *(why for name, why in faults if name == release["name"])])


def _attacker_table(name: str, ranked: Sequence[Row]) -> Table:
    return Table(
        f"{name}: attackers",
        f"{name}: what each team's attacks left, summed over valid releases (one that it did not"
        " attack counts 1): less is stronger",
        (Column("team", "name"), Column("sum of s_R", "score"), Column("sum of s_T", "score")),
        [(team["name"], team.get("s_R_sum"), team.get("s_T_sum")) for team in ranked],
    )


def _attack_table(result: Row, ranked: Sequence[Row]) -> Table:
    """All attacks, on the first team's release first, the strongest of them first."""
    places = {team["name"]: place for place, team in enumerate(ranked)}

    def order(attack: Row) -> tuple[int, str, float]:
        left = 2.0 if attack["score"] is None else attack["score"]["value"]
        return places.get(attack["victim"], len(places)), attack["answers"], left

    name = result["challenge"]
    return Table(
        f"{name}: attacks",
        f"{name}: all attacks; the lower the score, the stronger the attack",
        (
            Column("attacker", "name"),
            Column("on"),
            Column("answers", filter="Answers"),
            Column("score", "score"),
            Column("problem", wide=True),
        ),
        [
            (attack["attacker"], attack["victim"], attack["answers"],
             None if attack["score"] is None else attack["score"]["value"],
             attack["problem"] or "")
            for attack in sorted(result["attacks"], key=order)
        ],
        pages_only=True,
    )  # fmt: skip


def _next_steps(challenges: Sequence[Row]) -> Iterator[str]:
    """Who has to hand in a better release."""
    valid = {team["name"] for one in challenges for team in one["teams"] if team["valid"]}
    teams = dict.fromkeys(team["name"] for one in challenges for team in one["teams"])
    waiting = [name for name in teams if name not in valid]
    if waiting:
        yield f"Better releases of {', '.join(waiting)}: the remarks say why."
