"""Options of ``mixsafe links`` alone: the links, the fleet and the question."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixsafe.errors import InputError
from mixsafe_cli.options.checks import (
    check_asked_k,
    check_file,
    check_not_negative,
    check_positive,
    given,
    moments,
    refuse,
    seconds,
)
from mixsafe_cli.options.records import panel

if TYPE_CHECKING:
    from mixsafe.model.question.requirement import Rule
    from mixsafe.tracklets.linking import MayLeave
    from mixsafe.tracklets.rules import LinkRules

_links, _fleet = panel("Links"), panel("Fleet")


@dataclass(frozen=True)
class LinksOptions:
    """Which identifiers may be of one vehicle, and what is asked."""

    feed: Annotated[
        Path,
        typer.Argument(
            metavar="FEED",
            help="Folder, archive or JSON lines of GBFS snapshots; table of records or of trips;"
            " or problems in JSON.",
        ),
    ]
    k: Annotated[int, typer.Option(help="Candidates a ride needs, at least 2. Default: 3.")] = 3
    rule: Annotated[
        str,
        typer.Option(help="Rides that must have them: every, or share:P. Default: every."),
    ] = "every"
    max_speed: Annotated[float, _links(metavar="KMH", help="No ride is faster. Default: 25.")] = (
        25.0
    )
    min_gap: Annotated[
        str, _links(metavar="TIME", help="No ride is shorter, as in 1min. Default: 0s.")
    ] = "0s"
    max_gap: Annotated[
        str, _links(metavar="TIME", help="No ride is longer, as in 2h. Default: 2h.")
    ] = "2h"
    error: Annotated[float, _links(help="Error of a place, metres. Default: 20.")] = 20.0
    fields: Annotated[
        str | None,
        _links(
            metavar="F1,F2",
            help="Fields that the adversary compares, besides time and place. Default: battery,"
            " range and type, where the feed has them.",
        ),
    ] = None
    battery_rise: Annotated[
        float,
        _links(
            metavar="SHARE", help="Battery may rise by this in a ride all the same. Default: 0.05."
        ),
    ] = 0.05
    range_rise: Annotated[
        float,
        _links(metavar="METRES", help="Range may rise by this. Default: 1000."),
    ] = 1000.0
    recharged_after: Annotated[
        str | None,
        _links(metavar="TIME", help="After this time both may rise to any value. Default: never."),
    ] = None
    truth: Annotated[
        str | None,
        _links(metavar="COLUMN", help="Column with the true vehicle: tests the rules first."),
    ] = None
    closed: Annotated[
        bool,
        _fleet("--closed", help="No vehicle leaves or joins unseen, but as other options say."),
    ] = False
    low_battery: Annotated[
        float | None, _fleet(metavar="SHARE", help="Below this charge, a vehicle may leave.")
    ] = None
    full_battery: Annotated[
        float | None, _fleet(metavar="SHARE", help="At this charge or above, a vehicle may join.")
    ] = None
    depots: Annotated[
        Path | None, _fleet(metavar="FILE", help="Places where vehicles may leave and join.")
    ] = None
    bulk: Annotated[
        int | None,
        _fleet(metavar="N", help="Where N or more disappear at once, all of them may leave."),
    ] = None
    at: Annotated[
        str | None,
        typer.Option(
            metavar="T1,T2", help="Also count what each vehicle may be at these later times."
        ),
    ] = None
    exhaustive: Annotated[
        bool,
        typer.Option("--exhaustive", help="Of problems: all candidates, in the JSON."),
    ] = False
    remedies: Annotated[
        bool,
        typer.Option(
            "--remedies", help="Also find the mildest changes to the feed that fulfil the rule."
        ),
    ] = False
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds for the decision. Default: none.")
    ] = None
    tz: Annotated[
        str, typer.Option(metavar="ZONE", help="Time zone of hours, as Europe/Oslo. Default: UTC.")
    ] = "UTC"

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            Says which option, and why.
        """
        check_asked_k(self.k)
        _ = self.required, self.times
        check_positive(self, "max_speed", "time_limit", "bulk")
        check_not_negative(self, "error", "battery_rise", "range_rise")
        if self.recharged_after is not None:
            seconds("--recharged-after", self.recharged_after)
        if not seconds("--min-gap", self.min_gap) < seconds("--max-gap", self.max_gap):
            raise InputError(f"--min-gap {self.min_gap} is not below --max-gap {self.max_gap}")
        for option, charge in given(self, "low_battery", "full_battery").items():
            if charge is not None and not 0 < charge <= 1:
                raise InputError(f"{option} {charge:g} is not above 0 and at most 1")
        check_file("--depots", self.depots)

    @property
    def required(self) -> Rule:
        """Which rides must have k candidates.

        Raises
        ------
        InputError
            The rule is neither ``every`` nor ``share:P``.
        """
        from mixsafe.model.question.requirement import Rule

        rule = Rule.parse(self.rule)
        if rule.kind == "some":
            raise InputError("--rule some is for users, not for rides", hint="use every or share:P")
        return rule

    @property
    def times(self) -> list[int]:
        """Unix seconds of ``--at``.

        Raises
        ------
        InputError
            One is not a time.
        """
        return [] if self.at is None else moments(self.at, self.tz)

    @property
    def files(self) -> dict[str, Path | None]:
        """Files that are read, by role; None: not given."""
        return {"source": self.feed, "depots": self.depots}

    def link_rules(self) -> LinkRules:
        """Which identifiers may continue which.

        Raises
        ------
        InputError
            An unknown field.
        """
        from mixsafe.tracklets.rules import FIELDS, LinkRules

        said = self.fields
        return LinkRules(
            max_speed=self.max_speed,
            min_gap=seconds("--min-gap", self.min_gap),
            max_gap=seconds("--max-gap", self.max_gap),
            error=self.error,
            battery_tolerance=self.battery_rise,
            range_tolerance=self.range_rise,
            recharge_after=None
            if self.recharged_after is None
            else seconds("--recharged-after", self.recharged_after),
            fields=FIELDS if said is None else tuple(filter(None, said.split(","))),
        )

    def may_leave(self) -> MayLeave:
        """Who may leave or join a closed fleet.

        Raises
        ------
        InputError
            The file of depots cannot be used.
        """
        from mixsafe.io.objects.place_files import read_place_shapes
        from mixsafe.tracklets.linking import MayLeave

        depots = None if self.depots is None else read_place_shapes(self.depots)
        return MayLeave(
            low_battery=self.low_battery,
            charged=self.full_battery,
            bulk=self.bulk,
            depots=depots,
        )

    def refuse_for_problems(self) -> None:
        """Refuse options that problems answer themselves.

        Raises
        ------
        InputError
            One was given.
        """
        why = "the problems say which links there are"
        refuse(self, why, "fields", "truth", "closed", "low_battery", "full_battery")
        refuse(self, why, "depots", "bulk", "remedies", "at")
