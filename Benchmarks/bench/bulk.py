"""An action on very many downloads: how long it takes, and how long others' requests wait meanwhile."""

import socket
import statistics
import threading
import time

from .goals import Goal
from .measuring import Table
from .poster import post_batches, request, take_answer
from .processes import wait_for

#: Clients that post one download after the other.
CLIENTS = 4
ALONE_SECONDS = 5
MOST_MILLISECONDS = 50


def measure(workspace, options):
    table = Table(
        [f"`POST /downloads` of {CLIENTS} others", "requests/s", "median ms", "99 % ms", "most ms", "action s"],
        notes=[
            f"{options.queued:,} queued downloads are paused, resumed and deleted by `POST /downloads/actions`, one"
            f" action after the other, while {CLIENTS} clients post a paused download each, again and again. All"
            " downloads are paused by `PATCH /limits`, so nothing is transferred. The action's time runs until"
            " `GET /operations/{id}` shows its end."
        ],
        is_median=False,
    )
    with workspace.service() as service:
        service.ask("PATCH", "/limits", {"paused": True})
        bodies = [{"url": f"http://127.0.0.1:9/{number}", "session": "many"} for number in range(options.queued)]
        post_batches(service.port, bodies, 1000)
        with Others(service.port) as others:
            time.sleep(ALONE_SECONDS)
        add(table, "alone", others, "-")
        for action in ("pause", "resume", "delete"):
            with Others(service.port) as others:
                seconds = act(service, action, options.queued)
            add(table, f"beside `{action}` of {options.queued:,}", others, f"{seconds:.1f}")
            words = f"beside `{action}`: 99 % of the others' requests"
            table.goals.append(Goal(words, others.percentile(99), "<", MOST_MILLISECONDS, "ms"))
    return table


def act(service, action, count):
    body = {"action": action, "filter": {"session": "many"}}
    if action == "delete":
        body["force"] = True
    begin = time.monotonic()
    path = "/operations/" + service.ask("POST", "/downloads/actions", body, expect=(202,))[1]["id"]
    wait_for(lambda: service.ask("GET", path)[1]["state"] == "finished", "the end of the action", 600, 0.05)
    seconds = time.monotonic() - begin
    changed = service.ask("GET", path)[1]["changed"]
    if changed != count:
        raise RuntimeError(f"{action} changed {changed} downloads")
    return seconds


def add(table, name, others, seconds):
    middle, late = others.percentile(50), others.percentile(99)
    table.add(name, f"{others.rate:.0f}", f"{middle:.2f}", f"{late:.2f}", f"{max(others.times) * 1e3:.2f}", seconds)


class Others:
    """Clients that post until the end of the `with` block."""

    def __init__(self, port):
        self.data = request(port, "/downloads", {"url": "http://127.0.0.1:9/other", "start": False})
        self.port, self.times, self.is_over = port, [], False
        self.threads = [threading.Thread(target=self.post) for _ in range(CLIENTS)]

    def __enter__(self):
        self.began = time.monotonic()
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        for thread in self.threads:
            thread.join()
        self.rate = len(self.times) / (time.monotonic() - self.began)

    def post(self):
        buffer = bytearray()
        with socket.create_connection(("127.0.0.1", self.port)) as peer:
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while not self.is_over:
                begin = time.perf_counter()
                peer.sendall(self.data)
                while not take_answer(peer, buffer):
                    pass
                self.times.append(time.perf_counter() - begin)

    def percentile(self, part):
        """Milliseconds."""
        return statistics.quantiles(self.times, n=100)[part - 1] * 1e3
