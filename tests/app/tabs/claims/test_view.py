"""Tab 5 without a server: findings arrive, can be stopped, go out of date, and never carry markup."""

import pytest

from app.session import Session
from app.tabs.claims.tables import COLOUR, MARK, findings_html, ledger_html
from app.tabs.claims.view import ClaimsView
from core.scenario import SCENES
from core.studies.claims import ClaimVerdict, Finding, ledger_path, load_findings, load_ledger

ROWS = len(load_findings())


@pytest.fixture
def view():
    session = Session()
    session.state.apply({"uavs": 5, "duration_s": 3.0, "slots": 50})
    shown = ClaimsView(session)
    assert shown.__panel__() is shown.content
    yield shown
    shown.close()
    session.close()


def test_it_opens_with_the_shipped_audit_and_says_what_it_belongs_to():
    session = Session()
    shown = ClaimsView(session)
    session.pipeline.request()
    shown.refresh(session.pipeline.picture)
    assert shown.table.object.count("<tr data-claim=") == len(shown.findings) == ROWS
    assert "default settings when this version was made" in shown.status.object
    session.state.apply({"beta": 0.1})
    shown.refresh(session.pipeline.picture)
    assert "Measured at the default settings; press the button" in shown.status.object
    session.close()


@pytest.mark.slow
def test_an_audit_from_start_to_verdicts(view):
    view.start()
    assert view.start_button.disabled
    view.auditor.wait()
    view.poll()
    assert view.progress.value == 100
    assert {f.key for f in view.findings} >= {
        "coverage",
        "interaction",
        "mode-order",
        "drift-repaired",
        "dynamic-program",
    }
    assert view.table.object.count("<tr data-claim=") == len(view.findings)
    assert "violated" in view.table.object
    assert "violated" in view.status.object
    assert not view.start_button.disabled


def test_cancel_keeps_what_was_found(view):
    view.start()
    view.cancel()
    view.auditor.wait()
    view.poll()
    assert "Stopped early" in view.status.object
    assert len(view.findings) < ROWS


def test_moved_sliders_are_said(view):
    view.start()
    view.cancel()
    view.auditor.wait()
    view.poll()
    view.session.state.apply({"slots": 60})
    view.session.pipeline.request()
    view.refresh(view.session.pipeline.picture)
    assert "Measured before the settings changed; press the button" in view.status.object


@pytest.mark.slow
def test_sliders_moved_during_the_audit_are_said_at_its_end(view):
    view.start()
    view.session.state.apply({"slots": 60})
    view.auditor.wait()
    view.poll()
    assert len(view.findings) == ROWS
    assert "Measured before the settings changed; press the button" in view.status.object


def test_settings_without_a_certificate_are_said_in_words(view):
    view.session.state.apply({"corridor_radius_m": 5.0})
    said = []
    view.session.complain = said.append
    view.start()
    view.auditor.wait()
    view.poll()
    assert said
    assert not view.findings


def test_every_verdict_has_a_colour_and_a_mark_of_its_own():
    assert set(COLOUR) == set(MARK) == set(ClaimVerdict)
    assert len(set(COLOUR.values())) == len(set(MARK.values())) == len(ClaimVerdict)
    for colour in COLOUR.values():  # white text on it is readable (WCAG AA)
        assert 1.05 / (luminance(colour) + 0.05) >= 4.5


def luminance(colour):
    linear = [
        (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4)
        for c in (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_an_interval_of_a_mean_says_its_unit():
    mean = Finding("k", "t", "r", "p", "m", 0, 0, ClaimVerdict.COMPATIBLE, bounds=(-0.001, 0.002))
    page = findings_html([mean])
    assert "[−0.100%, +0.200%] of V_max" in page
    assert "≈ compatible" in page
    count = Finding("k", "t", "r", "p", "m", 9, 10, ClaimVerdict.HOLDS)
    assert "[0.5550, 0.9975]" in findings_html([count])
    assert "[" not in findings_html([Finding("k", "t", "r", "p", "m", 0, 0, ClaimVerdict.HOLDS)])


def test_texts_are_escaped():
    bad = "<script>alert(1)</script>"
    page = findings_html([Finding(bad, bad, bad, bad, bad, 1, 2, ClaimVerdict.HOLDS, bad)])
    assert "<script" not in page


def test_the_shipped_ledger_of_every_scene_is_shown_and_escaped(view):
    for scene in SCENES:
        view.scene.value = scene
        shipped = load_ledger(ledger_path(scene))
        assert view.ledger.object == ledger_html(shipped)
        assert view.ledger.object.count("<tr data-bound=") == len(shipped)
    assert "<script>" not in ledger_html(shipped.assign(what="<script>alert(1)</script>"))
