"""The REST interface under load of wrk, on 32 connections, beside a bare libmicrohttpd handler."""

import os
import re
import statistics
import subprocess
import sys

from . import bare
from .goals import Goal
from .measuring import Table, spread

CONNECTIONS, THREADS = 32, 2
WARM_UP_SECONDS = 2
#: The capacity of `LookupCache` (Sources/Store/Writing/WriterCache.swift): at this size, and by each commit, it is
#: emptied.
CACHED = 1024
#: Each thread of wrk asks for a share of these ids, round robin. Between two requests for one id the thread asks for
#: all others of its share, each of which is stored anew: if they are more than the capacity, the cache was emptied.
IDS = 4000
assert IDS // THREADS - CONNECTIONS > CACHED
BATCH = 500

BARE_GET, BARE_POST = "bare handler, GET", "bare handler, POST"
GET, UNCACHED, POST = "GET /downloads/{id}", "GET /downloads/{id}, not cached", "POST /downloads"
WHY_GET = (
    "the bare handler sends a prepared answer. The service also validates and routes the request, looks up the"
    " download and writes its JSON. wrk and the kernel use the same two cores. More cores would reach the goal."
)
WHY_UNCACHED = (
    "a download that is not cached is read from the database: one row of about a hundred columns. More cores"
    " would reach the goal."
)
WHY_POST = (
    "a POST is a request, a row, and a share of a flush, and the bare handler stores nothing. wrk and the kernel"
    " use the same two cores. More cores would reach the goal."
)
#: What is compared with what, the least ratio, and why it is missed.
GOALS = [(GET, BARE_GET, 0.65, WHY_GET), (UNCACHED, BARE_GET, 0.4, WHY_UNCACHED), (POST, BARE_POST, 0.2, WHY_POST)]

# wrk gives each thread a Lua of its own.
NUMBERED_THREADS = """
local thread = 0
function setup(each)
  each:set("id", thread)
  thread = thread + 1
end
"""

# Each request names a file of its own; nothing is downloaded, so that the interface and the store are measured alone.
POST_SCRIPT = f"""
{NUMBERED_THREADS}
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local run, count = os.time(), 0
function request()
  count = count + 1
  local body = string.format('{{"url":"http://127.0.0.1:9/%d/%d/%d","start":false}}', run, id, count)
  return wrk.format(nil, nil, nil, body)
end
"""

# The requests are made before the run, as wrk makes the one of a run without a script.
GET_SCRIPT = f"""
{NUMBERED_THREADS}
local requests, count = {{}}, 0
function init(arguments)
  local line = 0
  for path in io.lines(arguments[1]) do
    if line % {THREADS} == id then requests[#requests + 1] = wrk.format(nil, path) end
    line = line + 1
  end
end
function request()
  count = count % #requests + 1
  return requests[count]
end
"""


def measure(workspace, options):
    table = Table(
        [f"wrk, {CONNECTIONS} connections", "median requests/s", "least", "most", "median ms", "99 % ms"],
        notes=[
            f"Each run takes {options.seconds} s, in turn with the others, after {WARM_UP_SECONDS} s that are not"
            " counted. POST creates a paused download (`\"start\": false`): each answer is a row that survives a power"
            " cut, and nothing is transferred meanwhile. wrk runs on the same cores.",
            "The bare handler (`Benchmarks/bench/bare.c`) is libmicrohttpd with the service's options, and a prepared"
            " answer of 1,600 bytes. It reads what is posted, and keeps nothing. A rate is lower now and then, the"
            " service's too, when one of libmicrohttpd's two threads gets all connections.",
            f"The first GET asks for one download, which is cached. The other asks for {IDS:,} downloads round robin,"
            f" a share for each of the {THREADS} threads of wrk. The cache of the downloads that were looked up is"
            f" emptied when it has {CACHED:,}, and a share has more, so none is there when its turn comes again.",
        ],
    )
    runs = measure_all(workspace, options)
    for name, figures in runs.items():
        rates, middles, tails = zip(*figures)
        table.add(name, *spread(rates, 0), spread(middles, 2)[0], spread(tails, 2)[0])
    for name, other, least, why in GOALS:
        ratio = median_rate(runs[name]) / median_rate(runs[other])
        table.goals.append(Goal(f"{name}: requests in a second, beside the {other}", ratio, "≥", least, "×", why))
    return table


def median_rate(figures):
    return statistics.median(rate for rate, *_ in figures)


def measure_all(workspace, options):
    """The figures of all rounds, by name."""
    post_script, get_script, paths = (workspace.folder / name for name in ("post.lua", "get.lua", "paths"))
    post_script.write_text(POST_SCRIPT)
    get_script.write_text(GET_SCRIPT)
    runs = {name: [] for name in (BARE_GET, GET, UNCACHED, BARE_POST, POST)}
    with bare.serving(workspace.folder) as bare_url, workspace.service("asked") as service:
        ids = make_downloads(service)
        paths.write_text("".join(f"/downloads/{each}\n" for each in ids))
        commands = {
            BARE_GET: [bare_url],
            GET: [f"{service.url}/downloads/{ids[0]}"],
            UNCACHED: ["--script", get_script, service.url, "--", paths],
            BARE_POST: ["--script", post_script, bare_url],
        }
        for command in commands.values():
            wrk(WARM_UP_SECONDS, *command)
        for turn in range(options.rounds):
            for name, figures in runs.items():
                # What an earlier run left to be written is not charged to this one.
                os.sync()
                if name in commands:
                    figures.append(wrk(options.seconds, *commands[name]))
                else:
                    figures.append(posting(workspace, options.seconds, post_script))
                rate = figures[-1][0]
                print(f"   {turn + 1}/{options.rounds} {name}: {rate:.0f} /s", file=sys.stderr, flush=True)
    return runs


def make_downloads(service):
    """The ids of so many paused downloads."""
    bodies = [{"url": f"http://127.0.0.1:9/{number}", "start": False} for number in range(IDS)]
    batches = [bodies[first : first + BATCH] for first in range(0, IDS, BATCH)]
    answers = [service.ask("POST", "/downloads/batch", {"items": batch})[1] for batch in batches]
    return [item["id"] for answer in answers for item in answer["items"]]


def posting(workspace, seconds, script):
    """On a service of its own, so that each round begins with an empty store."""
    with workspace.service("posted") as service:
        command = ["--script", script, f"{service.url}/downloads"]
        wrk(WARM_UP_SECONDS, *command)
        return wrk(seconds, *command)


def wrk(seconds, *rest):
    """Requests in a second, and the latency in ms of the middle and of the slowest hundredth."""
    command = ["wrk", "--threads", str(THREADS), "--connections", str(CONNECTIONS), "--latency"]
    command += ["--duration", f"{seconds}s", *rest]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in text or "Socket errors" in text:
        raise RuntimeError(text)
    return float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]), latency(text, "50%"), latency(text, "99%")


def latency(text, part):
    value, unit = re.search(rf"^\s+{part}\s+([\d.]+)(us|ms|s)$", text, re.MULTILINE).groups()
    return float(value) * {"us": 0.001, "ms": 1, "s": 1000}[unit]
