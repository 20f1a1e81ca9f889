"""One period of plant and estimator against integration by hand."""

import numpy as np

from core.simulation.plant import displacement, estimator_step, plant_step, velocity_command

RNG = np.random.default_rng(0)


def test_displacement_is_the_integral_of_a_piecewise_constant_velocity():
    before, after = RNG.normal(size=(2, 5, 3))
    arrival = np.array([0.0, 0.03, 0.1, 0.25, 0.4])
    fine = np.arange(0, 0.25, 1e-5) + 5e-6
    by_hand = np.array(
        [sum((b if t < s else a) * 1e-5 for t in fine) for a, b, s in zip(after, before, arrival, strict=True)]
    )
    np.testing.assert_allclose(displacement(before, after, arrival, 0.25), by_hand, atol=1e-9)


def test_no_service_moves_by_the_last_command():
    p, u = RNG.normal(size=(2, 4, 3))
    flown = displacement(u, np.full((4, 3), 99.0), np.full(4, 0.25), 0.25)
    np.testing.assert_allclose(plant_step(p, flown, np.zeros((4, 3)), np.zeros((4, 3)), 0.25), p + 0.25 * u)


def test_gust_and_noise_add():
    p, flown, gust, noise = RNG.normal(size=(4, 2, 3))
    np.testing.assert_allclose(plant_step(p, flown, gust, noise, 0.5), p + flown + 0.5 * gust + noise)


def test_law_and_feed_forward():
    p, ref, v = RNG.normal(size=(3, 2, 3))
    np.testing.assert_allclose(velocity_command(p, ref, 1.88), -1.88 * (p - ref))
    np.testing.assert_allclose(velocity_command(p, ref, 1.88, v), v - 1.88 * (p - ref))


def test_estimator_takes_the_sample_where_telemetry_arrived():
    p_hat, p_meas, flown = RNG.normal(size=(3, 2, 3))
    new = estimator_step(p_hat, p_meas, np.array([True, False]), flown)
    np.testing.assert_allclose(new, [p_meas[0] + flown[0], p_hat[1] + flown[1]])
