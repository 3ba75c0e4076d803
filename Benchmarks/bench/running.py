"""A thousand downloads that run at once from a slow origin: what they cost, and how the interface answers meanwhile."""

import contextlib
import mmap
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
CPU_WINDOWS = 5
LIBCURL = (
    "each connection is a transfer of libcurl, which has a buffer of its own. A libcurl whose transfers share one"
    " (8.7.0 or later) would come nearer to the goal."
)
HERTZ = os.sysconf("SC_CLK_TCK")


def measure(workspace, options):
    table = Table(
        [
            f"{options.running} downloads at once", "connections", "resident MiB", "CPU s in 10 s", "API median ms",
            "API 99 % ms",
        ],
        notes=[
            f"The origin sends {RATE // 1000} kB/s on each connection, in ten pieces a second, or two if a download has"
            " several. The API is asked for one download after the other (`GET /downloads/{id}`) on one connection,"
            " without a pause. The CPU time is the median of"
            f" {CPU_WINDOWS} times 10 s without these requests. Before each, as much memory is used and freed as the"
            " page cache needs for what comes meanwhile: the host takes free memory back, and the first use of a page"
            " is then slow. aria2 gets the same list with `-j` and records nothing. A connection between two parts of a"
            " file is not counted."
        ],
        is_median=False,
    )
    table.goals = []
    forget(workspace.program)
    for connections in options.connections:
        with dripping(SIZE * connections, RATE, 10 if connections == 1 else 2) as origin:
            urls = [f"{origin}/{number}" for number in range(options.running)]
            each = ours(table, workspace, urls, connections)
            # The files have their full sizes on the disk, and there is no room for as many again.
            workspace.fresh("data")
            peer = aria2(table, workspace, urls, connections)
            told = f"{connections} each: CPU time of a connection, beside aria2's"
            table.goals.append(Goal(told, each / peer, "≤", 1.3, "×"))
    return table


def ours(table, workspace, urls, connections):
    most = len(urls) * connections
    with workspace.service(
        max_concurrent=len(urls),
        max_per_host=len(urls),
        connections_per_host=most,
        connections_per_download=connections,
    ) as service:
        post_all(service.port, [{"url": url} for url in urls])
        wait_for(lambda: running(service)[0] >= len(urls), "the last download", START_SECONDS, 1)
        # Some may end their share just now.
        wait_for(lambda: running(service)[1] >= most * 0.98, "the last connection", START_SECONDS, 1)
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
        before = running(service)[1]
        cpu = median_cpu_seconds(service.process.pid, most)
        middle, tail = statistics.median(times), times[len(times) * 99 // 100]
        memory = service.resident_bytes()
        opened = (before + running(service)[1]) // 2
        table.add("cormorant", str(opened), mebibytes(memory), f"{cpu:.2f}", f"{middle:.2f}", f"{tail:.2f}")
        table.goals += [
            Goal(f"{connections} each: resident memory", memory / (1 << 20), "≤", 95, "MiB", LIBCURL),
            Goal(f"{connections} each: an answer of the interface, the slowest hundredth", tail, "<", 20, "ms"),
        ]
        print(f"   {len(times)} requests beside them; {asked:.2f} CPU s meanwhile", file=sys.stderr)
        return cpu / opened


def running(service):
    """The downloads that have received bytes, and their connections. Counted page by page: no filter counts."""
    downloads, connections, path = 0, 0, "/downloads?limit=200&state=running"
    while path:
        page = service.ask("GET", path)[1]
        for item in page["items"]:
            downloads += 1 if item["progress"]["received_bytes"] else 0
            connections += item["progress"].get("connections") or 0
        path = page["links"].get("next")
    return downloads, connections


def aria2(table, workspace, urls, connections):
    folder = workspace.fresh("aria2")
    (folder / "list").write_text("".join(f"{url}\n" for url in urls))
    command = ["aria2c", "--no-conf", "-q", "-j", str(len(urls)), "-i", "list", "--file-allocation=none"]
    command += [f"-x{connections}", f"-s{connections}", "-k1M"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(15 if connections == 1 else 30)
        cpu, opened = median_cpu_seconds(process.pid, len(urls) * connections), sockets(process.pid)
        table.add("aria2", str(opened), resident(process.pid), f"{cpu:.2f}", "-", "-")
        return cpu / opened
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


def median_cpu_seconds(pid, connections):
    """The processor time in 10 s with so many connections: the median of several times."""
    windows = []
    for _ in range(CPU_WINDOWS):
        touch_memory(connections * RATE * 12)
        used = Usage(pid)
        time.sleep(10)
        windows.append(used.seconds())
    print(f"   CPU s in 10 s: {' '.join(f'{each:.2f}' for each in windows)}", file=sys.stderr)
    return statistics.median(windows)


def touch_memory(byte_count):
    """Writes to so much memory and frees it. What is freed last is used next."""
    mebibyte = b"\1" * (1 << 20)
    with mmap.mmap(-1, byte_count) as memory:
        for start in range(0, byte_count - len(mebibyte), len(mebibyte)):
            memory[start : start + len(mebibyte)] = mebibyte


def forget(program):
    """Lets the program be read from the disk, as in use. More of what a compiler has just written is mapped: 2 MiB."""
    os.sync()
    with open(program, "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def resident(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return f"{int(status.split('VmRSS:')[1].split()[0]) / 1024:.1f}"


def sockets(pid):
    count = 0
    for entry in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            count += os.readlink(entry).startswith("socket:")
    return count


@contextlib.contextmanager
def dripping(size, rate, turns=10):
    """The slow origin: every path of it has `size` bytes."""
    port = free_port()
    program = pathlib.Path(__file__).with_name("drip.py")
    command = [sys.executable, program, str(port), "--size", str(size), "--rate", str(rate)]
    command += ["--turns", str(turns)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: can_connect(port), "the slow origin")
        yield f"http://127.0.0.1:{port}"
    finally:
        stop(process)
