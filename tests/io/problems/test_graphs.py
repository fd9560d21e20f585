"""Files of graphs: what NetworkX reads back is what was written."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from mixsafe.errors import InputError
from mixsafe.io.problems.graphs import write_graph
from mixsafe.network.graphs import graph
from tests.support.strategies import mix_zones, problems


def same(one: nx.Graph, other: nx.Graph) -> bool:
    return (
        dict(one.nodes(data=True)) == dict(other.nodes(data=True))
        and nx.utils.edges_equal(one.edges(data=True), other.edges(data=True))
        and one.is_directed() == other.is_directed()
    )


@pytest.mark.parametrize("kind", ["wires", "meetings"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(problem=problems())
def test_graphml_gives_back_what_was_written(kind, tmp_path: Path, problem) -> None:
    written = graph(problem, kind)
    path = tmp_path / "graph.graphml"
    write_graph(path, written)
    read = nx.read_graphml(path, node_type=str if kind == "wires" else int)
    assert same(read, written)
    assert {key: read.graph[key] for key in written.graph} == written.graph


@pytest.mark.parametrize("kind", ["wires", "meetings"])
def test_gexf_gives_back_nodes_edges_and_labels(kind, tmp_path: Path) -> None:
    written = graph(mix_zones(4, 5, [(1, [0, 1, 2]), (3, [0, 1]), (5, [2, 3])]), kind)
    path = tmp_path / "graph.gexf"
    write_graph(path, written)
    read = nx.read_gexf(path, node_type=str if kind == "wires" else int)
    assert dict(read.nodes(data=True)) == dict(written.nodes(data=True))
    for *_, edge in read.edges(data=True):
        del edge["id"]
    assert nx.utils.edges_equal(read.edges(data=True), written.edges(data=True))


@pytest.mark.parametrize("ending", ["graphml", "gexf"])
def test_odd_names_come_back_as_they_are(ending: str, tmp_path: Path) -> None:
    odd = ['<a> & "b"', "l1\nl2\tx", " ' ", "Zoë 東京 🚕", "w0", "]]>", "&#10;"]
    written = nx.complete_graph(odd)
    nx.set_node_attributes(written, {name: name for name in odd}, "label")
    path = tmp_path / f"graph.{ending}"
    write_graph(path, written)
    read = nx.read_graphml(path) if ending == "graphml" else nx.read_gexf(path)
    assert set(read.nodes) == set(odd)
    assert all(read.nodes[name]["label"] == name for name in odd)
    assert read.number_of_edges() == written.number_of_edges()


@pytest.mark.parametrize("name", ["a\x00", "\x1b[1m", "cr\r", "\ud800", "\uffff"])
@pytest.mark.parametrize("ending", ["graphml", "gexf"])
def test_names_that_xml_cannot_hold_are_refused_and_nothing_is_left(
    name: str, ending: str, tmp_path: Path
) -> None:
    path = tmp_path / f"graph.{ending}"
    with pytest.raises(InputError, match="XML cannot contain"):
        write_graph(path, nx.path_graph([name, "b"]))
    assert list(tmp_path.iterdir()) == []


def test_other_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"use \.graphml or \.gexf"):
        write_graph(tmp_path / "graph.dot", nx.Graph())


def test_a_graph_that_cannot_be_written_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "graph.graphml"
    path.write_text("before")
    with pytest.raises(nx.NetworkXError):
        write_graph(path, nx.Graph(wrong=np.zeros(3)))
    assert [entry.name for entry in tmp_path.iterdir()] == ["graph.graphml"]
    assert path.read_text() == "before"
