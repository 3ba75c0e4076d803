"""Very many downloads of one session: what one costs when it is created, and how long the end of the session takes."""

import time

from .bulk import MOST_MILLISECONDS, Others, act
from .goals import Goal
from .measuring import Table
from .poster import post_batches

BATCH = 500


def measure(workspace, options):
    table = Table(
        [f"{options.queued:,} downloads of one session", "seconds", "CPU µs each", "the slowest of 4 others, ms"],
        notes=[
            f"Created by `POST /downloads/batch`, {BATCH} at a time on 16 connections, then cancelled by"
            " `POST /downloads/actions`; the last one ends the session. All downloads are paused by `PATCH /limits`."
            " Beside the cancellation 4 clients post a paused download each, again and again; their downloads count in"
            " its CPU time."
        ],
        is_median=False,
    )
    with workspace.service() as service:
        service.ask("PATCH", "/limits", {"paused": True})
        bodies = [{"url": f"http://127.0.0.1:9/{number}", "session": "many"} for number in range(options.queued)]
        begin, cpu = time.monotonic(), service.cpu_seconds()
        post_batches(service.port, bodies, BATCH)
        add(table, "created", time.monotonic() - begin, service.cpu_seconds() - cpu, options.queued, "-")
        cpu = service.cpu_seconds()
        with Others(service.port) as others:
            seconds = act(service, "cancel", options.queued)
        slowest = max(others.times) * 1e3
        add(table, "cancelled", seconds, service.cpu_seconds() - cpu, options.queued, f"{slowest:.1f}")
        words = "the end of the session: the slowest request of others"
        table.goals.append(Goal(words, slowest, "<", MOST_MILLISECONDS, "ms"))
    return table


def add(table, name, seconds, cpu, count, slowest):
    table.add(name, f"{seconds:.2f}", f"{cpu / count * 1e6:.0f}", slowest)
