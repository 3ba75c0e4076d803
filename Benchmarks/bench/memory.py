"""Resident memory of the service: idle, and with a long queue."""

import socket
import time

from .measuring import Table
from .poster import post_all

SETTLE_SECONDS = 3


def measure(workspace, options):
    table = Table(
        ["resident memory", "MiB"],
        notes=[
            f"The {options.queued} downloads are due at once (`\"start\": true`), but the one slot (`max_concurrent` 1)"
            " is used by an origin that accepts the connection and never answers."
        ],
        is_median=False,
    )
    with silent_origin() as origin, workspace.service(max_concurrent=1) as service:
        url = f"http://127.0.0.1:{origin.getsockname()[1]}"
        time.sleep(SETTLE_SECONDS)
        table.add("idle", mebibytes(service.resident_bytes()))
        post_all(service.port, [{"url": f"{url}/{number}"} for number in range(options.queued)])
        table.add(f"{options.queued} downloads just queued", mebibytes(service.resident_bytes()))
        time.sleep(SETTLE_SECONDS)
        table.add(f"the same, {SETTLE_SECONDS} s later", mebibytes(service.resident_bytes()))
        if not service.has("queued"):
            raise RuntimeError("nothing is queued")
    return table


def silent_origin():
    """A socket that listens and is never read from: the kernel takes the connections."""
    return socket.create_server(("127.0.0.1", 0), backlog=64)


def mebibytes(count):
    return f"{count / (1 << 20):.1f}"
