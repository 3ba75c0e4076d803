"""A limit on the rate, held against what comes in ten seconds: over one connection and over eight."""

import statistics
import sys
import time

from .measuring import Table
from .parallel import origin
from .processes import wait_for

LIMIT = 8 << 20
SECONDS = 10
#: The connections have found each other by then.
WARM_UP_SECONDS = 2
#: How many connections, and what the origin gives each: all of them together more than the limit, one fewer less.
CASES = ((1, 10 * LIMIT), (8, LIMIT // 7))


def measure(workspace, options):
    table = Table(
        [f"{LIMIT >> 20} MiB/s, measured over {SECONDS} s", "MiB/s", "of the limit", "connections"],
        notes=[
            f"The difference of `received_bytes` over {SECONDS} s, divided by the time between the two answers;"
            " measured once. The limit is that of all downloads (`PATCH /limits`). The origin limits each connection,"
            " so that all of them are needed to reach it. The goal is a deviation of at most 5 %.",
        ],
    )
    with workspace.service("data-rates", digest="none") as service:
        service.ask("PATCH", "/limits", {"rate_bytes_per_second": LIMIT})
        for count, rate in CASES:
            with origin(LIMIT * (SECONDS + 3 * WARM_UP_SECONDS), rate) as url:
                came, connections = came_through(service, url, count)
            table.add(f"limits.connections {count}", f"{came / (1 << 20):.2f}", f"{came / LIMIT:.1%}", connections)
            print(f"   {count}: {came / LIMIT:.1%} of the limit", file=sys.stderr, flush=True)
    return table


def came_through(service, url, count):
    """Bytes in a second, and over how many connections they came."""
    body = {"url": url, "filename": f"limited-{count}", "limits": {"connections": count}}
    path = f"/downloads/{service.ask('POST', '/downloads', body)[1]['id']}"
    wait_for(lambda: progress(service, path)[1] > 0, "the first byte")
    time.sleep(WARM_UP_SECONDS)
    began, first, _ = progress(service, path)
    seen = []
    while True:
        time.sleep(SECONDS / 10)
        now, last, connections = progress(service, path)
        seen.append(connections)
        if now >= began + SECONDS:
            break
    service.ask("DELETE", f"{path}?force=true")
    return (last - first) / (now - began), statistics.median_low(seen)


def progress(service, path):
    """When it was asked, and what has come over how many connections."""
    before = time.monotonic()
    shown = service.ask("GET", path)[1]["progress"]
    return (before + time.monotonic()) / 2, shown["received_bytes"], shown["connections"]
