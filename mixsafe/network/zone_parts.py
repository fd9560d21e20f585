"""Components of the relations of zones: between which members exchanges are possible.

A pair of different members takes part in an allowed permutation of a zone exactly if both lie in
one strongly connected component of the relation (Régin 1994).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.model.csr import ranges
from mixsafe.model.question.mix_zones import Relation

Ints = npt.NDArray[np.int64]


def components(zone_ptr: Ints, relation: Relation) -> tuple[Ints, Ints]:
    """Places of the members of zones that are not complete, and the component of each.

    Parameters
    ----------
    zone_ptr
        (n_zones + 1,) offsets of the members of all zones.

    Returns
    -------
    (n_members,) each: places in the array of all members, ascending; numbers of components.
    """
    # Imported here: few problems have relations, and the import takes a tenth of a second.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    restricted = relation.zones
    mine = ranges(zone_ptr[restricted], np.diff(zone_ptr)[restricted])
    come, leave = (np.searchsorted(mine, members) for members in relation.pairs(zone_ptr))
    graph = coo_array((np.ones(len(come), bool), (come, leave)), (len(mine), len(mine)))
    return mine, connected_components(graph, directed=True, connection="strong")[1]


def zones_apart_by(zone_ptr: Ints, relation: Relation) -> tuple[int, int]:
    """Number of zones with several components, and of members who are alone in theirs."""
    mine, component = components(zone_ptr, relation)
    zone = np.searchsorted(zone_ptr, mine, side="right") - 1
    size = np.bincount(component)
    head = component[np.searchsorted(mine, zone_ptr[zone])]  # that of the zone's first member
    apart = np.unique(zone[component != head])
    return len(apart), int(np.count_nonzero(size[component] == 1))
