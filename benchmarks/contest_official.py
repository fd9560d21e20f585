"""The organizers' scores of PWS Cup 2019, every release under every attack, as standings.

    python benchmarks/contest_official.py DIR
    python benchmarks/contest_official.py DIR --releases scores.csv --plot beside.svg
    python benchmarks/contest_official.py DIR --lengths length.csv --plot days.svg

DIR has ``official_scores.csv`` with the columns ``round``, ``release``, ``attack_by``, ``score``
and ``value``: of each round, the utility of each release (``s_U``), and the privacy that each
team's and each sample attack left (``s_R``, ``s_T``). Prints Markdown: a line for each round and
challenge, then the standings. The organizers' own minima (``SecI``, ``SecT``) are compared with
those of the attacks. ``--plot`` draws the official points beside ours instead: the final's releases
beside those of a ``contest run`` (its ``scores.csv``), or pseudonyms alone beside the table of
``contest_study.py length``, by days.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.contest_figures import SCORES
from mixsafe.contest.pseudonymizers import MIXZONE, SHUFFLE
from mixsafe.contest.registry import ATTACKERS
from mixsafe.report import colours
from mixsafe.report.drawing import plain, save, style

RANKED = {"IDP": "s_R", "TRP": "s_T"}
"""The score that releases of a challenge are ranked by."""

SAMPLES = ("I1", "I2", "I3", "T1", "T2", "T3")
MINIMA = ("SecI", "SecT")
NAMES = dict(zip(("s_R", "s_T"), (name for _, name in SCORES), strict=True))
DAYS = {"preliminary": 2, "final": 20}
"""Reference days of each round, and as many original ones."""
KINDS = {"s_R": "reid", "s_T": "trace"}
"""What ``scores.csv`` calls the scores."""
ANSWERS = {"s_R": "ids", "s_T": "traces"}
"""What attackers answer."""
CLOSE = 0.03, 0.04
"""Points that are so near to each other in s_U and in privacy have their names apart."""

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


@style
def draw_releases(scores: pd.DataFrame, ours: pd.DataFrame) -> Figure:
    """Utility and privacy of the final's releases, beside ours by pseudonymization."""
    official = pd.concat([standings(scores, "final", challenge) for challenge in RANKED])
    figure = Figure(figsize=(9.6, 5.0), layout="constrained")
    of_ours = {
        name: ours[ours["score"] == kind]
        .groupby(["anonymiser", "pseudonymization"])["value"]
        .min()
        .unstack()
        for name, kind in {**KINDS, "s_U": "utility"}.items()
    }
    looks = ((SHUFFLE, "o", colours.SERIES[0]), (MIXZONE, "D", colours.SERIES[1]))
    for axes, (score, name) in zip(figure.subplots(1, 2), NAMES.items(), strict=True):
        _official(axes, official["s_U"], official[f"{score} sample"], "sample attacks", "none")
        _official(axes, official["s_U"], official[score], "strongest of all teams", colours.FAINT)
        for pseudonyms, marker, colour in looks:
            if pseudonyms not in of_ours[score]:
                continue
            axes.plot(
                of_ours["s_U"][pseudonyms], of_ours[score][pseudonyms], marker, color=colour,
                label=f"ours, {pseudonyms}",
            )  # fmt: skip
            if pseudonyms == SHUFFLE:  # the others are next to each other
                found = of_ours[score][pseudonyms]
                _label(axes, found.index, of_ours["s_U"][pseudonyms][found.index], found)
        axes.axvline(REQUIRED, color=colours.FAINT, linestyle=":")
        axes.set(xlabel="utility, s_U", ylabel=name, xlim=(0.62, 1.03), ylim=(-0.02, 1.02))
        plain(axes)
    _legend(figure)
    return figure


def _official(axes: Axes, x: pd.Series, y: pd.Series, attacks_by: str, filled: str) -> None:
    """Points of the organizers."""
    axes.plot(
        x, y, "s", markersize=5, markerfacecolor=filled, markeredgecolor=colours.FAINT,
        linestyle="none", label=f"official, {attacks_by}",
    )  # fmt: skip


def _label(axes: Axes, names: Iterable[str], across: pd.Series, up: pd.Series) -> None:
    """Name points beside them: of those that are close, one to the left, one above, one below."""
    places = np.column_stack([across, up])
    for name, place in zip(names, places, strict=True):
        close = places[np.all(np.abs(places - place) < CLOSE, axis=1)]
        others = close[close[:, 0] > close[:, 0].min()]
        offset, side = (4, 4), "left"
        if len(close) > 1 and place[0] == close[:, 0].min():
            offset, side = (-5, 4), "right"
        elif len(others) > 1 and place[1] == others[:, 1].min():
            offset = 4, -9
        axes.annotate(name, place, offset, textcoords="offset points", fontsize=6.5, ha=side)


def _legend(figure: Figure) -> None:
    """One legend above both panels: each name once."""
    handles = {}
    for axes in figure.axes:
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(name, handle)
    figure.legend(handles.values(), handles, loc="outside upper center", ncols=5, frameon=False)


@style
def draw_days(scores: pd.DataFrame, ours: pd.DataFrame) -> Figure:
    """What attacks leave of pseudonyms alone, by days: ours as lines, the organizers' as points."""
    alone = {
        days: standings(scores, contest, "IDP").query("team == @JUDGE").iloc[0]
        for contest, days in DAYS.items()
    }
    figure = Figure(figsize=(9.6, 4.6), layout="constrained")
    for axes, (score, name) in zip(figure.subplots(1, 2), NAMES.items(), strict=True):
        kind = ANSWERS[score]
        chosen = [one for one in ours.columns[1:] if ATTACKERS.find(one).answers == kind]
        for place, attack in enumerate(chosen):
            colour = colours.SERIES[place % len(colours.SERIES)]
            axes.plot(ours["days"], ours[attack], "o-", color=colour, markersize=4, label=attack)
        days = pd.Series(list(alone))
        for column, what, filled in (
            (f"{score} sample", "sample attacks", "none"),
            (score, "strongest of all teams", colours.FAINT),
        ):
            _official(axes, days, pd.Series([one[column] for one in alone.values()]), what, filled)
        axes.set(xlabel="days of reference traces, and of original ones", ylabel=name)
        axes.set(ylim=(-0.02, 1.02), xticks=ours["days"])
        plain(axes)
    _legend(figure)
    return figure


def main() -> None:
    """Print the tables, or draw a picture."""
    words = ArgumentParser(description="The organizers' scores of PWS Cup 2019.")
    words.add_argument("folder", type=Path, metavar="DIR")
    words.add_argument("--releases", type=Path, help="scores.csv of contest run, to draw")
    words.add_argument("--lengths", type=Path, help="table of contest_study.py length, to draw")
    words.add_argument("--plot", type=Path, help="picture, .png or .svg")
    given = words.parse_args()
    scores = read_scores(given.folder / "official_scores.csv")
    if given.plot is not None and given.releases is not None:
        save(draw_releases(scores, pd.read_csv(given.releases)), given.plot)
        return
    if given.plot is not None and given.lengths is not None:
        save(draw_days(scores, pd.read_csv(given.lengths)), given.plot)
        return
    print("\n".join(summary(scores)))
    for contest, challenge in contests(scores):
        print(f"\n**{contest.capitalize()}, {challenge}**, ranked by {RANKED[challenge]}\n")
        print("\n".join(standing_lines(scores, contest, challenge)))


if __name__ == "__main__":
    main()
