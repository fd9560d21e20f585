"""Where mix zones hide nobody, and in which cells and steps they would."""

from __future__ import annotations

import pytest

import mixsafe
from mixsafe.describing import followed_zones
from mixsafe.describing.followed_zones import FollowedReport, other_forms
from mixsafe.documents.atlas import Atlas
from mixsafe.documents.document import Chart, Table
from mixsafe.extract.exchange.followed import Followed
from mixsafe.model.mobility.traces import Traces


@pytest.fixture(scope="module")
def cabs() -> Traces:
    return mixsafe.load(mixsafe.sample("cabs"))


def test_other_cells_and_steps_are_followed_as_if_they_had_been_asked_for(cabs: Traces) -> None:
    forms = other_forms(cabs, 100.0, 60)
    assert [(one.cells, one.time_step) for one in forms] == [
        (size, step) for size in (100, 200, 400) for step in (60, 300)
    ]
    for one in (forms[0], forms[3]):
        where = mixsafe.positions(cabs, cell_size=one.cells, time_step=one.time_step)
        zones = mixsafe.mix_zones(where)
        assert one.all_zones == len(zones)
        assert one.followed == Followed.of(zones, cabs).total()


def test_cells_of_h3_become_coarser_by_a_resolution(cabs: Traces) -> None:
    assert [one.cells for one in other_forms(cabs, "h3:9", 300)][::2] == ["h3:9", "h3:8", "h3:7"]
    assert followed_zones._coarser("h3:1") == ("h3:1", "h3:0")


def test_regions_and_very_large_data_have_no_other_form(
    cabs: Traces, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert other_forms(mixsafe.load(mixsafe.sample("town")), 100.0, 60) == ()
    monkeypatch.setattr(followed_zones, "MOST_FIXES", len(cabs.user) - 1)
    assert other_forms(cabs, 100.0, 60) == ()


@pytest.mark.parametrize("name", ["cabs", "town"])
def test_places_add_up_to_all_members_and_are_all_on_the_map(name: str) -> None:
    traces = mixsafe.load(mixsafe.sample(name))
    zones = mixsafe.mix_zones(mixsafe.positions(traces))
    followed = Followed.of(zones, traces)
    report = FollowedReport(zones, followed, (), Atlas.of(traces, 100.0, 60))
    size, chart, table = report.parts(pages=True)
    assert isinstance(size, Table)
    assert isinstance(chart, Chart)
    assert isinstance(table, Table)
    total = followed.total()
    assert sum(row[1] for row in table.rows) == total.zones
    assert sum(row[2] for row in table.rows) == total.members
    assert sum(round(row[2] * row[3]) for row in table.rows) == total.named
    assert sum(row[5] for row in table.rows) == total.open
    assert sum(len(series.y) for series in chart.panels[0].series) == len(table.rows)
    beyond = [row[2] * (row[3] - row[4]) for row in table.rows]
    assert beyond == pytest.approx(sorted(beyond, reverse=True))
    assert list(report.parts(pages=False)) == [size]
