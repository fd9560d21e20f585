"""The notebook of the documentation runs, and shows what it promises."""

import ast
import json
import re
import tarfile
from pathlib import Path

import pandas as pd
import pytest

import mixsafe

NOTEBOOK = Path(__file__).parents[2] / "docs" / "notebook.ipynb"


def shown(source, names):
    """Run a cell as notebooks do: what its last expression is worth is shown."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


FIVE_LINES = """
traces = mixsafe.load(cabs, tz="America/Los_Angeles")
morning = mixsafe.select(traces, start="2008-05-18T08:00:00", end="2008-05-18T10:00:00")
answer = mixsafe.verify(morning, k=3, engine="bounds")
print(answer.users.sort_values("safe_share").head())
answer.report("cabs.html")
"""


def test_five_lines_lead_from_a_geodataframe_of_cabspotting_to_a_page(
    published, tmp_path, monkeypatch
):
    geopandas = pytest.importorskip("geopandas")
    fixes = points_of(published("cabspotting/cabspottingdata.tar.gz"), 12)
    place = geopandas.points_from_xy(fixes["lon"], fixes["lat"], crs=4326)
    cabs = geopandas.GeoDataFrame(fixes[["user_id", "time"]], geometry=place)
    monkeypatch.chdir(tmp_path)
    page = shown(FIVE_LINES, {"cabs": cabs, "mixsafe": mixsafe})
    assert page._repr_html_().startswith("<iframe")
    assert re.search(r"of \d+ people", (tmp_path / "cabs.html").read_text("utf-8"))


def points_of(archive, count):
    """The fixes of some cabs, as anybody would read them."""
    parts = []
    with tarfile.open(archive) as tar:
        for member in tar:
            if "/new_" in member.name and len(parts) < count:
                columns = ["lat", "lon", "occupied", "time"]
                cab = pd.read_csv(tar.extractfile(member), sep=" ", names=columns)
                parts.append(cab.assign(user_id=Path(member.name).stem.removeprefix("new_")))
    return pd.concat(parts)


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
