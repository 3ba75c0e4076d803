"""What one server gave: a file over several connections, through kill -9 and a change of it, and many small files."""

import collections
import hashlib
import os
import pathlib
import signal
import time

from .poster import post_all
from .processes import wait_for

SIZE = 64 << 20
#: Where the kill comes: not where the progress is recorded, which is every 16 MiB if not sooner.
KILLED_AT = 40 << 20
SMALL_FILES, SMALL_SIZE = 500, 10 << 10
#: The most that a page has.
PAGE = 200
ESTABLISHED = "01"

COLUMNS = [
    "server",
    "slowed by",
    "validator",
    "connections",
    "ranges, with 206",
    "resumed after kill -9",
    "fetched twice",
    "SHA-256",
    "replaced while paused",
    "an empty file",
]
SECURE_COLUMNS = [
    "server, over TLS",
    "large file",
    "connections",
    "ranges, with 206",
    "resumed after kill -9",
    "fetched twice",
    "SHA-256",
    "small files over HTTP/2",
    "connections, small files",
    "bytes of the small files",
]


def visit(workspace, server):
    """What one server gave, a cell for each of `COLUMNS` but the first."""
    content = workspace.fresh("content")
    first, second = os.urandom(SIZE), os.urandom(SIZE)
    fill(content, {"whole.bin": first, "changing.bin": first, "empty.bin": b""})
    with server.serving(workspace, content) as origin:
        run = Run(workspace, origin)
        cells = [server.slowed_by, *run.through_kill(first)]
        cells += [run.changed(content, second), judged(run.fetch("empty.bin") == b"")]
        # What it says of its protocol is for those over TLS.
        return cells[:1] + cells[2:]


def visit_over_tls(workspace, server):
    """The same for `SECURE_COLUMNS`."""
    content = workspace.fresh("content")
    first = os.urandom(SIZE)
    small = {f"{number}.bin": os.urandom(SMALL_SIZE) for number in range(SMALL_FILES)}
    fill(content, {"whole.bin": first, **small})
    with server.serving(workspace, content, is_secure=True) as origin:
        run = Run(workspace, origin)
        version, _, *cells = run.through_kill(first)
        return [version, *cells, *run.many(small)]


def fill(content, files):
    for name, text in files.items():
        (content / name).write_bytes(text)
        # A file that has just been written has no strong date (RFC 9110, section 8.8.2.2).
        os.utime(content / name, (time.time() - 86_400,) * 2)


class Run:
    """A service on one data folder after the other, beside one origin."""

    def __init__(self, workspace, origin):
        self.workspace, self.origin = workspace, origin

    def service(self, name, **options):
        return self.workspace.service(name, digest="sha-256", **options, **self.origin.settings)

    def through_kill(self, content):
        """The service is killed in the middle and started again: what it speaks, the validator, and the rest."""
        watch = Watch(self.origin.port)
        with self.service("killed") as service:
            path = self.add(service, "whole.bin")
            self.wait_for_bytes(service, path, KILLED_AT, watch)
            before = service.ask("GET", path)[1]["progress"]["received_bytes"]
            service.process.send_signal(signal.SIGKILL)
            service.process.wait()
        with self.service("killed", goes_on=True) as service:
            download = self.completed(service, path, watch)
            found = self.bytes(service, path)
            attempts = service.ask("GET", f"{path}/attempts?limit={PAGE}")[1]["items"]
        source, resumed = download["source"], download["progress"]["resumed_from_bytes"]
        digest = hashlib.sha256(content).hexdigest()
        return [
            f"HTTP/{source['http_version']}",
            f"`{source['etag'] or source['last_modified'] or 'none'}`",
            str(watch.most),
            ranges(attempts),
            f"at {mebibytes(resumed)}" if resumed else "no",
            mebibytes(before - resumed) if resumed else "all of it",
            judged(download["file"]["digests"] == {"sha-256": digest} and found == content),
        ]

    def changed(self, content, second):
        """The file is replaced while its download is paused in the middle."""
        with self.service("changed") as service:
            path = self.add(service, "changing.bin")
            self.wait_for_bytes(service, path, SIZE // 3)
            service.ask("PATCH", path, {"action": "pause"})
            fill(content, {"fresh": second})
            os.utime(content / "fresh", (time.time() - 3600,) * 2)
            os.replace(content / "fresh", content / "changing.bin")
            service.ask("PATCH", path, {"action": "resume"})
            self.completed(service, path)
            return "right, the new one" if self.bytes(service, path) == second else "WRONG"

    def fetch(self, name):
        with self.service("plain") as service:
            path = self.add(service, name)
            self.completed(service, path)
            return self.bytes(service, path)

    def many(self, files):
        """How many of the files came over HTTP/2, over how many connections all came, and whether they are right."""
        watch = Watch(self.origin.port)
        with self.service("many") as service:
            post_all(service.port, [{"url": f"{self.origin.url}/{name}", "filename": name} for name in files])
            wait_for(lambda: watch.look(not service.has("queued", "running", "waiting")), "the small files", 120)
            versions, page = collections.Counter(), f"/downloads?limit={PAGE}"
            while page:
                answer = service.ask("GET", page)[1]
                versions.update(item["source"]["http_version"] for item in answer["items"])
                page = answer["links"]["next"]
            folder = service.data / "downloads"
            right = all((folder / name).read_bytes() == text for name, text in files.items())
        return [f"{versions['2']} of {len(files)}", str(watch.most), judged(right)]

    def add(self, service, name):
        return "/downloads/" + service.ask("POST", "/downloads", {"url": f"{self.origin.url}/{name}"})[1]["id"]

    @staticmethod
    def wait_for_bytes(service, path, count, watch=None):
        def has_them():
            return service.ask("GET", path)[1]["progress"]["received_bytes"] >= count

        wait_for(lambda: watch.look(has_them()) if watch else has_them(), "the middle of the file", 60)

    @staticmethod
    def completed(service, path, watch=None):
        def is_there():
            state = service.ask("GET", path)[1]["state"]
            if state in ("failed", "cancelled"):
                raise RuntimeError(f"the download has ended: {service.ask('GET', path)[1]['error']}")
            return state == "completed"

        wait_for(lambda: watch.look(is_there()) if watch else is_there(), "the file", 120)
        return service.ask("GET", path)[1]

    @staticmethod
    def bytes(service, path):
        return (service.data / "downloads" / service.ask("GET", path)[1]["file"]["path"]).read_bytes()


class Watch:
    """The most connections to a port that the kernel has seen at once."""

    def __init__(self, port):
        self.port, self.most = port, 0

    def look(self, answer):
        """Counts them, and hands the answer on."""
        lines = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
        fields = (line.split() for line in lines)
        count = sum(1 for _, _, remote, state, *_ in fields if state == ESTABLISHED and self.is_of(remote))
        self.most = max(self.most, count)
        return answer

    def is_of(self, remote):
        return int(remote.rpartition(":")[2], 16) == self.port


def ranges(attempts):
    """How many ranges were answered, and how many of them with 206; FTP and SFTP have other words."""
    asked = [attempt for attempt in attempts if attempt["range"] and attempt["http_status"] is not None]
    if not any(attempt["http_version"] for attempt in attempts):
        return "-"
    return f"{sum(1 for attempt in asked if attempt['http_status'] == 206)} of {len(asked)}"


def judged(is_right):
    return "right" if is_right else "WRONG"


def mebibytes(count):
    return f"{count / (1 << 20):.1f} MiB"
