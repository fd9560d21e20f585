"""Several releases together, for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mixsafe.verify.tables import records
from mixsafe_cli.render.printing import SHOWN, WORDS, Part, Written, headline, table

if TYPE_CHECKING:
    from mixsafe.model.answer.verdict import Verdict
    from mixsafe.release.together import TogetherAudit
    from mixsafe.tasks.together import Together


def show(answer: Together, k: int, written: Written) -> Iterator[Part]:
    """The verdict, a row per release, who loses most, and how people can be told apart between."""
    losers = answer.losers
    n_users, n_losing = answer.joined.problem.zones.n_users, losers["user_id"].nunique()
    yield from _head(answer.verdict, k, f"{n_losing:,} of {n_users:,} people")
    rows = []
    for number, (alone, both) in enumerate(zip(answer.alone, answer.together, strict=True), 1):
        mine = losers[losers["release"] == number]
        rows.append((
            alone.problem.name,
            f"{alone.problem.zones.n_users:,}",
            WORDS[alone.verdict][0],
            "-" if both is None else WORDS[both.verdict][0],
            *(
                "-" if one is None else f"{one.summary['share_of_time_safe']:.1%}"
                for one in (alone, both)
            ),
            "-" if both is None else f"{both.summary['undecided']:,}",
            "-" if both is None else f"{len(mine):,}",
        ))  # fmt: skip
    headings = ("release", ">users", "alone", "together", ">protected alone", ">together",
                ">wires undecided", ">people losing")  # fmt: skip
    yield table(headings, rows)
    for number, alike in enumerate(answer.joined.alike.tolist(), 1):
        others = [one for one in alike if one > 1]
        yield (
            f"Between releases {number} and {number + 1}, {n_users - len(others):,} people can be"
            " followed by how far people get"
            + (f"; each other one may be any of {min(others):,} or more." if others else ".")
        )
    if len(losers):
        yield ""
        shown = losers.head(SHOWN).to_dict(orient="records")
        yield table(
            ("user", ">release", ">protected alone", ">together", ">alike before", ">alike after"),
            (
                (
                    str(one["user_id"]),
                    str(one["release"]),
                    f"{one['alone']:.1%}",
                    f"{one['together']:.1%}",
                    *(_number(one[name]) for name in ("alike_before", "alike_after")),
                )
                for one in shown
            ),
            "Who loses most",
        )
    yield written.where("All who lose", "losing.csv")


def show_audit(answer: TogetherAudit, k: int, written: Written) -> Iterator[Part]:
    """The verdict on the known users, a row per release, and who loses most."""
    losers, known = answer.losers, answer.users[0]["user_id"].nunique()
    losing = losers["user_id"].nunique()
    yield from _head(answer.verdict, k, f"{losing:,} of {known:,} known people")
    if answer.gaps.sentence:
        yield answer.gaps.sentence
    rows = []
    for number, (name, alone, both) in enumerate(
        zip(answer.names, answer.alone, answer.users, strict=True), 1
    ):
        mine = losers[losers["release"] == number]
        before = "-" if alone is None else f"{alone.summary['share_of_time_safe']:.1%}"
        failing = int((both["verdict"] == "unsafe").sum())
        share = float((both["safe_share"] * both["weight"]).sum() / max(both["weight"].sum(), 1))
        rows.append((name, before, f"{share:.1%}", f"{failing:,}", f"{len(mine):,}"))
    yield table(
        ("release", ">protected alone", ">together", ">people failing", ">people losing"), rows
    )
    if len(losers):
        yield ""
        yield table(
            ("user", ">release", ">candidates alone", ">together"),
            (
                (
                    str(one["user_id"]),
                    str(one["release"]),
                    str(one["lower_alone"]),
                    str(one["lower"]),
                )
                for one in losers.head(SHOWN).to_dict(orient="records")
            ),
            "Who loses",
        )
    yield written.where("All who lose", "losing.csv")


def _head(verdict: Verdict, k: int, losing: str) -> Iterator[Part]:
    """The verdict, and how many people lose."""
    yield headline(*WORDS[verdict], f"the releases together, k = {k}")
    yield (f"{losing} are protected for less time by a release once the others are published, too.")


def audit_as_dict(answer: TogetherAudit, question: dict[str, Any]) -> dict[str, Any]:
    """The answer as a JSON object."""
    releases = [
        {
            "name": name,
            "alone": None if alone is None else records(alone.users),
            "together": records(users),
            "intervals": records(intervals),
        }
        for name, alone, users, intervals in zip(
            answer.names, answer.alone, answer.users, answer.intervals, strict=True
        )
    ]
    return {
        "verdict": answer.verdict.value,
        **question,
        "gaps": answer.gaps.to_dict(),
        "releases": releases,
        "losing": records(answer.losers),
    }


def _number(value: object) -> str:
    """A number of people, or nothing."""
    return f"{value:,}" if isinstance(value, int) else "-"
