"""The summary of mix zones counts what there is, and its document says it."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from hypothesis import given

from mixsafe.describing.zones_summary import ZonesSummary, zones_document
from mixsafe.extract.zones import mix_zones
from tests.support.extraction_worlds import positions_of, worlds


@given(worlds)
def test_the_summary_counts_what_there_is(world: dict[tuple[int, int], int]) -> None:
    where = positions_of(world)
    summary = ZonesSummary.of(mix_zones(where), where)
    met: dict[tuple[int, int], set[int]] = defaultdict(set)
    for (user, step), place in world.items():
        met[step, place].add(user)
    zones = {at: users for at, users in met.items() if len(users) > 1}
    sizes = [len(users) for users in zones.values()]
    assert summary.zones == len(zones)
    assert summary.memberships == sum(sizes)
    assert summary.positions == len(world)
    assert summary.never_meet == len(where.users) - len(set().union(*zones.values()))
    assert summary.places == len({place for _, place in zones})
    assert dict(zip(summary.size, summary.zones_of_size, strict=True)) == {
        size: sizes.count(size) for size in sizes
    }
    assert summary.to_dict()["sizes"] == {str(size): sizes.count(size) for size in sorted(sizes)}


@given(worlds)
def test_the_chart_has_a_mark_for_each_size(world: dict[tuple[int, int], int]) -> None:
    summary = ZonesSummary.of(mix_zones(positions_of(world)))
    charts = zones_document(summary, Path("town.csv"), {}).charts
    assert len(charts) == (summary.zones > 0)
    for chart in charts:
        ((marks,),) = (panel.series for panel in chart.panels)
        assert dict(zip(map(str, marks.x), marks.y, strict=True)) == summary.to_dict()["sizes"]
