"""``mixsafe synthesize``: the commands that make traces."""

from mixsafe_cli.on_demand import group

app = group(
    __name__,
    "train sample ppmtf sgd uniform town cabs metro",
    help="Make synthetic traces: nobody's data, the same ones for the same seed on one machine.",
)
