"""The service with a million downloads in its store: how soon it is ready, claims and answers, and its memory."""

import contextlib
import sqlite3
import statistics
import time

from .measuring import Table
from .memory import mebibytes, silent_origin
from .processes import Service, wait_for

FEW = 1000
SETTINGS = {"max_concurrent": 8, "max_per_host": 1}
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32, in which ids are written."""


def measure(workspace, options):
    counts = [FEW, options.rows]
    table = Table(
        ["with so many queued downloads", *(f"{count:,}" for count in counts)],
        notes=[
            "All are of one session and of one host, whose one slot (`max_per_host` 1) is taken. A claim is the time"
            " from the answer to a `POST` of a download of another host until it is seen to run; the median of"
            f" {options.rounds * 4}.",
        ],
    )
    columns = [figures(workspace, options, count) for count in counts]
    for name in columns[0]:
        table.add(name, *(column[name] for column in columns))
    return table


def figures(workspace, options, count):
    data = workspace.fresh(f"rows-{count}")
    with contextlib.ExitStack() as stack:
        full, other = (stack.enter_context(silent_origin()) for _ in range(2))
        with running(workspace, data) as service:
            body = {"url": url(full), "session": "bench"}
            service.ask("POST", "/downloads", body)
            wait_for(lambda: service.has("running"), "the first download")
            service.ask("POST", "/downloads", body)
        multiply(data / "cormorant.db", count)
        begin = time.monotonic()
        with running(workspace, data) as service:
            started = time.monotonic() - begin
            wait_for(lambda: service.has("running"), "the first download")
            found = {
                "ready after (ms)": f"{started * 1e3:.0f}",
                "a claim (ms)": f"{claim_time(service, other, options.rounds * 4) * 1e3:.2f}",
                "the first page of 50 (ms)": f"{page_time(service, options.rounds * 4) * 1e3:.2f}",
                "resident memory (MiB)": mebibytes(service.resident_bytes()),
            }
    return found


@contextlib.contextmanager
def running(workspace, data):
    service = Service(workspace.program, data, SETTINGS)
    try:
        wait_for(service.is_ready, "the service", seconds=120, pause=0.002)
        yield service
    finally:
        service.close()


def claim_time(service, origin, rounds):
    times = []
    for number in range(rounds):
        made = service.ask("POST", "/downloads", {"url": f"{url(origin)}/{number}"})[1]["id"]
        begin = time.perf_counter()
        while service.ask("GET", f"/downloads/{made}")[1]["state"] != "running":
            pass
        times.append(time.perf_counter() - begin)
        service.ask("DELETE", f"/downloads/{made}?force=true")
        time.sleep(0.05)
    return statistics.median(times)


def page_time(service, rounds):
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        service.ask("GET", "/downloads?limit=50")
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def multiply(path, count):
    """Writes the queued row `count` times, beside the service, which is not running."""
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        columns = [row[1] for row in database.execute("PRAGMA table_info(download)") if row[1] not in ("row", "id")]
        names = ", ".join(columns)
        query = "SELECT id, row FROM download WHERE state = 'queued' ORDER BY row DESC LIMIT 1"
        template, row = database.execute(query).fetchone()
        database.executemany(
            f"INSERT INTO download (id, {names}) SELECT ?, {names} FROM download WHERE row = {row}",
            ((identifier(template, number),) for number in range(1, count)),
        )
        database.execute("UPDATE session SET open_count = (SELECT count(*) FROM download)")


def identifier(template, number):
    digits = ""
    for _ in range(8):
        number, digit = divmod(number, 32)
        digits = ALPHABET[digit] + digits
    return template[:-8] + digits


def url(origin):
    return f"http://127.0.0.1:{origin.getsockname()[1]}"
