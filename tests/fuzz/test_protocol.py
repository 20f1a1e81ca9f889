"""Nonsense over the page's connection: refused without a word about the server, bounded in the log, and nobody else notices.

`SAFE_EXPLORER_FUZZ=25` sends twenty-five times as many messages.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import sys
import time

import pytest
from client import new_token, visiting
from fuzzing import Fuzz, budget
from harness import ROOT, Server
from hostile_messages import broken_message, models_of, whole_message

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("server")]

TRIED = budget(240)
AT_ONCE = 12
"""Messages of one connection, the last of them broken."""
SESSION = 120
"""Messages after which another page is opened: the one before may be broken by now."""
SEED = 3
TABS = ("boundary", "flight", "frontier", "allocation", "solve", "claims", "whatif", "reproduction")
MOST_LINES, A_MINUTE = 500, 200
"""Of the log, however many messages are sent: each kind of fault once, and then a count every minute."""
TELLTALE = re.compile(rf"Traceback \(most|site-packages|File \\?\"/|{re.escape(str(ROOT))}|{re.escape(sys.prefix)}")


async def bombard(server: Server, fuzz: Fuzz, tab: str, seed: int, count: int) -> None:
    """Send messages to one page over as many connections as it takes.

    Args:
        server: whose page.
        fuzz: counts; a message is refused when it is answered by an error or ends its connection.
        tab: that the page shows, whose models are among those that are reached.
        seed, count: of the messages.
    """
    token, sent = new_token(), 0
    async with visiting(server, token=token, tab=tab) as page:
        await page.read_document()
        await page.say_ready()
        await page.rest()  # the tab is drawn
        models, rng = models_of(json.loads(await page.read_document())), random.Random(seed)
        reading = asyncio.create_task(page.read_on())  # a session ends with its last connection
        while sent < count:
            batch = [*(whole_message(rng, models) for _ in range(AT_ONCE - 1)), broken_message(rng)]
            async with visiting(server, token=token) as client:
                found, code = await client.answered(*batch)
            assert code in (0, 1008), code
            refused = min(sum('"ERROR"' in text for text in found) + (code != 0), AT_ONCE)
            fuzz.refused, fuzz.taken, sent = fuzz.refused + refused, fuzz.taken + AT_ONCE - refused, sent + AT_ONCE
            fuzz.faults += [text[:500] for text in found if TELLTALE.search(text)]
        reading.cancel()


def test_nonsense_leaks_nothing_floods_nothing_and_hurts_nobody(server: Server) -> None:
    async def run(fuzz: Fuzz) -> None:
        async with visiting(server) as neighbour:
            await neighbour.start()
            for number in range(-(-TRIED // SESSION)):
                await bombard(server, fuzz, TABS[number % len(TABS)], SEED + number, min(SESSION, TRIED))
                moved = 1 + number % 9
                assert f"c={moved}" in (await neighbour.move("c", moved)).text

    before, began = len(server.lines()), time.monotonic()
    with Fuzz("websocket messages") as fuzz:
        asyncio.run(run(fuzz))
        log = server.lines()[before:]
        print(f"{log.count(chr(10))} lines of log")
        fuzz.faults += [part[-2000:] for part in re.split(r"(?m)^(?=\d{4}-\d\d-\d\d )", log) if "Traceback" in part]
    assert log.count("\n") < MOST_LINES + A_MINUTE * (time.monotonic() - began) / 60
    assert max(map(len, log.splitlines())) < 10_000


def test_who_goes_on_with_nonsense_is_closed_out(server: Server) -> None:
    unknown = {"events": [{"kind": "ModelChanged", "model": {"id": "nowhere"}, "attr": "x", "new": 1}]}
    frames = [json.dumps({"msgid": "1", "msgtype": "PATCH-DOC"}), "{}", json.dumps(unknown)]

    async def run() -> None:
        async with visiting(server) as client:
            await client.start()
            found, code = await client.answered(*[frames] * 5)
            assert code == 0, "a slip or two is forgiven"
            assert "c=2" in (await client.move("c", 2)).text
            found, code = await client.answered(*[frames] * 50)
            assert code == 1008
            assert sum('"ERROR"' in text for text in found) < 25

    asyncio.run(run())


@pytest.mark.parametrize("buffers", [10**9, 2_000])
def test_a_message_without_end_is_cut_off(server: Server, buffers: int) -> None:
    head = [json.dumps({"msgid": "1", "msgtype": "PATCH-DOC", "num_buffers": buffers}), "{}", "{}"]
    pieces = [part for i in range(1_200) for part in (json.dumps({"id": str(i)}), b"x" * 100)]

    async def run() -> None:
        async with visiting(server) as client:
            await client.read_document()
            assert (await client.answered([*head, *pieces]))[1] == 1008

    asyncio.run(run())
