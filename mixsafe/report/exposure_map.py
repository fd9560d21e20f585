"""Maps of exposed places for QGIS, kepler.gl and GeoPandas."""

from __future__ import annotations

import os

from mixsafe.documents.atlas import Atlas
from mixsafe.errors import InputError
from mixsafe.io.problems.maps import write_places
from mixsafe.verify.privacy.exposure import MOST, exposed
from mixsafe.verify.verification import Verification
from mixsafe.verify.verification_document import decided


def check_map(atlas: Atlas | None) -> None:
    """Refuse data of which no map can be made, before anything is decided.

    Raises
    ------
    InputError
        It is not known where people were, there are regions, or too many positions.
    """
    if atlas is None or atlas.where is None or atlas.grid is None:
        hint = "coordinates are needed: regions, and zones from a file, have none"
        raise InputError("it is not known where people were", hint=hint)
    if len(atlas.where.row) > MOST:
        message = f"a map of more than {MOST:,} positions does not fit into memory"
        raise InputError(message, hint="choose a period, or some users")


def write_exposure_map(
    path: str | os.PathLike[str], answer: Verification, atlas: Atlas | None
) -> None:
    """Write a polygon for each place where people were, whole or not at all.

    Its properties: ``place`` (a name, or the number of the cell; of H3, as H3 writes it),
    ``hours_at_risk`` (of all people there, while they can be followed), ``hours_present``,
    ``share_at_risk``, ``most_at_risk`` (the hour of the day with most of it, 0 to 23),
    ``safety_begins`` (share of all safe time: where exchange helps). Where steps are numbers,
    ``steps_at_risk`` and ``steps_present``, and the steps with most of it.

    Parameters
    ----------
    path
        GeoJSON or GeoParquet, by the ending of its name.
    answer
        Of ``verify`` about every user and time.
    atlas
        Where places are, and people were.

    Raises
    ------
    InputError
        It is not known where people were, only some moments were asked about, or the file cannot
        be written.
    """
    check_map(atlas)
    found, outlines = exposed(decided(answer), atlas), None if atlas is None else atlas.outlines
    if found is None or outlines is None:
        raise InputError("a map needs an answer about every user and time")
    write_places(path, outlines, found.place.tolist(), found.columns())
