"""A thousand downloads that run at once from a slow origin: what they cost, and how the interface answers meanwhile."""

import contextlib
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

from .goals import Goal
from .measuring import Table
from .memory import mebibytes
from .poster import post_all
from .processes import can_connect, free_port, stop, wait_for

RATE = 20_000
SIZE = 8 << 20
START_SECONDS = 120
HERTZ = os.sysconf("SC_CLK_TCK")


def measure(workspace, options):
    table = Table(
        [f"{options.running} downloads at once", "resident MiB", "CPU s in 10 s", "API median ms", "API 99 % ms"],
        notes=[
            f"The origin sends {RATE // 1000} kB/s on each connection, in ten pieces a second. The API is asked for one"
            " download after the other (`GET /downloads/{id}`) on one connection, without a pause. aria2 gets the same"
            " list with `-j` and records nothing."
        ],
        is_median=False,
    )
    with dripping(SIZE, RATE) as origin:
        urls = [f"{origin}/{number}" for number in range(options.running)]
        ours(table, workspace, urls)
        aria2(table, workspace, urls)
    return table


def ours(table, workspace, urls):
    with workspace.service(
        max_concurrent=len(urls), max_per_host=len(urls), connections_per_host=len(urls), connections_per_download=1
    ) as service:
        post_all(service.port, [{"url": url} for url in urls])
        wait_for(lambda: running(service) >= len(urls), "the last download", START_SECONDS, 1)
        ids = [item["id"] for item in service.ask("GET", "/downloads?limit=200")[1]["items"]]
        time.sleep(3)
        used, times = Usage(service.process.pid), []
        began = time.monotonic()
        while time.monotonic() < began + 10:
            start = time.monotonic()
            service.ask("GET", "/downloads/" + random.choice(ids))
            times.append((time.monotonic() - start) * 1000)
        asked = used.seconds()
        times.sort()
        used = Usage(service.process.pid)
        time.sleep(10)
        middle, tail = statistics.median(times), times[len(times) * 99 // 100]
        memory = service.resident_bytes()
        table.add("cormorant", mebibytes(memory), f"{used.seconds():.2f}", f"{middle:.2f}", f"{tail:.2f}")
        table.goals = [
            Goal("resident memory", memory / 1e6, "<", 150, "MB"),
            Goal("an answer of the interface, the slowest hundredth", tail, "<", 20, "ms"),
        ]
        print(f"   {len(times)} requests beside them; {asked:.2f} CPU s meanwhile", file=sys.stderr)


def running(service):
    # Counted page by page: no filter counts.
    count, path = 0, "/downloads?limit=200&state=running"
    while path:
        page = service.ask("GET", path)[1]
        count += sum(1 for item in page["items"] if item["progress"]["received_bytes"])
        path = page["links"].get("next")
    return count


def aria2(table, workspace, urls):
    folder = workspace.fresh("aria2")
    (folder / "list").write_text("".join(f"{url}\n" for url in urls))
    command = ["aria2c", "--no-conf", "-q", "-j", str(len(urls)), "-i", "list", "--file-allocation=none", "-x1"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(15)
        used = Usage(process.pid)
        time.sleep(10)
        table.add("aria2", resident(process.pid), f"{used.seconds():.2f}", "-", "-")
    finally:
        stop(process)


class Usage:
    """The processor time of a process from now on."""

    def __init__(self, pid):
        self.pid = pid
        self.start = self.now()

    def now(self):
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / HERTZ

    def seconds(self):
        return self.now() - self.start


def resident(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return f"{int(status.split('VmRSS:')[1].split()[0]) / 1024:.1f}"


@contextlib.contextmanager
def dripping(size, rate):
    """The slow origin: every path of it has `size` bytes."""
    port = free_port()
    program = pathlib.Path(__file__).with_name("drip.py")
    command = [sys.executable, program, str(port), "--size", str(size), "--rate", str(rate)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: can_connect(port), "the slow origin")
        yield f"http://127.0.0.1:{port}"
    finally:
        stop(process)
