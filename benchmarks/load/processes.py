"""What the server's processes cost, from /proc: processor time, memory, and who serves which connection."""

from __future__ import annotations

import os
from pathlib import Path

TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def family(pid: int) -> list[int]:
    """A process and everything it started, itself first."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (parent := _parent(int(entry.name))):
            children.setdefault(parent, []).append(int(entry.name))
    found = [pid]
    for one in found:
        found += children.get(one, [])
    return found


def workers(pid: int, port: int) -> list[int]:
    """Those of the family that listen on a port and answer: with several, the parent only waits for them."""
    inodes = {inode for local, _, state, inode in _connections() if local == port and state == LISTEN}
    holding = [one for one in family(pid) if inodes & _inodes(one)]
    return holding if len(holding) == 1 else [one for one in holding if _parent(one) in holding]


def cpu_s(*pids: int) -> float:
    """Processor time that processes have used so far, their ended children not counted [s]."""
    total = 0
    for pid in pids:
        fields = _stat(pid)
        total += int(fields[11]) + int(fields[12]) if fields else 0
    return total * TICK_S


def rss_mb(*pids: int) -> float:
    """Resident memory, what processes share counted in each [MB]."""
    return sum(_memory(pid, "VmRSS", "status") for pid in pids)


def pss_mb(*pids: int) -> float:
    """Resident memory, what processes share divided among them [MB]."""
    return sum(_memory(pid, "Pss", "smaps_rollup") for pid in pids)


def own_mb(*pids: int) -> float:
    """Resident memory that no file stands behind: what processes have allocated themselves, whoever else runs beside them [MB]."""
    return sum(_memory(pid, "RssAnon", "status") for pid in pids)


def serving_pid(candidates: list[int], port: int, client_port: int) -> int | None:
    """Which process has accepted the connection that comes from a local port; None while none has."""
    for local, remote, _, inode in _connections():
        if local == port and remote == client_port:
            return next((pid for pid in candidates if inode in _inodes(pid)), None)
    return None


LISTEN = "0A"


def _connections() -> list[tuple[int, int, str, str]]:
    """Local port, remote port, state and inode of every TCP socket over IPv4."""
    rows = (line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:])
    return [(int(r[1].split(":")[1], 16), int(r[2].split(":")[1], 16), r[3], r[9]) for r in rows]


def _inodes(pid: int) -> set[str]:
    found = set()
    try:
        for fd in os.scandir(f"/proc/{pid}/fd"):
            try:
                target = os.readlink(fd.path)
            except OSError:
                continue
            if target.startswith("socket:["):
                found.add(target[8:-1])
    except OSError:
        pass
    return found


def _stat(pid: int) -> list[str]:
    """Fields of /proc/PID/stat after the name, which may itself have blanks; empty when it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _parent(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[1]) if fields else 0


def _memory(pid: int, name: str, file: str) -> float:
    for line in Path(f"/proc/{pid}/{file}").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024 / 1e6
    raise OSError(f"/proc/{pid}/{file} has no {name}")
