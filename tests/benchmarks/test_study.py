"""The loop of all studies, tried on a study of numbers."""

from argparse import Namespace

from matplotlib.figure import Figure

from benchmarks.study import Study, argument, table_of

SQUARES = Study(
    "squares",
    "Squares of numbers.",
    arguments=[argument("--most", type=int)],
    cases=lambda options: range(2, options.most + 1),
    findings=lambda options, number, case: [
        {"number": number, "of": case, "power": power, "value": case**power / options.most}
        for power in (1, 2)
    ],
    table=lambda options, found: table_of(found),
    draw=lambda options, found: Figure(),
    conclude=lambda options, found: [f"{len(found)} findings"],
    first=3,
)


def test_a_study_is_a_table_of_all_cases_in_their_order_a_picture_and_a_conclusion(
    tmp_path, capsys
):
    output, plot = tmp_path / "squares.csv", tmp_path / "squares.svg"
    SQUARES.repeat(Namespace(most=3, output=output, plot=plot))
    assert output.read_text() == (
        "number,of,power,value\n"
        "0,2,1,0.6666666666666666\n0,2,2,1.3333333333333333\n1,3,1,1.0\n1,3,2,3.0\n"
    )
    assert "<svg" in plot.read_text()
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        "| number | of | power | value |",
        "| --- | --- | --- | --- |",
        "| 0 | 2 | 1 | 0.6667 |",
        "| 0 | 2 | 2 | 1.3333 |",
        "| 1 | 3 | 1 | 1.0000 |",
        "4 findings",
    ]
    assert printed.err == "squares: 1 of 2\nsquares: 2 of 2\n"


def test_no_picture_is_drawn_that_nobody_wants(tmp_path):
    SQUARES.repeat(Namespace(most=2, output=tmp_path / "squares.csv", plot=None))
    assert [path.name for path in tmp_path.iterdir()] == ["squares.csv"]
