"""The commands that speak to a service, from the start of the program to its end."""

import os
import statistics
import subprocess
import time

from .goals import Goal
from .measuring import Table

#: URLs of one `add -i`, and runs of `ls`.
URLS, RUNS = 10_000, 30


def measure(workspace, options):
    urls = workspace.fresh("commands") / "urls"
    urls.write_text("".join(f"http://127.0.0.1:9/files/item-{number}.bin\n" for number in range(URLS)))
    adding = []
    for _ in range(options.rounds):
        with workspace.service(destinations="any", min_free_bytes="0") as service:
            adding.append(run(workspace, service, "add", "--paused", "--quiet", "-i", str(urls)))
            listing = [run(workspace, service, "ls") for _ in range(RUNS)]
    bare = [run(workspace, None, "--version") for _ in range(RUNS)]
    result = Table(
        ["command", "median (ms)", "slowest (ms)"],
        notes=["From the start of the process to its end; output goes to a pipe."],
    )
    for name, seconds in [("`--version`", bare), ("`ls`, 50 rows", listing), (f"`add -i`, {URLS:,} URLs", adding)]:
        result.add(name, f"{statistics.median(seconds) * 1e3:.1f}", f"{max(seconds) * 1e3:.1f}")
    result.goals = [
        Goal("`ls` of 50 rows, median", statistics.median(listing) * 1e3, "<", 30, "ms"),
        Goal(f"`add -i` of {URLS:,} URLs, median", statistics.median(adding), "<", 3, "s"),
    ]
    return result


def run(workspace, service, *arguments):
    """The seconds of one run."""
    environment = dict(os.environ)
    if service:
        environment["CORMORANT_SERVER"] = service.url
    begin = time.perf_counter()
    subprocess.run([workspace.program, *arguments], env=environment, check=True, capture_output=True)
    return time.perf_counter() - begin
