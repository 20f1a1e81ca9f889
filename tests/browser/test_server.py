"""The real command over HTTP and websocket, without a browser."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import urllib.request
from typing import Any

import psutil
import pytest
from client import Answer, Client, visiting
from harness import PATIENCE_S, ROOT
from websockets.exceptions import ConnectionClosed, InvalidStatus

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("server")]


def values(server: Any, **arguments: str) -> dict[str, Any]:
    """The controls' values in a new session."""

    async def read() -> dict[str, Any]:
        async with visiting(server, **arguments) as client:
            await client.start()
            return client.controls

    return asyncio.run(read())


def test_root_redirects_to_the_app_and_the_page_has_a_title(server: Any) -> None:
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/") as answer:
        text = answer.read().decode()
        assert answer.url.endswith("/app")
    assert "<title>SAFE Explorer</title>" in text


def test_page_names_no_other_host(server: Any) -> None:
    with urllib.request.urlopen(server.url) as answer:
        text = answer.read().decode()
    loaded = re.findall(r"(?:src|href)=[\"'](https?:)?//([^/\"']+)", text)
    assert [host for _, host in loaded if not host.startswith("127.0.0.1")] == []


def test_websocket_session_has_live_controls(server: Any) -> None:
    assert values(server)["slots"] == 160


@pytest.mark.parametrize("pause_s", [0.001, 1])
@pytest.mark.parametrize("link", [{}, {"slots": "121"}])
def test_however_slow_the_browser_it_gets_its_numbers_and_its_first_tab(
    server: Any, link: dict[str, str], pause_s: float
) -> None:
    async def seen() -> None:
        async with visiting(server, **link) as client:
            found = await client.read_document()
            assert link or "data-query" in found, "the default page comes with its numbers"
            found += "".join(await client.rest(pause_s))  # the picture may be there long before the browser is
            await client.say_ready()
            async with asyncio.timeout(PATIENCE_S):
                while not ("data-query" in found and "boundary.map" in found):
                    found += "".join(await client.rest())

    asyncio.run(seen())


def test_link_arguments_reach_the_session_one_by_one(server: Any) -> None:
    found = values(server, slots="120", beta="nan", c="<script>")
    assert (found["slots"], found["beta"], found["c"]) == (120, 0.05, None)  # c as flown


def test_after_a_burst_the_picture_fits_the_slider(server: Any) -> None:
    async def burst() -> None:
        async with visiting(server) as client:
            await client.start()
            for i in range(20):
                for step in (7, 3, 5, 1):
                    await client.put(v_ratio=round(0.12 + 0.02 * i + 0.01 * step, 2))
                last = await client.move("v_ratio", round(0.21 + 0.02 * i, 2))
                await quiet(client, last, f"v_ratio={round(0.21 + 0.02 * i, 2):g}")

    asyncio.run(burst())


async def quiet(client: Client, last: Answer, wanted: str) -> None:
    """Nothing that arrives afterwards may show another value again."""
    text = last.text
    for answer in await client.rest():
        text = answer if 'class="chain' in answer else text
    assert wanted in text


def test_twenty_visitors_at_once_are_all_served(server: Any) -> None:
    async def crowd() -> list[Answer]:
        async def one(i: int) -> Answer:
            async with visiting(server) as client:
                await client.start()
                return await client.move("c", 1 + i % 5 + 1)

        return await asyncio.gather(*(one(i) for i in range(20)))

    assert len(asyncio.run(crowd())) == 20


def test_values_out_of_bounds_are_refused_in_words_and_nothing_else_is_lost(server: Any) -> None:
    async def hostile() -> None:
        async with visiting(server) as client:
            await client.start()
            good = dict(client.controls)
            for name, value, words in (
                ("beta", 99.0, "beta = 99 lies outside"),
                ("c", -5, "c = -5 lies outside"),
                ("slots", "many", "slots = 'many' must be a number"),
                ("H_T", None, "H_T = 'None' must be a number"),
                ("policies", ["<script>"], "must be one of SAFE"),
            ):
                await client.put(**{name: value})
                await client.notified(words)  # taken without a word: the end of the wait fails the test
                client.controls = dict(good)
            answer = await client.move("c", 3)
            assert "c=3" in answer.text

    asyncio.run(hostile())


@pytest.mark.parametrize(
    "frames",
    [
        ["not json"],
        ["{}", "{}", "{}"],
        [json.dumps({"msgid": "1", "msgtype": "NO-SUCH"}), "{}", "{}"],
        [json.dumps({"msgid": "1", "msgtype": "PATCH-DOC", "num_buffers": 10**9}), "{}", "{}"],
        [json.dumps({"msgid": "1", "msgtype": "PATCH-DOC"}), "{}", json.dumps({"events": [{"kind": "Nonsense"}]})],
        [
            json.dumps({"msgid": "1", "msgtype": "PATCH-DOC"}),
            "{}",
            json.dumps({"events": [{"kind": "ModelChanged", "model": {"id": "p0"}, "attr": "values", "new": 1}]}),
        ],
        [b"\x00" * 64],
        ["[" * 100_000],
    ],
    ids=range(8),
)
def test_broken_frames_hurt_nobody_else(server: Any, frames: list[str | bytes]) -> None:
    async def broken() -> None:
        async with visiting(server) as neighbour:
            await neighbour.start()
            with contextlib.suppress(ConnectionClosed):
                async with visiting(server) as client:
                    await client.start()
                    for frame in frames:
                        await client.send_raw(frame)
                    await client.rest()
            assert "c=4" in (await neighbour.move("c", 4)).text

    asyncio.run(broken())
    assert values(server)["slots"] == 160


def test_foreign_origins_are_refused(server: Any) -> None:
    async def knock() -> None:
        async with visiting(server, origin="http://evil.example"):
            pass

    with pytest.raises(InvalidStatus, match="403"):
        asyncio.run(knock())


def test_it_listens_on_loopback_only(server: Any) -> None:
    process = psutil.Process(server.pid)
    found = [
        c.laddr.ip
        for p in (process, *process.children(recursive=True))
        for c in p.net_connections("inet")
        if c.status == psutil.CONN_LISTEN
    ]
    assert found
    assert set(found) <= {"127.0.0.1", "::1"}


def test_log_is_clean(server: Any) -> None:
    values(server)
    records = re.split(r"(?m)^(?=\d{4}-\d\d-\d\d )", server.lines())
    # a page that closes in mid-message makes tornado complain; anything else that passes through our code is a fault
    ours = rf"Error running application|a callback failed|File \"{re.escape(str(ROOT))}/(app|core)/"
    faults = [r for r in records if re.search(ours, r)]
    assert [r for r in faults if not r.rstrip().endswith("WebSocketClosedError")] == []
