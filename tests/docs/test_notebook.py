"""The notebook of the documentation runs, and shows what it promises."""

import ast
import json
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "docs" / "notebook.ipynb"


def shown(source, names):
    """Run a cell as notebooks do: what its last expression is worth is shown."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


def test_the_notebook_runs_from_a_geodataframe_to_a_page(tmp_path, monkeypatch):
    pytest.importorskip("geopandas", reason="the notebook begins with GeoPandas")
    monkeypatch.chdir(tmp_path)
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    names = {}
    found = [shown("".join(cell["source"]), names) for cell in cells if cell["cell_type"] == "code"]
    assert all(hasattr(one, "_repr_html_") for one in found)
    assert found[1]._repr_html_().startswith("<iframe")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == found[1]
    assert "<table>" in found[2]._repr_html_()
    assert found[4].summary["rule"] == "share:0.5"
