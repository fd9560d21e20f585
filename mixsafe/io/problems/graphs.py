"""Writers of graphs: GraphML or GEXF, by the file's ending."""

from __future__ import annotations

import os
import re
from itertools import chain
from pathlib import Path

import networkx as nx

from mixsafe.errors import InputError
from mixsafe.machinery.files import atomic_path, secret

GRAPH_ENDINGS = (".graphml", ".gexf")

_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot contain, and carriage returns, which XML does not preserve."""


@secret()
def write_graph(path: str | os.PathLike[str], graph: nx.Graph) -> None:
    """Write a graph atomically; secret: who met whom.

    Parameters
    ----------
    path
        File ending in .graphml or .gexf, which Gephi, Cytoscape, yEd and NetworkX read.
    graph
        Graph whose attributes are integers, floats and texts.

    Raises
    ------
    InputError
        The file ending is unknown, a name contains a character that XML cannot contain, or the
        file cannot be written.
    """
    ending = Path(path).suffix.lower()
    if ending not in GRAPH_ENDINGS:
        raise InputError(
            f"cannot write '{ending}' files", file=path, hint=f"use {' or '.join(GRAPH_ENDINGS)}"
        )
    _check_texts(path, graph)
    with atomic_path(path) as draft, draft.open("wb") as file:
        if ending == ".graphml":
            nx.write_graphml_xml(graph, file)
        else:
            nx.write_gexf(graph, file)


def _check_texts(path: str | os.PathLike[str], graph: nx.Graph) -> None:
    """Refuse texts that would make the file invalid XML.

    Raises
    ------
    InputError
        Names the first of them.
    """
    values = chain.from_iterable(
        (node, *attributes.values()) for node, attributes in graph.nodes(data=True)
    )
    for value in chain(graph.graph.values(), values):
        if isinstance(value, str) and _NOT_XML.search(value):
            raise InputError(
                f"{value[:40]!r} contains a character that XML cannot contain",
                file=path,
                hint="rename it in the data",
            )
