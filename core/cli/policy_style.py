"""How policies look in every figure, of the command line and of the page: the Okabe–Ito colour-blind-safe set."""

POLICY_COLOUR = {
    "SAFE": "#0072B2",
    "SAFE-paper": "#56B4E9",
    "VoI-Sched": "#009E73",
    "DynTx-HLC": "#E69F00",
    "Fixed-Service": "#CC79A7",
    "Cert-Fixed": "#D55E00",
}
POLICY_DASH = {
    "SAFE": "solid",
    "SAFE-paper": "dashed",
    "VoI-Sched": "solid",
    "DynTx-HLC": "dashdot",
    "Fixed-Service": "dashed",
    "Cert-Fixed": "dotted",
}
"""Line pattern, so that a grey print can still be read."""
INK = "#808080"
"""A user's own policy; readable on white and on the dark theme's background."""


def policy_colour(name: str) -> str:
    """Colour of a policy; a user's own policy is grey."""
    return POLICY_COLOUR.get(name, INK)
