"""Webhooks: how soon the end of a download is told, how many deliveries go out in a second, and what a receiver that
never answers costs the others."""

import contextlib
import json
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import time
import urllib.request

from .goals import Goal
from .measuring import Table
from .poster import post_all, post_batches
from .processes import can_connect, free_port, stop, wait_for

PER_SECOND, SECONDS = 50, 20
ENDPOINTS, DOWNLOADS, BATCH = 8, 4000, 500
COLUMNS = ["webhooks", "measured"]
BUSY = (
    "the receiver, the client and the service share two cores, and each delivery is claimed and recorded in the"
    " database. More cores would reach the goal."
)


def measure(workspace, options):
    table = Table(
        COLUMNS,
        notes=[
            f"The first two rows: {PER_SECOND} downloads of 10 KiB are posted in each of {SECONDS} seconds. The time"
            " runs from the origin's last byte to the complete delivery of `download.completed` at the receiver; in"
            " between the file and its row are made durable. The other rows:"
            f" {DOWNLOADS * ENDPOINTS:,} deliveries of `download.created` to {ENDPOINTS} endpoints of one nginx, from"
            f" the first POST (batches of {BATCH} paused downloads) until nginx has counted the last. The silent"
            " receiver accepts the connection and never answers; its deliveries are due meanwhile."
        ],
        is_median=False,
    )
    middle, tail = latencies(workspace)
    alone, _, _ = throughput(workspace, 0)
    beside, before, after = throughput(workspace, options.queued)
    table.add("last byte to delivery, median", f"{middle:.2f} ms")
    table.add("last byte to delivery, the slowest hundredth", f"{tail:.2f} ms")
    table.add(f"deliveries to {ENDPOINTS} endpoints", f"{alone:,.0f} /s")
    table.add(f"the same beside {options.queued:,} pending for a silent receiver", f"{beside:,.0f} /s")
    table.add(f"resident memory without, and with {options.queued:,} pending", f"{before:.1f}, {after:.1f} MiB")
    table.goals = [
        Goal("last byte to delivery, median", middle, "<", 10, "ms"),
        Goal("last byte to delivery, the slowest hundredth", tail, "<", 100, "ms"),
        Goal(f"deliveries to {ENDPOINTS} endpoints", alone, "≥", 5000, "/s", BUSY),
        Goal("beside a silent receiver: deliveries, of those without it", beside / alone, "≥", 0.95, "×"),
    ]
    return table


def latencies(workspace):
    with peer() as url, service_with_webhooks(workspace) as service:
        subscribe(service, f"{url}/hook", "download.completed")
        begin = time.monotonic()
        for number in range(PER_SECOND * SECONDS):
            time.sleep(max(begin + number / PER_SECOND - time.monotonic(), 0))
            service.ask("POST", "/downloads", {"url": f"{url}/files/{number}"})
        wait_for(lambda: len(read_json(f"{url}/times")) == PER_SECOND * SECONDS, "the last delivery", 60, 0.2)
        times = sorted(1000 * seconds for seconds in read_json(f"{url}/times"))
    return statistics.median(times), times[len(times) * 99 // 100]


def throughput(workspace, pending):
    """Deliveries in a second, and the memory in MiB without and with the pending ones of a silent receiver."""
    with counting(workspace) as (url, count), silent() as mute, service_with_webhooks(workspace) as service:
        before = service.resident_bytes()
        if pending:
            subscribe(service, f"{mute}/hook", "download.created", session="many")
            post_batches(service.port, bodies("many", pending), BATCH)
        after = service.resident_bytes()
        for number in range(ENDPOINTS):
            subscribe(service, f"{url}/{number}", "download.created", session="few")
        # What is asked for to count is itself a request.
        start, first, asked = time.monotonic(), count(), 1
        post_batches(service.port, bodies("few", DOWNLOADS), BATCH)
        deadline = start + 120
        while (seen := count() - first - asked) < DOWNLOADS * ENDPOINTS:
            asked += 1
            if time.monotonic() > deadline:
                raise RuntimeError(f"{seen} deliveries have come after two minutes")
            time.sleep(0.02)
        seconds = time.monotonic() - start
        print(f"   {pending} pending: {seconds:.2f} s, {service.cpu_seconds():.2f} CPU s", file=sys.stderr, flush=True)
    return DOWNLOADS * ENDPOINTS / seconds, before / (1 << 20), after / (1 << 20)


def bodies(session, count):
    return [{"url": f"http://127.0.0.1:9/{number}", "session": session, "start": False} for number in range(count)]


def service_with_webhooks(workspace):
    return workspace.service(digest="none", allow_insecure_webhooks="true")


def subscribe(service, url, kind, session=None):
    body = {"url": url, "types": [kind]}
    service.ask("POST", "/webhooks", {**body, "session_filter": session} if session else body)


def read_json(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return json.load(answer)


@contextlib.contextmanager
def peer():
    """The origin that is the receiver too."""
    port = free_port()
    process = subprocess.Popen([sys.executable, pathlib.Path(__file__).with_name("hookpeer.py"), str(port)])
    try:
        wait_for(lambda: can_connect(port), "the receiver")
        yield f"http://127.0.0.1:{port}"
    finally:
        stop(process)


@contextlib.contextmanager
def counting(workspace):
    """nginx as the receiver: its URL, and a function that says how many requests it has had."""
    with workspace.nginx("location / { return 204; } location = /count { stub_status; }") as url:

        def count():
            with urllib.request.urlopen(f"{url}/count", timeout=10) as answer:
                return int(re.search(r"\n *\d+ \d+ (\d+)", answer.read().decode())[1])

        yield url, count


@contextlib.contextmanager
def silent():
    """A receiver that the kernel takes connections for, and that nobody else looks at."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
