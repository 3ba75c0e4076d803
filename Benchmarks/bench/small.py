"""Many small files: from the first request to the last finished file."""

import os
import time

from .goals import Goal, median, ratio
from .measuring import Table, alternate, commands_cpu_seconds, counting, timed
from .poster import post_all

SIZE = 10 << 10
POLL_SECONDS = 0.01
OURS = {digest: f"cormorant, digest {digest}" for digest in ("sha-256", "none")}
RIVAL = "aria2c -j16"


def measure(workspace, options):
    content = workspace.fresh("content")
    for number in range(options.files):
        (content / f"{number:06}").write_bytes(os.urandom(SIZE))
    with workspace.origin(content) as origin:
        urls = [f"{origin}/{number:06}" for number in range(options.files)]
        spent = {name: [] for name in OURS.values()}
        contenders = [
            (name, lambda _, digest=digest, name=name: downloading(workspace, urls, digest, spent[name]))
            for digest, name in OURS.items()
        ]
        contenders += counting(spent, tools(workspace, urls), commands_cpu_seconds)
        times = alternate(contenders, options.rounds)

    table = Table(
        [f"{options.files} files of {SIZE >> 10} KiB", "median s", "least", "most", "files/s", "CPU s"],
        notes=[
            "The time of cormorant is from the first POST, on 16 connections, until no download is short of"
            " `completed`. Each file is durable by then, and each download a row of a database that is.",
            "The CPU time of cormorant is that of the whole service, from the first POST on.",
            "`+ sync` adds a flush of the whole file system, as the others return before their bytes are on the disk.",
        ],
    )
    table.add_times(times, options.files, spent)
    table.goals = list(goals(times, spent, options.files))
    return table


def goals(times, spent, count):
    costs = {name: median(spent, name) / count * 1e6 for name in spent}
    why = (
        f"a file costs the service {costs[OURS['sha-256']]:.0f} µs of CPU time with a digest and"
        f" {costs[OURS['none']]:.0f} µs without, its requests over REST and its row in the database included, and curl"
        f" {costs['curl -Z']:.0f} µs; the two cores are the origin's and the poster's too. Less work in each of the"
        " steps below would cure it, or more cores; or to have no row and no flush."
    )
    for digest, ours in OURS.items():
        told = f"digest {digest}: files in a second, beside {RIVAL}"
        yield Goal(told, 1 / ratio(times, ours, RIVAL), "≥", 3, "×", why)
        yield Goal(f"digest {digest}: the time, beside curl -Z", ratio(times, ours, "curl -Z"), "≤", 2, "×", why)


def downloading(workspace, urls, digest, spent):
    with workspace.service("small", keeps_older=True, digest=digest) as service:
        bodies = [{"url": url} for url in urls]
        start, cpu = time.monotonic(), service.cpu_seconds()
        post_all(service.port, bodies)
        while service.has("queued", "running", "waiting", "paused"):
            time.sleep(POLL_SECONDS)
        seconds = time.monotonic() - start
        spent.append(service.cpu_seconds() - cpu)
        if service.has("failed", "cancelled"):
            raise RuntimeError("not all of the downloads were completed")
        found = sum(1 for _ in os.scandir(service.data / "downloads"))
        if found != len(urls):
            raise RuntimeError(f"{found} files are there of {len(urls)}")
        return seconds


def tools(workspace, urls):
    names = [url.rsplit("/", 1)[1] for url in urls]
    curl_list, aria2_list = workspace.folder / "curl.list", workspace.folder / "aria2.list"
    curl_list.write_text("".join(f'url = "{url}"\noutput = "{name}"\n' for url, name in zip(urls, names)))
    aria2_list.write_text("".join(f"{url}\n" for url in urls))

    def tool(*command, syncs=False):
        def run(_):
            folder = workspace.fresh("tool", keeps_older=True)
            commands = [command] + ([("sync", "--file-system", ".")] if syncs else [])
            seconds = timed(*commands, cwd=folder)
            found = sum(1 for _ in os.scandir(folder))
            if found != len(urls):
                raise RuntimeError(f"{command[0]} made {found} files of {len(urls)}")
            return seconds

        return run

    curl = ("curl", "--silent", "--parallel", "--parallel-max", "64", "--config", str(curl_list))
    aria2 = ("aria2c", "--quiet", "--no-conf", "-j16", "-x1", "--file-allocation=none", "-i", str(aria2_list))
    return [
        ("curl -Z", tool(*curl)),
        ("curl -Z + sync", tool(*curl, syncs=True)),
        (RIVAL, tool(*aria2)),
    ]
