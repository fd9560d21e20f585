"""The audits of the benchmark: which data, which options, and where each stands on the page."""

from __future__ import annotations

from typing import NamedTuple

OSAKA = "pwscup2019/orgtraces_team001_data01_IDP.csv"
CABS = "cabspotting/cabspottingdata.tar.gz"
ALL_CABS, ALL_DAYS = 536, 24
USERS, DAYS = (50, 100, 200, 400, ALL_CABS), (1, 3, 7, ALL_DAYS)


class Case(NamedTuple):
    """One audit.

    Parameters
    ----------
    name, title
        For the command line, and for people.
    source
        File of the data.
    options
        Of ``mixsafe verify``.
    goal
        Seconds that it should take at most; None: it is a point of a curve.
    curve, x
        Curve that it belongs to, and where on it.
    """

    name: str
    title: str
    source: str
    options: tuple[str, ...]
    goal: float | None = None
    curve: str | None = None
    x: int = 0


def cabs(users: int, days: int) -> tuple[str, ...]:
    """Options for a part of the cabs; all of them, and all days, are no part."""
    some = () if users == ALL_CABS else ("--users", str(users))
    return some + (() if days == ALL_DAYS else ("--days", str(days)))


def cases() -> list[Case]:
    """The audits that the page shows, then the points of its curves.

    Where not every wire may be decided, there is a limit of time: the rest is counted.
    """
    home, daily = ("--adversary", "home"), ("--adversary", "daily")
    minute = ("--time-limit", "60")
    longer, two_minutes = ("--time-limit", "90"), ("--time-limit", "120")
    made = [
        Case("osaka-endpoints", "Osaka, endpoints, k 3", OSAKA, ("--k", "3"), 3),
        Case("osaka-home", "Osaka, home, k 3", OSAKA, ("--k", "3", *home, *minute), 60),
        Case("osaka-home-k5", "Osaka, home, k 5", OSAKA, ("--k", "5", *home, *two_minutes), 120),
        Case("osaka-home-k10", "Osaka, home, k 10", OSAKA, ("--k", "10", *home, *two_minutes), 120),
        Case("cabs-1-endpoints", "536 cabs, 1 day, endpoints, k 3", CABS,
             ("--k", "3", *cabs(ALL_CABS, 1)), 10),
        Case("cabs-1-daily", "536 cabs, 1 day, daily, k 3", CABS,
             ("--k", "3", *cabs(ALL_CABS, 1), *daily, *minute), 60),
        Case("cabs-7-daily-k10", "536 cabs, 7 days, daily, k 10", CABS,
             ("--k", "10", *cabs(ALL_CABS, 7), *daily, *two_minutes), 120),
        Case("cabs-24-endpoints", "536 cabs, 24 days, endpoints, k 3", CABS, ("--k", "3"), 30),
        Case("cabs-24-daily", "536 cabs, 24 days, daily, k 3", CABS,
             ("--k", "3", *daily, *longer), 90),
        Case("cabs-24-k10", "536 cabs, 24 days, endpoints, k 10", CABS, ("--k", "10"), 60),
    ]  # fmt: skip
    for adversary in ("endpoints", "daily"):
        asked = ("--k", "3", *((*daily, *longer) if adversary == "daily" else ()))
        for users in USERS:
            name, title = f"users-{users}-{adversary}", f"{users} cabs, 1 day, {adversary}, k 3"
            options = (*asked, *cabs(users, 1))
            made.append(Case(name, title, CABS, options, None, f"users {adversary}", users))
        for days in DAYS:
            name, title = (
                f"days-{days}-{adversary}",
                f"536 cabs, {days} {'day' if days == 1 else 'days'}, {adversary}, k 3",
            )
            options = (*asked, *cabs(ALL_CABS, days))
            made.append(Case(name, title, CABS, options, None, f"days {adversary}", days))
    return made
