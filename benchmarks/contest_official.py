"""The organizers' scores of PWS Cup 2019, every release under every attack, as standings.

    python benchmarks/contest_official.py DIR

DIR has ``official_scores.csv`` with the columns ``round``, ``release``, ``attack_by``, ``score``
and ``value``: of each round, the utility of each release (``s_U``), and the privacy that each
team's and each sample attack left (``s_R``, ``s_T``). Prints Markdown: a line for each round and
challenge, then the standings. The organizers' own minima (``SecI``, ``SecT``) are compared with
those of the attacks.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

RANKED = {"IDP": "s_R", "TRP": "s_T"}
"""The score that releases of a challenge are ranked by."""

SAMPLES = ("I1", "I2", "I3", "T1", "T2", "T3")
MINIMA = ("SecI", "SecT")
REQUIRED = 0.7
JUDGE = "000"
"""Number of the judge's release, of which the pseudonyms alone hide anything."""

_RELEASE = r"pubtraces_team(?P<team>\d{3})_data\d{2}_(?P<challenge>IDP|TRP)"
_OF_RELEASE = ["round", "challenge", "team"]


def read_scores(path: Path) -> pd.DataFrame:
    """A row for each score, with the release's ``team`` and ``challenge``.

    Raises
    ------
    ValueError
        A release is called in another way, a score occurs twice, or the organizers' minimum is not
        that of the attacks.
    """
    scores = pd.read_csv(path, keep_default_na=False)
    named = scores["release"].str.fullmatch(_RELEASE)
    if not named.all():
        raise ValueError(f"{path}: unknown release {scores['release'][~named].iloc[0]}")
    scores = scores.join(scores["release"].str.extract(_RELEASE))
    again = scores.duplicated([*_OF_RELEASE, "score", "attack_by"])
    if again.any():
        raise ValueError(f"{path}: line {again.idxmax() + 2} gives a score again")
    stated = scores[scores["attack_by"].isin(MINIMA)]
    found = strongest(scores).set_index([*_OF_RELEASE, "score"])["value"]
    for row in stated.itertuples():
        least = found[row.round, row.challenge, row.team, row.score]
        if abs(row.value - least) > 1e-9:
            raise ValueError(
                f"{path}: line {row.Index + 2} has {row.value} where attacks left {least}"
            )
    return scores


def attacks(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows of attacks."""
    return scores[(scores["score"] != "s_U") & ~scores["attack_by"].isin(MINIMA)]


def strongest(scores: pd.DataFrame) -> pd.DataFrame:
    """The row of the strongest attack on each release by each score, the first of equals."""
    made = attacks(scores)
    return made.loc[made.groupby([*_OF_RELEASE, "score"])["value"].idxmin()]


def standings(scores: pd.DataFrame, contest: str, challenge: str) -> pd.DataFrame:
    """A row for each release of a round's challenge, the best first, the judge's last.

    Returns
    -------
    pandas.DataFrame
        ``team``, ``s_U``; ``s_R`` and ``s_T`` that the strongest attacks left, and ``s_R by``,
        ``s_T by``; ``s_R sample``, ``s_T sample`` of the strongest sample attack; ``rank``, from 1,
        of valid releases of teams.
    """
    own = scores[(scores["round"] == contest) & (scores["challenge"] == challenge)]
    table = own[own["score"] == "s_U"].set_index("team")[["value"]].set_axis(["s_U"], axis=1)
    samples, least_of = own[own["attack_by"].isin(SAMPLES)], strongest(own)
    for score in ("s_R", "s_T"):
        least = least_of[least_of["score"] == score].set_index("team")
        table[score], table[f"{score} by"] = least["value"], least["attack_by"]
        made = samples[samples["score"] == score]
        table[f"{score} sample"] = made.groupby("team")["value"].min()
    by = RANKED[challenge]
    valid = (table["s_U"] >= REQUIRED) & (table.index != JUDGE)
    table["rank"] = table.loc[valid, by].rank(ascending=False, method="min")
    return table.sort_values(["rank", by], ascending=[True, False]).reset_index()


def contests(scores: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Rounds and challenges, in their order in the file."""
    for contest in scores["round"].unique():
        for challenge in RANKED:
            if ((scores["round"] == contest) & (scores["challenge"] == challenge)).any():
                yield contest, challenge


def summary(scores: pd.DataFrame) -> Iterator[str]:
    """A line for each round and challenge: what the best, the median and no obfuscation keep."""
    heads = ("round, challenge", "score", "releases", "best team", "median team", "pseudonyms only")
    yield from _head((*heads, "pseudonyms only: sample attacks"))
    for contest, challenge in contests(scores):
        table = standings(scores, contest, challenge)
        ranked = table[table["rank"].notna()]
        judge = standings(scores, contest, "IDP").query("team == @JUDGE")
        for score in ("s_R", "s_T"):
            best = ranked.loc[ranked[score].idxmax()]
            alone = [""] * 2 if judge.empty else [
                f"{judge[score].iloc[0]:.4f} ({judge[f'{score} by'].iloc[0]})",
                f"{judge[f'{score} sample'].iloc[0]:.4f}",
            ]  # fmt: skip
            yield _row(
                f"{contest}, {challenge}",
                score,
                len(ranked),
                f"{best[score]:.4f} (team{best['team']})",
                f"{ranked[score].median():.4f}",
                *alone,
            )


def standing_lines(scores: pd.DataFrame, contest: str, challenge: str) -> Iterator[str]:
    """The standings of a round's challenge."""
    heads = ("rank", "team", "s_U", "s_R", "left by", "by samples", "s_T", "left by", "by samples")
    yield from _head(heads)
    for row in standings(scores, contest, challenge).to_dict("records"):
        team = "pseudonyms only" if row["team"] == JUDGE else f"team{row['team']}"
        cells = [
            text
            for score in ("s_R", "s_T")
            for text in (f"{row[score]:.4f}", row[f"{score} by"], f"{row[f'{score} sample']:.4f}")
        ]
        rank = "-" if pd.isna(row["rank"]) else int(row["rank"])
        yield _row(rank, team, f"{row['s_U']:.4f}", *cells)


def _head(names: tuple[str, ...]) -> Iterator[str]:
    yield _row(*names)
    yield _row(*("---" for _ in names))


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def main(folder: Path) -> None:
    """Print the tables."""
    scores = read_scores(folder / "official_scores.csv")
    print("\n".join(summary(scores)))
    for contest, challenge in contests(scores):
        print(f"\n**{contest.capitalize()}, {challenge}**, ranked by {RANKED[challenge]}\n")
        print("\n".join(standing_lines(scores, contest, challenge)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
