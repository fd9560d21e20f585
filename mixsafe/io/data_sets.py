"""Published data sets that mixsafe reads, and where to get them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "MIXSAFE_DATA"
"""Environment variable: folder of data sets that the user has downloaded."""


@dataclass(frozen=True)
class PublishedDataSet:
    """A third-party data set. mixsafe never downloads it, because users must accept its licence.

    Parameters
    ----------
    name
        Its name, and its folder under ``MIXSAFE_DATA``.
    about
        Description of its content.
    format
        Name of its format.
    licence
        Licence.
    origin
        Source.
    cite
        Citation.
    pattern
        Glob pattern of its trace files in the folder.
    """

    name: str
    about: str
    format: str
    licence: str
    origin: str
    cite: str
    pattern: str

    @property
    def files(self) -> tuple[Path, ...]:
        """Its files on disk; empty if ``MIXSAFE_DATA`` is not set."""
        folder = os.environ.get(VARIABLE)
        if not folder:
            return ()
        return tuple(sorted((Path(folder) / self.name).glob(self.pattern)))


PUBLISHED = (
    PublishedDataSet(
        name="cabspotting",
        about="536 cabs of San Francisco, May and June 2008, 11.2 million fixes",
        format="cabspotting",
        licence="CC BY 4.0",
        origin="CRAWDAD epfl/mobility, doi:10.15783/C7J010 (IEEE DataPort, after login)",
        cite="M. Piorkowski, N. Sarafijanovic-Djukic, M. Grossglauser: CRAWDAD dataset"
        " epfl/mobility (v. 2009-02-24), 2009",
        pattern="cabspotting*",
    ),
    PublishedDataSet(
        name="pwscup2019",
        about="synthetic traces of the location trace anonymization contest, 2,000 users a team",
        format="contest",
        licence="none stated: ask the organizers",
        origin="PWS Cup 2019, www.iwsec.org/pws/2019/cup19_e.html",
        cite="T. Murakami et al.: Designing a Location Trace Anonymization Contest,"
        " PoPETs 2023(1), arXiv:2107.10407",
        pattern="*traces_*.csv",
    ),
    PublishedDataSet(
        name="peopleflow",
        about="1,000 users in central Tokyo, training and test traces of 35 steps",
        format="contest",
        licence="none stated: ask Nightley and CSIS",
        origin="SNS-based People Flow Data (Nightley; CSIS, University of Tokyo), prepared with the"
        " programs of PPMTF, github.com/PPMTF/PPMTF",
        cite="T. Murakami, K. Hamada, Y. Kawamoto, T. Hatano: Privacy-Preserving Multiple Tensor"
        " Factorization for Synthesizing Large-Scale Location Traces with Cluster-Specific"
        " Features, PoPETs 2021(2), arXiv:1911.04226",
        pattern="*traces_*.csv",
    ),
)
