"""From latitude and longitude to local metres around a home position."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

SEMI_MAJOR_M = 6_378_137.0
FLATTENING = 1.0 / 298.257223563
"""WGS-84."""


def east_north(lat_deg: Any, lon_deg: Any, home_lat_deg: float, home_lon_deg: float) -> NDArray[np.float64]:
    r"""East and north of points on the WGS-84 ellipsoid, in the plane that touches it at home.

    .. math::
        (X, Y, Z) = (N\cos\varphi\cos\lambda,\ N\cos\varphi\sin\lambda,\ (1-e^2)N\sin\varphi), \qquad
        N = a/\sqrt{1 - e^2\sin^2\varphi}

        x = -\sin\lambda_0\,\Delta X + \cos\lambda_0\,\Delta Y, \qquad
        y = -\sin\varphi_0(\cos\lambda_0\,\Delta X + \sin\lambda_0\,\Delta Y) + \cos\varphi_0\,\Delta Z

    Args:
        lat_deg, lon_deg: of the points, (n,) [°].
        home_lat_deg, home_lon_deg: of the origin [°].

    Returns:
        East and north, (n, 2) [m].
    """
    there, here = (
        _ecef(np.asarray(lat_deg, dtype=float), np.asarray(lon_deg, dtype=float)),
        _ecef(home_lat_deg, home_lon_deg),
    )
    dX, dY, dZ = (a - b for a, b in zip(there, here, strict=True))
    phi, lam = np.radians(home_lat_deg), np.radians(home_lon_deg)
    east = -np.sin(lam) * dX + np.cos(lam) * dY
    north = -np.sin(phi) * (np.cos(lam) * dX + np.sin(lam) * dY) + np.cos(phi) * dZ
    return np.stack([east, north], axis=-1)


def _ecef(lat_deg: Any, lon_deg: Any) -> tuple[Any, Any, Any]:
    phi, lam, e2 = np.radians(lat_deg), np.radians(lon_deg), FLATTENING * (2.0 - FLATTENING)
    n = SEMI_MAJOR_M / np.sqrt(1.0 - e2 * np.sin(phi) ** 2)
    return n * np.cos(phi) * np.cos(lam), n * np.cos(phi) * np.sin(lam), (1.0 - e2) * n * np.sin(phi)
