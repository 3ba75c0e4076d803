"""Lists with a million downloads in the store: pages by each filter and order, sessions and totals."""

import contextlib
import datetime
import http.client
import json
import multiprocessing
import random
import sqlite3
import statistics
import time

from .goals import Goal
from .measuring import Table
from .processes import Service, wait_for

ORDERS = ["created_at", "finished_at", "priority", "size", "name"]
COUNT = "`count=true`"
#: Pages of each filter in each order and direction; the first few are not counted.
SAMPLES, WARM_UP = 100, 3
#: The same beside clients that ask for the slowest ones; the percentile is that of all of them together.
SAMPLES_BESIDE = 20
#: Of the session `bench`; the others have no session.
SHARE_OF_SESSION = 0.9
HOSTS = 20
SHARES = {"cancelled": 0.59, "paused": 0.3, "failed": 0.1, "queued": 0.01}
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32, in which ids are written."""
DAYS = 10


def measure(workspace, options):
    data = workspace.fresh("lists")
    with running(workspace, data) as service:
        templates = make_templates(service)
    began = int(time.time() * 1000) - DAYS * 86_400_000
    fill(data / "cormorant.db", templates, options.rows, began)
    with running(workspace, data) as service:
        return table(service, options.rows, began)


def table(service, count, began):
    filters = filters_of(service, began)
    result = Table(
        ["99 % of pages of 50 within (ms)", *ORDERS, COUNT],
        notes=[
            f"{count:,} downloads, {SHARE_OF_SESSION:.0%} of them of one session, {HOSTS} hosts; {shares()}. The pages"
            f" of a list are read one after the other, {SAMPLES} in each direction, without the first {WARM_UP}. A page"
            " can be shorter than 50 (docs/decisions/0041). The last column is a page of one with the number of"
            " matches."
        ],
    )
    times = {}
    for name, query in filters.items():
        times.update({(name, column): list(ask(service, query, column)) for column in (*ORDERS, COUNT)})
        result.add(name, *(f"{percentile(times[name, column]):.1f}" for column in (*ORDERS, COUNT)))
    slowest = max((pair for pair in times if pair[1] != COUNT), key=lambda pair: percentile(times[pair]))
    result.goals = [
        Goal(f"the slowest of these pages ({words(slowest)})", percentile(times[slowest]), "<", 20, "ms"),
        *(
            Goal(f"`GET {path}`, 99 % of them", percentile(repeat(service, path)), "<", most, "ms")
            for path, most in {"/stats": 2, "/sessions": 5, "/sessions/bench": 5}.items()
        ),
        Goal("a page of 50 with `view=summary`", size(service, "view=summary") / 1e3, "<", 20, "KB"),
    ]
    result.notes.append(sizes(service))
    measure_beside(result, service, filters, times)
    return result


def measure_beside(result, service, filters, times):
    """All pages again, while two clients ask for the two slowest ones all the time."""
    slowest = sorted(times, key=lambda pair: statistics.fmean(times[pair]))[-2:]
    rest = [pair for pair in times if pair not in slowest]
    with asking(service, [(filters[name], column) for name, column in slowest]) as answered:
        beside = {(name, column): list(ask(service, filters[name], column, SAMPLES_BESIDE)) for name, column in rest}
        answers = answered.value
    late = percentile(second for pair in rest for second in beside[pair])
    told = "99 % of the others, beside two clients that ask for the two slowest all the time"
    why = "the two clients keep both cores busy, and the others share them."
    result.goals.append(Goal(told, late, "<", 20, "ms", why))
    alone = percentile(second for pair in rest for second in times[pair])
    by_filter = {each: [second for pair in rest if pair[0] == each for second in beside[pair]] for each in filters}
    last = max(by_filter, key=lambda each: percentile(by_filter[each]))
    result.notes.append(
        f"The two slowest on average are {'; and '.join(map(words, slowest))}. Two processes ask for one of them each,"
        f" page after page, and got {answers:,} answers while the others were read, {SAMPLES_BESIDE} in each direction."
        f" 99 % of the others took {late:.1f} ms beside them, and {alone:.1f} ms alone. The slowest filter beside them"
        f" is {last}: 99 % within {percentile(by_filter[last]):.1f} ms."
    )


def words(pair):
    name, column = pair
    return f"{name}, with {column}" if column == COUNT else f"{name}, by {column}"


def sizes(service):
    some = "fields=name,state,progress"
    queries = {"all members": "", "`view=summary`": "view=summary", f"`{some}`": some}
    parts = (
        f"with {name} {size(service, query) / 1e3:.1f} KB, compressed {size(service, query, 'gzip') / 1e3:.1f} KB"
        for name, query in queries.items()
    )
    return f"A page of 50 has {'; '.join(parts)}."


def shares():
    return ", ".join(f"{share:.0%} {state}" for state, share in SHARES.items())


def filters_of(service, began):
    middle = datetime.datetime.fromtimestamp(began / 1000 + DAYS * 43_200, datetime.timezone.utc)
    instant = middle.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    ids = [item["id"] for item in service.ask("GET", "/downloads?limit=100&fields=id")[1]["items"]]
    return {
        "no filter": "",
        "`state`, 30 %": "state=paused",
        "`state`, 1 %": "state=queued",
        "two states": "state=failed,paused",
        "`session`, 90 %": "session=bench",
        "`session` and `state`": "session=bench&state=failed",
        "`label`, 99 %": "label=env:prod",
        "`label`, 1 %": "label=env:test",
        "`host`, 5 %": "host=cdn3.example.com",
        "`error_code`, 5 %": "error_code=timeout",
        "`created_after`, half": f"created_after={instant}",
        "`finished_after`, a third": f"finished_after={instant}",
        "`q`, all": "q=item",
        "`q`, 10": "q=item-12345",
        "`q`, none": "q=absent",
        "100 ids": f"id={','.join(ids)}",
        "five filters": "state=failed&session=bench&label=env:prod&host=cdn3.example.com&q=item",
    }


# Requests


def ask(service, query, column, samples=SAMPLES):
    """Times of the pages of a filter in an order, or of those with the number of matches."""
    if column == COUNT:
        return repeat(service, f"/downloads?limit=1&count=true&{query}", samples)
    return pages(service, query, column, samples)


def pages(service, query, order, samples):
    """Times of the pages of a list, in both directions."""
    for sort in (order, f"-{order}"):
        first = f"/downloads?limit=50&sort={sort}&{query}"
        path = first
        for number in range(samples + WARM_UP):
            begin = time.perf_counter()
            page = service.ask("GET", path)[1]
            if number >= WARM_UP:
                yield time.perf_counter() - begin
            path = page["links"]["next"] or first


def repeat(service, path, samples=SAMPLES):
    for number in range(2 * samples + WARM_UP):
        begin = time.perf_counter()
        service.ask("GET", path)
        if number >= WARM_UP:
            yield time.perf_counter() - begin


@contextlib.contextmanager
def asking(service, queries):
    """A process for each query that asks for its pages until the end of the `with` block.

    Yields the number of their answers. Threads would share an interpreter with the client that is measured.
    """
    answered = multiprocessing.Value("q", 0)
    processes = [multiprocessing.Process(target=ask_always, args=(service, answered, *each)) for each in queries]
    for process in processes:
        process.start()
    try:
        yield answered
        if not all(process.is_alive() for process in processes):
            raise RuntimeError("a client that asks for the slowest pages has ended")
    finally:
        for process in processes:
            process.kill()
            process.join()


def ask_always(service, answered, query, column):
    # That of the parent is the parent's.
    service.connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
    while True:
        for _ in ask(service, query, column):
            with answered.get_lock():
                answered.value += 1


def percentile(seconds):
    return statistics.quantiles(seconds, n=100)[98] * 1e3


def size(service, query, coding=None):
    """Bytes of the body of a page of 50."""
    fields = {"Accept-Encoding": coding} if coding else {}
    service.connection.request("GET", f"/downloads?limit=50&{query}", None, fields)
    return len(service.connection.getresponse().read())


# The store


@contextlib.contextmanager
def running(workspace, data):
    service = Service(workspace.program, data, {})
    try:
        wait_for(service.is_ready, "the service", seconds=120)
        yield service
    finally:
        service.close()


def make_templates(service):
    """The id of a download in each state. From then on all downloads are paused, so that nothing is transferred."""
    body = {"url": "http://127.0.0.1:9/one", "session": "bench", "labels": {"env": "prod"}}
    failed = service.ask("POST", "/downloads", {**body, "max_attempts": 1})[1]["id"]
    wait_for(lambda: service.has("failed"), "the failure")
    service.ask("PATCH", "/limits", {"paused": True})
    queued = service.ask("POST", "/downloads", body)[1]["id"]
    paused = service.ask("POST", "/downloads", {**body, "start": False})[1]["id"]
    cancelled = service.ask("POST", "/downloads", body)[1]["id"]
    service.ask("PATCH", f"/downloads/{cancelled}", {"action": "cancel"})
    return {"failed": failed, "queued": queued, "paused": paused, "cancelled": cancelled}


def fill(path, templates, count, began):
    """Writes `count` downloads, beside the service, which is not running."""
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        # Nothing of it outlives the measurement; the indexes are to be filled in memory.
        database.execute("PRAGMA synchronous = OFF")
        database.execute("PRAGMA cache_size = -262144")
        trigger = database.execute("SELECT sql FROM sqlite_master WHERE name = 'download_begins'").fetchone()[0]
        # A download begins queued or paused; these begin in any state.
        database.execute("DROP TRIGGER download_begins")
        insert(database, templates, count, began)
        database.execute(trigger)
        database.execute("DELETE FROM download_label")
        database.execute(
            "INSERT INTO download_label (name, value, id, row)"
            " SELECT 'env', json_extract(labels, '$.env'), id, row FROM download ORDER BY 2, 3"
        )
        keep_totals(database)


def insert(database, templates, count, began):
    varied = {
        "url": "'http://' || :host || '/files/' || :name",
        "scheme": "'http'",
        "host": ":host",
        "port": "80",
        "path": "'/files/' || :name",
        "authority": ":host || ':80'",
        "name_key": ":name",
        "session": "CASE WHEN :in_session THEN session END",
        "session_epoch": "CASE WHEN :in_session THEN session_epoch END",
        "priority": ":priority",
        "labels": ":labels",
        "total_bytes": ":size",
        "error_code": "CASE WHEN error_code IS NOT NULL THEN :error_code END",
        "created_at": ":created_at",
        "queued_at": ":created_at",
        "updated_at": ":created_at",
        "finished_at": "CASE WHEN finished_at IS NOT NULL THEN :finished_at END",
    }
    columns = [row[1] for row in database.execute("PRAGMA table_info(download)") if row[1] not in ("row", "id")]
    values = ", ".join(varied.get(name, name) for name in columns)
    database.executemany(
        f"INSERT INTO download (id, {', '.join(columns)}) SELECT :id, {values} FROM download WHERE id = :template",
        rows(templates, count, began),
    )


def rows(templates, count, began):
    choice = random.Random(1)
    states = choice.choices(list(SHARES), list(SHARES.values()), k=count)
    for number, state in enumerate(states):
        created_at = began + number * DAYS * 86_400_000 // count
        yield {
            "id": identifier(created_at, number),
            "template": templates[state],
            "host": f"cdn{choice.randrange(HOSTS)}.example.com",
            "name": f"item-{choice.randrange(count):06}.bin",
            "in_session": choice.random() < SHARE_OF_SESSION,
            "priority": choice.choice([0] * 8 + [-5, 5]),
            "labels": json.dumps({"env": "test" if choice.random() < 0.01 else "prod"}, separators=(",", ":")),
            "size": choice.choice([None, choice.randrange(1 << 32)]),
            "error_code": choice.choice(["timeout", "connect_failed"]),
            "created_at": created_at,
            "finished_at": created_at + choice.randrange(3_600_000),
        }


def keep_totals(database):
    """Writes the totals that the service keeps with each change."""
    states = ["queued", "running", "waiting", "paused", "completed", "failed", "cancelled"]
    counts = {f"{state}_count": f"count(*) FILTER (WHERE state = '{state}')" for state in states}
    counts["total_bytes"] = "coalesce(sum(total_bytes), 0)"
    counted = ", ".join(counts.values())
    database.execute(f"UPDATE download_totals SET ({', '.join(counts)}) = (SELECT {counted} FROM download)")
    names = ", ".join([*counts, "open_count"])
    opened = "count(*) FILTER (WHERE state NOT IN ('completed', 'failed', 'cancelled'))"
    own = "FROM download WHERE download.session = session.name"
    database.execute(f"UPDATE session SET ({names}) = (SELECT {counted}, {opened} {own})")


def identifier(milliseconds, number):
    """An id of this instant: a UUID of version 7 in base 32."""
    value = milliseconds << 80 | 7 << 76 | (number & 0xFFF) << 64 | 2 << 62 | number
    digits = ""
    for _ in range(26):
        value, digit = divmod(value, 32)
        digits = ALPHABET[digit] + digits
    return f"dl_{digits}"
