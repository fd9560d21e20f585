"""Components of the relations of zones, against those of another library."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from mixsafe.model.csr import pointers
from mixsafe.network.relations import components as found_components
from mixsafe.network.relations import zones_apart_by
from tests.support.zone_matrices import Matrices, components, matrices, relation_of, sizes


@settings(max_examples=40)
@given(matrices())
def test_members_of_one_strong_component_have_one_number(zones: Matrices) -> None:
    ptr = pointers(sizes(zones))
    mine, component = found_components(ptr, relation_of(zones))
    expected = [
        (ptr[z] + np.array(part)).tolist()
        for z, one in enumerate(zones)
        if one is not None
        for part in components(one)
    ]
    assert mine.tolist() == sorted(place for part in expected for place in part)
    parts = [mine[component == number].tolist() for number in np.unique(component)]
    assert sorted(parts) == sorted(expected)


@settings(max_examples=40)
@given(matrices())
def test_zones_of_several_components_are_counted_and_who_is_alone(zones: Matrices) -> None:
    parts = [components(one) for one in zones if one is not None]
    n_alone = sum(len(part) == 1 for zone in parts for part in zone)
    found = zones_apart_by(pointers(sizes(zones)), relation_of(zones))
    assert found == (sum(len(zone) > 1 for zone in parts), n_alone)
