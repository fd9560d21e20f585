"""Options of ``mixsafe links`` alone: the links, the fleet and the question."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixsafe.errors import InputError
from mixsafe.io.columns.reading import RowRules
from mixsafe.model.mobility.instant import date_order
from mixsafe_cli.options import shared
from mixsafe_cli.options.checks import check_file, column_names, instant, refuse, seconds
from mixsafe_cli.options.declaring import a_file, a_positive_share, above_zero, not_negative
from mixsafe_cli.options.records import panel
from mixsafe_cli.options.row_options import FormOptions

if TYPE_CHECKING:
    from mixsafe.model.question.requirement import Rule
    from mixsafe.model.tracklets import Feed
    from mixsafe.tracklets.follower import Betting
    from mixsafe.tracklets.linking import MayLeave
    from mixsafe.tracklets.rules import LinkRules

_option = panel()
_links, _data, _fleet = panel("Links"), panel("Data"), panel("Fleet")


@dataclass(frozen=True)
class LinksOptions(FormOptions):
    """Which identifiers may be of one vehicle, and what is asked."""

    feed: Annotated[
        Path,
        typer.Argument(
            metavar="FEED",
            help="GBFS snapshots in a folder, archive or JSON lines; table of records or trips;"
            " trips of MDS; problems.",
        ),
    ]
    k: Annotated[int, shared.K.said("Candidates a ride needs, at least 2.", panel=None)] = 3
    rule: str = _option("Rides that must have them: every, or share:P.", default="every")
    believe: float | None = _option(
        "Greatest belief of a follower in a candidate of such a ride; 1: any. Default: 0.5.",
        metavar="SHARE",
        constraints=(a_positive_share,),
    )
    movement: str | None = _option(
        "What the follower learns movement from: beliefs (the feed, without truth), truth (the"
        " rides that --truth tells), or the JSON of another feed. Default: beliefs.",
        metavar="WHAT",
    )
    max_speed: float = _links(
        "No ride is faster. Default: 25.", default=25.0, metavar="KMH", constraints=(above_zero,)
    )
    min_gap: str = _links("No ride is shorter, as in 1min.", default="0s", metavar="TIME")
    max_gap: str = _links("No ride is longer, as in 2h.", default="2h", metavar="TIME")
    error: float = _links(
        "Error of a place, metres. Default: 20.", default=20.0, constraints=(not_negative,)
    )
    fields: str | None = _links(
        "Fields to compare, besides time and place. Default: battery, range, type, heading, speed.",
        metavar="F1,F2",
    )
    battery_rise: float = _links(
        "Battery may rise by this in a ride all the same. Default: 0.05.",
        default=0.05,
        metavar="SHARE",
        constraints=(not_negative,),
    )
    range_rise: float = _links(
        "Range may rise by this. Default: 1000.",
        default=1000.0,
        metavar="METRES",
        constraints=(not_negative,),
    )
    recharged_after: str | None = _links(
        "After this time both may rise to any value. Default: never.", metavar="TIME"
    )
    truth: str | None = _links(
        "Column with the true vehicle: tests the rules first.", metavar="COLUMN"
    )
    similar_names: Annotated[
        str | None,
        shared.SIMILAR_NAMES.said(
            "Of tables: what identifiers are that differ only in case, leading zeros or the like:"
            " the same, or different ones. Default: they are refused."
        ),
    ] = None
    column: Annotated[
        list[str] | None,
        shared.COLUMN.said(
            "Name of a column of a table, as id=ride; may be repeated. Meanings: id, time, lat,"
            " lon, geometry; of trips start_time, start_lat, start_lon, end_time, end_lat,"
            " end_lon."
        ),
    ] = None
    crs: Annotated[str | None, shared.CRS] = None
    keep_null_island: Annotated[
        bool,
        shared.KEEP_NULL_ISLAND.said(
            "Latitude 0, longitude 0 is a place. Default: it stands for no position."
        ),
    ] = False
    skip_bad: Annotated[
        bool,
        shared.SKIP_BAD.said(
            "Skip vehicles, snapshots and rows that cannot be read, and count them. Default: the"
            " first one is refused."
        ),
    ] = False
    most_bad: Annotated[
        str | None,
        shared.MOST_BAD.said(
            "Most of them that --skip-bad may skip: a number or a share. Default: 1%."
        ),
    ] = None
    tz: Annotated[
        str | None,
        shared.TZ.said(
            "Time zone of the feed, as Europe/Oslo: of hours, of the output, and of times without"
            " one. Default: what the data say, else UTC."
        ),
    ] = None
    closed: bool = _fleet(
        "No vehicle leaves or joins unseen, but as other options say.", default=False
    )
    low_battery: float | None = _fleet(
        "Below this charge, a vehicle may leave.", metavar="SHARE", constraints=(a_positive_share,)
    )
    full_battery: float | None = _fleet(
        "At this charge or above, a vehicle may join.",
        metavar="SHARE",
        constraints=(a_positive_share,),
    )
    depots: Path | None = _fleet(
        "Places where vehicles may leave and join.", metavar="FILE", constraints=(a_file,)
    )
    bulk: int | None = _fleet(
        "Where N or more disappear at once, all of them may leave.",
        metavar="N",
        constraints=(above_zero,),
    )
    at: str | None = _option(
        "Also count what each vehicle may be at these later times.", metavar="T1,T2"
    )
    exhaustive: Annotated[
        bool,
        shared.EXHAUSTIVE.said(
            "Of problems: all candidates, in the JSON.",
            panel=None,
        ),
    ] = False
    remedies: bool = _option(
        "Also find the mildest changes to the feed that fulfil the rule.", default=False
    )
    time_limit: Annotated[float | None, shared.TIME_LIMIT.said(panel=None)] = None

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            Says which option, and why.
        """
        super().check()
        _ = self.required, self.times("UTC"), self.table_form
        _ = RowRules(skip_bad=self.skip_bad, most_bad=self.most_bad)
        _ = date_order(self.day_first, self.month_first)
        if self.movement == "truth" and self.truth is None:
            raise InputError("--movement truth learns from the column that --truth names")
        if self.movement not in (None, "beliefs", "truth"):
            check_file("--movement", Path(self.movement))
        if self.recharged_after is not None:
            seconds("--recharged-after", self.recharged_after)
        if not seconds("--min-gap", self.min_gap) < seconds("--max-gap", self.max_gap):
            raise InputError(f"--min-gap {self.min_gap} is not below --max-gap {self.max_gap}")

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

    def times(self, tz: str) -> list[int]:
        """Unix seconds of ``--at``, of this zone unless they say another.

        Raises
        ------
        InputError
            One is not a time.
        """
        return [] if self.at is None else [instant(word, tz) for word in self.at.split(",")]

    @property
    def compared(self) -> tuple[str, ...]:
        """Fields that the adversary compares."""
        from mixsafe.tracklets.rules import FIELDS

        return FIELDS if self.fields is None else tuple(filter(None, self.fields.split(",")))

    def read(self) -> Feed:
        """Read the feed.

        Raises
        ------
        InputError
            It cannot be used; names the file and line.
        """
        from mixsafe.io.gbfs.reading import read_feed
        from mixsafe.io.gbfs.row_records import FIELDS
        from mixsafe.model.tracklets import MOTION

        known = {*FIELDS, *MOTION, "uri"}
        return read_feed(
            self.feed,
            truth=self.truth,
            also=tuple(one for one in self.compared if one not in known),
            fields=self.compared,
            keep_null_island=self.keep_null_island,
            skip_bad=self.skip_bad,
            most_bad=self.most_bad,
            day_first=self.day_first,
            month_first=self.month_first,
            tz=self.tz,
            columns=column_names(self.column),
            form=self.table_form,
            similar_names=self.similar_names,
            crs=self.crs,
        )

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
        from mixsafe.tracklets.rules import LinkRules

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
            fields=self.compared,
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

    def betting(self) -> Betting:
        """How a follower bets.

        Raises
        ------
        InputError
            The file has no model of movement.
        """
        from mixsafe.from_files.ride_models import read_ride_model
        from mixsafe.tracklets.follower import Betting

        limit = 0.5 if self.believe is None else self.believe
        if self.movement in (None, "beliefs", "truth"):
            return Betting(limit, self.movement or "beliefs")
        return Betting(limit, read_ride_model(self.movement))

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
        refuse(self, why, "column", "keep_null_island", "skip_bad", "most_bad", "tz")
        refuse(self, why, "crs", "columns", "file_pattern", "believe", "movement")
