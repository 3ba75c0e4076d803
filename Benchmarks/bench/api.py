"""The REST interface under load of wrk, on 32 connections."""

import re
import statistics
import subprocess

from .goals import Goal
from .measuring import Table, spread

CONNECTIONS = 32
WHY = (
    "a POST is a request, a row, and a share of a flush, and wrk uses the same cores (the profile below); no single"
    " step dominates. More cores would reach the goal; on these, only less work in each step, or a client that is"
    " elsewhere."
)

# Each request names a file of its own; nothing is downloaded, so that the interface and the store are measured alone.
POST_SCRIPT = """
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local thread = 0
function setup(each)
  each:set("id", thread)
  thread = thread + 1
end
local count = 0
function request()
  count = count + 1
  local body = string.format('{"url":"http://127.0.0.1:9/%d/%d","start":false}', id, count)
  return wrk.format(nil, nil, nil, body)
end
"""


def measure(workspace, options):
    table = Table(
        [f"wrk, {CONNECTIONS} connections", "median requests/s", "least", "most", "median ms", "99 % ms"],
        notes=[
            f"Each run takes {options.seconds} s. POST creates a paused download (`\"start\": false`): each answer is a"
            " row that survives a power cut, and nothing is transferred meanwhile. wrk runs on the same"
            " cores."
        ],
    )
    add(table, "POST /downloads", [posting(workspace, options) for _ in range(options.rounds)], 15_000, WHY)
    with workspace.service() as service:
        paused = {"url": "http://127.0.0.1:9/one", "start": False}
        path = "/downloads/" + service.ask("POST", "/downloads", paused)[1]["id"]
        runs = [wrk(options, service.url + path) for _ in range(options.rounds)]
    add(table, "GET /downloads/{id}", runs, 40_000)
    return table


def add(table, name, runs, least, *reasons):
    rates, middles, tails = zip(*runs)
    table.add(name, *spread(rates, 0), spread(middles, 2)[0], spread(tails, 2)[0])
    table.goals.append(Goal(name, statistics.median(rates), "≥", least, "/s", *reasons))


def posting(workspace, options):
    script = workspace.folder / "post.lua"
    script.write_text(POST_SCRIPT)
    with workspace.service() as service:
        return wrk(options, service.url + "/downloads", "--script", str(script))


def wrk(options, url, *more):
    """Requests in a second, and the latency in ms of the middle and of the slowest hundredth."""
    command = ["wrk", "--threads", "2", "--connections", str(CONNECTIONS), "--latency"]
    command += ["--duration", f"{options.seconds}s", *more, url]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in text or "Socket errors" in text:
        raise RuntimeError(text)
    return float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]), latency(text, "50%"), latency(text, "99%")


def latency(text, part):
    value, unit = re.search(rf"^\s+{part}\s+([\d.]+)(us|ms|s)$", text, re.MULTILINE).groups()
    return float(value) * {"us": 0.001, "ms": 1, "s": 1000}[unit]
