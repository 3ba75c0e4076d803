"""The service with a million downloads or more in its store: how soon it is ready, claims, answers, and its memory."""

import contextlib
import itertools
import os
import socket
import sqlite3
import statistics
import sys
import time

from .goals import Goal
from .measuring import Table, flush_time
from .processes import Service, wait_for

FEW = 1000
#: A run with more rows has a section of its own in docs/BENCHMARKS.md, and other limits.
USUAL = 1_000_000
SLOTS = 8
SETTINGS = {"max_concurrent": SLOTS, "max_per_host": 1}
#: Samples of each start of the service; the first few are not counted.
SAMPLES, WARM_UP = 20, 5
#: How many sessions and hosts share the rows of the last column.
MANY = 1000
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32, in which ids are written."""
FIGURES = {
    "ready": ("ready after (ms)", 0),
    "claim": ("a claim (ms)", 2),
    "slot": ("a slot that became free is taken (ms)", 2),
    "page": ("the first page of 50 (ms)", 2),
    "memory": ("resident memory (MiB)", 1),
}


def measure(workspace, options):
    with socket.create_server(("0.0.0.0", 0), backlog=4096) as origin:
        stores = [Store(workspace, origin.getsockname()[1], *shape) for shape in shapes(options.rows)]
        # In turn, so that a change of the machine's mood meets all of them.
        for _ in range(options.rounds):
            for store in stores:
                store.look()
    few, many, spread = stores
    table = Table(
        ["queued downloads", *(store.name for store in stores)],
        notes=[
            "In the first two columns all downloads are of one session and one host, whose one slot (`max_per_host` 1)"
            f" is used by an origin that never answers. In the last column they are of {MANY:,} sessions and as many"
            f" hosts, and all {SLOTS} slots (`max_concurrent`) are used. The service is started {options.rounds} times"
            " on each store, in turn. A claim is the time from the answer to a `POST` of a download of another host"
            " until a `GET` shows that it runs. It includes the wake-up of the scheduler, the commit of the claim, and"
            f" on average half of one `GET` too many. It is the median of {options.rounds * SAMPLES}, without the first"
            f" {WARM_UP} of each start. A slot is freed by pausing its download. A flush of 4 KiB takes"
            f" {flush_time(workspace.fresh('probe')) * 1e3:.2f} ms here, such a `GET` {few.figure('look'):.2f} ms.",
        ],
    )
    for name, (words, digits) in FIGURES.items():
        table.add(words, *(store.cell(name, digits) for store in stores))
    table.goals = list(goals(few, many, spread))
    if options.rows > USUAL:
        table.section = "rows-more"
    return table


def shapes(count):
    """Names, counts, and how many sessions and hosts share them."""
    return [(f"{FEW:,}", FEW, 1), (f"{count:,}", count, 1), (f"{count:,}, of {MANY:,} sessions", count, MANY)]


def goals(few, many, spread):
    why = (
        "a claim waits for a flush of the log, and the script sees it by polling. If the disk and the script are slow"
        " (see below), it is late with any number of rows."
    )
    for store in (few, many):
        yield Goal(f"{store.name}: a claim", store.figure("claim"), "<", store.most_claim, "ms", why)
    for store in (many, spread):
        yield Goal(f"{store.name}: ready after", store.figure("ready") / 1e3, "<", store.most_ready, "s")
        yield Goal(f"{store.name}: the first page", store.figure("page"), "<", 5, "ms")
        same = f"{store.name}: resident memory, beside that with {few.name} (5 % count as the same)"
        yield Goal(same, store.figure("memory") / few.figure("memory"), "≤", 1.05, "×")


class Store:
    """A data folder with so many rows, and what was measured with it."""

    def __init__(self, workspace, port, name, count, groups):
        self.workspace, self.port, self.name = workspace, port, name
        self.is_spread = groups > 1
        #: Seconds until the service is ready, and milliseconds of a claim.
        self.most_ready, self.most_claim = (2, 1) if count <= USUAL else (3, 2)
        self.data = workspace.fresh(f"rows-{count}-{groups}")
        self.taken = itertools.count()
        self.times = {name: [] for name in (*FIGURES, "look")}
        with self.running() as service:
            body = {"url": f"http://127.0.0.1:{port}/", "session": "bench"}
            service.ask("POST", "/downloads", body)
            wait_for(lambda: service.has("running"), "the first download")
            service.ask("POST", "/downloads", body)
        begin = time.monotonic()
        multiply(self.data / "cormorant.db", count, groups)
        print(f"   {name}: written in {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)

    @contextlib.contextmanager
    def running(self):
        service = Service(self.workspace.program, self.data, SETTINGS)
        try:
            wait_for(service.is_ready, "the service", seconds=120, pause=0.002)
            yield service
        finally:
            service.close()

    def look(self):
        """Starts the service once, and measures everything."""
        begin = time.monotonic()
        with self.running() as service:
            self.times["ready"].append((time.monotonic() - begin) * 1e3)
            slots = SLOTS if self.is_spread else 1
            wait_for(lambda: len(active(service)) == slots, "the first downloads")
            self.sample("page", lambda: service.ask("GET", "/downloads?limit=50"))
            one = next(iter(active(service)))
            self.sample("look", lambda: service.ask("GET", f"/downloads/{one}"))
            self.times["memory"].append(service.resident_bytes() / (1 << 20))
            if not self.is_spread:
                self.repeat("claim", lambda: self.claim(service))
            self.repeat("slot", lambda: self.free(service, slots))

    def sample(self, name, ask):
        def timed():
            begin = time.perf_counter()
            ask()
            return time.perf_counter() - begin

        self.repeat(name, timed)

    def repeat(self, name, run):
        seconds = [run() for _ in range(WARM_UP + SAMPLES)][WARM_UP:]
        self.times[name] += [value * 1e3 for value in seconds]

    def claim(self, service):
        """A download of a host of its own, from the answer to its POST until it runs."""
        number = next(self.taken)
        body = {"url": f"http://127.9.{number // 250}.{number % 250 + 1}:{self.port}/"}
        path = "/downloads/" + service.ask("POST", "/downloads", body)[1]["id"]
        begin = time.perf_counter()
        while service.ask("GET", path)[1]["state"] != "running":
            pass
        seconds = time.perf_counter() - begin
        service.ask("DELETE", f"{path}?force=true")
        time.sleep(0.05)
        return seconds

    @staticmethod
    def free(service, slots):
        """One of those that run is paused: until another runs in its place."""
        before = active(service)
        service.ask("PATCH", f"/downloads/{min(before)}", {"action": "pause"})
        begin = time.perf_counter()
        while len(active(service) - {min(before)}) < slots:
            pass
        seconds = time.perf_counter() - begin
        time.sleep(0.05)
        return seconds

    def figure(self, name):
        return statistics.median(self.times[name])

    def cell(self, name, digits):
        return f"{self.figure(name):.{digits}f}" if self.times[name] else "-"


def active(service):
    items = service.ask("GET", f"/downloads?state=running&limit={SLOTS + 1}")[1]["items"]
    return {item["id"] for item in items}


def multiply(path, count, groups):
    """Writes the queued row `count` times, beside the service, which is not running.

    With several `groups` each has a session and a host, and a share of the rows.
    """
    with contextlib.closing(sqlite3.connect(path)) as database:
        # Nothing of it outlives the measurement, and the log would be as long as the rows. The indexes are to be
        # filled in memory.
        for pragma in ("journal_mode = DELETE", "journal_mode = OFF", "synchronous = OFF", "cache_size = -262144"):
            database.execute(f"PRAGMA {pragma}")
        with database:
            insert(database, count, groups)
            database.execute(
                "UPDATE session SET open_count = (SELECT count(*) FROM download WHERE download.session = session.name)"
            )
            # All rows are queued, and none has a byte yet.
            database.execute("UPDATE session SET queued_count = open_count")
            database.execute("UPDATE download_totals SET queued_count = (SELECT count(*) FROM download)")
        database.execute("PRAGMA journal_mode = WAL")
    # What the kernel has still to write is not charged to what is measured next.
    os.sync()


def insert(database, count, groups):
    """The rows in one statement, which takes a quarter of the time that one for each row takes."""
    columns = [row[1] for row in database.execute("PRAGMA table_info(download)") if row[1] not in ("row", "id")]
    query = "SELECT id, row FROM download WHERE state = 'queued' ORDER BY row DESC LIMIT 1"
    template, row = database.execute(query).fetchone()
    # In the order of the indexes.
    group = f"(number * {groups} / {count})"
    spread = {}
    if groups > 1:
        host = f"printf('127.1.%d.%d', {group} / 250, {group} % 250 + 1)"
        spread = {name: f"replace({name}, '127.0.0.1', {host})" for name in ("url", "host", "authority")}
        spread["session"] = session(group)
        copy_sessions(database, groups)
    values = ", ".join(spread.get(name, name) for name in columns)
    database.execute(
        f"INSERT INTO download (id, {', '.join(columns)}) {numbers(1, count)}"
        f" SELECT {identifier(template)}, {values} FROM number CROSS JOIN download WHERE row = {row}"
    )


def copy_sessions(database, count):
    columns = [row[1] for row in database.execute("PRAGMA table_info(session)") if row[1] != "name"]
    names = ", ".join(columns)
    database.execute(
        f"INSERT INTO session (name, {names}) {numbers(0, count)}"
        f" SELECT {session('number')}, {names} FROM number CROSS JOIN session WHERE name = 'bench'"
    )


# SQL


def numbers(first, end):
    """A table `number` with the numbers from `first` to before `end`."""
    following = f"SELECT number + 1 FROM number WHERE number < {end - 1}"
    return f"WITH RECURSIVE number (number) AS (SELECT {first} UNION ALL {following})"


def session(group):
    return f"printf('bench-%04d', {group})"


def identifier(template):
    """The id of a number: its base 32 in place of the last eight digits."""
    digits = (f"substr('{ALPHABET}', 1 + (number >> {shift} & 31), 1)" for shift in range(35, -1, -5))
    return " || ".join([f"'{template[:-8]}'", *digits])
