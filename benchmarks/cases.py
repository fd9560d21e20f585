"""The commands of the benchmark: which data, which options, and where each stands on the page."""

from __future__ import annotations

from typing import NamedTuple

OSAKA = "pwscup2019/orgtraces_team001_data01_IDP.csv"
CABS = "cabspotting/cabspottingdata.tar.gz"
ALL_CABS, ALL_DAYS = 536, 24
USERS, DAYS = (50, 100, 200, 400, ALL_CABS), (3, 7, ALL_DAYS)


class Case(NamedTuple):
    """One command.

    Parameters
    ----------
    name, title
        For the command line, and for people.
    source
        File of the data; "" for people of one synthetic city.
    options
        Of the command.
    city
        People and steps of the city.
    curve, x
        Curve that it belongs to, and where on it; None: it is a row of the first table.
    certified
        Whether the run is repeated with a certificate, which is then checked.
    command
        ``verify``, ``weigh``, or ``audit``: this one of a release of the source, whose pseudonyms
        were exchanged in its mix zones.
    """

    name: str
    title: str
    source: str
    options: tuple[str, ...]
    city: tuple[int, int] = (0, 0)
    curve: str | None = None
    x: int = 0
    certified: bool = False
    command: str = "verify"


def cabs(users: int, days: int) -> tuple[str, ...]:
    """Options for a part of the cabs; all of them, and all days, are no part."""
    some = () if users == ALL_CABS else ("--users", str(users))
    return some + (() if days == ALL_DAYS else ("--days", str(days)))


def cases() -> list[Case]:
    """The commands that the page shows, then the points of its curves.

    Cases in which some wires may stay open have a time limit; the page counts these wires.
    """
    home, daily = ("--adversary", "home"), ("--adversary", "daily")
    minute, two_minutes = ("--time-limit", "60"), ("--time-limit", "120")
    day, week = cabs(ALL_CABS, 1), cabs(ALL_CABS, 7)
    made = [
        Case("osaka-endpoints", "Osaka, endpoints, k 3", OSAKA, ("--k", "3"), certified=True),
        Case("osaka-home", "Osaka, home, k 3", OSAKA, ("--k", "3", *home, *minute), certified=True),
        Case("osaka-home-k10", "Osaka, home, k 10", OSAKA, ("--k", "10", *home, *two_minutes)),
        Case("cabs-1-endpoints", "536 cabs, 1 day, endpoints, k 3", CABS, ("--k", "3", *day)),
        Case("cabs-1-daily", "536 cabs, 1 day, daily, k 3", CABS,
             ("--k", "3", *day, *daily, *minute)),
        Case("cabs-7-daily-k10", "536 cabs, 7 days, daily, k 10", CABS,
             ("--k", "10", *week, *daily, *two_minutes)),
        Case("cabs-24-endpoints", "536 cabs, 24 days, endpoints, k 3", CABS, ("--k", "3"),
             certified=True),
        Case("cabs-24-daily", "536 cabs, 24 days, daily, k 3", CABS,
             ("--k", "3", *daily, "--time-limit", "90")),
        Case("cabs-24-k10", "536 cabs, 24 days, endpoints, k 10", CABS, ("--k", "10")),
        Case("city-100000", "100,000 people of one city, 96 steps, endpoints, k 3", "",
             ("--k", "3"), city=(100_000, 96)),
        Case("city-3000-daily", "3,000 people of one city, 48 steps, daily, k 3", "",
             ("--k", "3", *daily, *two_minutes), city=(3_000, 48)),
        Case("city-1000000", "1,000,000 people of one city, 96 steps, endpoints, k 3", "",
             ("--k", "3"), city=(1_000_000, 96)),
        Case("audit-osaka", "Osaka exchanged, audit, 4 sightings of everybody, k 3", OSAKA,
             ("--k", "3", "--assume", "4", "--draws", "1", "--time-limit", "300"),
             command="audit"),
        Case("weigh-osaka-home", "Osaka, weigh, home", OSAKA,
             (*home, "--time-limit", "900"), command="weigh"),
    ]  # fmt: skip
    for users in USERS:
        name, title = f"users-{users}", f"{users} cabs, 1 day"
        made.append(Case(name, title, CABS, ("--k", "3", *cabs(users, 1)), curve="users", x=users))
    for days in DAYS:
        name, title = f"days-{days}", f"{ALL_CABS} cabs, {days} days"
        options = ("--k", "3", *cabs(ALL_CABS, days))
        made.append(Case(name, title, CABS, options, curve="days", x=days))
    return made
