"""A thousand clients that listen to a hundred running downloads: what they cost, and how late they hear of an event."""

import resource
import selectors
import socket
import statistics
import sys
import threading
import time

from .goals import Goal
from .measuring import Table
from .memory import mebibytes
from .poster import post_all
from .processes import wait_for
from .running import START_SECONDS, Usage, dripping, running

DOWNLOADS, RATE, SIZE = 100, 20_000, 8 << 20
SECONDS = 10
#: Events a second, beside the progress.
PACE = 2
SETTLE_SECONDS = 3
#: Behind it an event carries which POST it is of.
MARK = b'"number":'


def measure(workspace, options):
    count = options.streams
    allow_descriptors(count + 200)
    table = Table(
        [f"{DOWNLOADS} running downloads", "all begun after s", "resident MiB", f"CPU s in {SECONDS} s",
         "lag median ms", "lag greatest ms", "progress greatest gap ms"],
        notes=[
            f"Each stream is `GET /events` on its own connection. It reports {DOWNLOADS} downloads at"
            f" {RATE // 1000} kB/s each: five readings at a time, four times a second. All streams are opened at once,"
            " and have begun when each has its snapshot of the downloads; the rest is measured after that. Meanwhile a"
            f" paused download is posted {PACE} times a second. The lag runs from the answer to its POST until a stream"
            " has its event, over all streams and events; it includes the lag of the one process that reads them all."
            " The gap is the longest time without progress on any stream.",
        ],
        is_median=False,
    )
    with dripping(SIZE, RATE) as origin, workspace.service(
        max_concurrent=DOWNLOADS, max_per_host=DOWNLOADS, connections_per_host=DOWNLOADS, connections_per_download=1,
        max_streams=count,
    ) as service:
        post_all(service.port, [{"url": f"{origin}/{number}"} for number in range(DOWNLOADS)])
        wait_for(lambda: running(service)[0] >= DOWNLOADS, "the last download", START_SECONDS, 1)
        time.sleep(SETTLE_SECONDS)
        used = Usage(service.process.pid)
        time.sleep(SECONDS)
        before = service.resident_bytes()
        table.add("no stream", "-", mebibytes(before), f"{used.seconds():.2f}", "-", "-", "-")
        began = time.monotonic()
        readers = Readers(service.port, count)
        try:
            while readers.begun < count:
                readers.read(0.1)
            opening = time.monotonic() - began
            readers.read(SETTLE_SECONDS)
            used = Usage(service.process.pid)
            readers.heard, readers.gap = [], 0
            answered = readers.read_and_post(service, origin)
            cpu, memory = used.seconds(), service.resident_bytes()
        finally:
            readers.close()
        if len(readers.heard) != len(answered) * count:
            raise RuntimeError(f"{len(answered)} events came {len(readers.heard)} times over {count} streams")
        lags = [max(0, at - answered[number]) * 1000 for number, at in readers.heard]
        table.add(
            f"{count:,} streams", f"{opening:.1f}", mebibytes(memory), f"{cpu:.2f}", f"{statistics.median(lags):.1f}",
            f"{max(lags):.0f}", f"{readers.gap * 1000:.0f}",
        )
        table.goals = [
            Goal("all streams begun, from the first connection on", opening, "<", 1, "s"),
            Goal("memory for the streams", (memory - before) / 1e6, "<", 100, "MB"),
            Goal("the greatest lag of an event, over all streams", max(lags) / 1000, "<", 1, "s"),
            Goal("the longest time without progress, over all streams", readers.gap, "<", 1, "s"),
        ]
        print(f"   {readers.bytes / SECONDS / 1e6:.1f} MB/s to {count} streams", file=sys.stderr)
    return table


def allow_descriptors(count):
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(count, 4096), hard), hard))


class Reader:
    """One stream: takes its chunks apart (RFC 9112, section 7.1), and its blocks."""

    def __init__(self, peer):
        self.peer = peer
        self.raw, self.text = b"", b""
        self.has_head = False
        self.told_at = None

    def take(self, data):
        """The blocks that are whole by now."""
        self.raw += data
        if not self.has_head:
            head, _, rest = self.raw.partition(b"\r\n\r\n")
            if not rest and not self.raw.endswith(b"\r\n\r\n"):
                return []
            if not head.startswith(b"HTTP/1.1 200 "):
                raise RuntimeError(f"a stream was refused: {head[:500]}")
            self.has_head, self.raw = True, rest
        pieces, start = [self.text], 0
        while (end := self.raw.find(b"\r\n", start)) >= 0:
            length = int(self.raw[start:end], 16)
            if len(self.raw) < end + 2 + length + 2:
                break
            pieces.append(self.raw[end + 2 : end + 2 + length])
            start = end + 2 + length + 2
        self.raw = self.raw[start:]
        *blocks, self.text = b"".join(pieces).split(b"\n\n")
        return blocks


class Readers:
    """All streams, read by one thread."""

    def __init__(self, port, count):
        self.selector = selectors.DefaultSelector()
        self.heard, self.gap, self.bytes, self.begun = [], 0, 0, 0
        request = f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: text/event-stream\r\n\r\n".encode()
        for _ in range(count):
            peer = socket.create_connection(("127.0.0.1", port))
            peer.sendall(request)
            self.selector.register(peer, selectors.EVENT_READ, Reader(peer))

    def read(self, seconds):
        end = time.monotonic() + seconds
        while (rest := end - time.monotonic()) > 0:
            for key, _ in self.selector.select(rest):
                self.take(key.data)

    def take(self, reader):
        data = reader.peer.recv(1 << 18)
        if not data:
            raise RuntimeError("the service ended a stream")
        now = time.monotonic()
        self.bytes += len(data)
        for block in reader.take(data):
            if block.startswith(b"event: progress"):
                if reader.told_at:
                    self.gap = max(self.gap, now - reader.told_at)
                reader.told_at = now
            elif block.startswith(b"id: ") and b"event: snapshot" in block[:64]:
                self.begun += 1
            elif block.startswith(b"id: ") and (mark := block.find(MARK)) >= 0:
                number = block[mark + len(MARK) :].split(b"}", 1)[0]
                self.heard.append((int(number), now))

    def read_and_post(self, service, origin):
        """Reads for some seconds while downloads are posted, and a moment longer. Returns when each was answered."""
        self.bytes, answered, slowest = 0, [], 0
        end = time.monotonic() + SECONDS

        def post():
            nonlocal slowest
            while time.monotonic() < end:
                began = time.monotonic()
                body = {"url": origin, "start": False, "metadata": {"number": len(answered)}}
                service.ask("POST", "/downloads", body)
                answered.append(time.monotonic())
                slowest = max(slowest, answered[-1] - began)
                time.sleep(max(0, began + 1 / PACE - time.monotonic()))

        poster = threading.Thread(target=post)
        poster.start()
        self.read(SECONDS)
        poster.join()
        self.read(1)
        print(f"   {len(answered)} POSTs, the slowest took {slowest * 1000:.0f} ms", file=sys.stderr)
        return answered

    def close(self):
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()
        self.selector.close()
