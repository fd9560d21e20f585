"""``mixsafe synthesize``: the commands that make traces."""

from mixsafe_cli.on_demand import group

app = group(
    __name__,
    "train sample ppmtf sgd uniform town cabs metro fleet",
    help="Generate synthetic traces, reproducible by seed.",
)
