"""Many small files: from the first request to the last finished file."""

import functools
import os
import time

from .goals import Goal, median, ratio
from .measuring import Table, alternate, commands_cpu_seconds, counting, timed
from .poster import post_all, post_batches

SIZE = 10 << 10
BATCH = 500
POLL_SECONDS = 0.01
RIVAL = "aria2c -j16"


def post_batched(port, bodies):
    post_batches(port, bodies, BATCH)


def name_of(digest, way=""):
    return f"cormorant, {way}digest {digest}"


OURS = {
    name_of(digest, way): (post, digest)
    for way, post in (("", post_all), ("in batches, ", post_batched))
    for digest in ("sha-256", "none")
}


def measure(workspace, options):
    content = workspace.fresh("content")
    for number in range(options.files):
        (content / f"{number:06}").write_bytes(os.urandom(SIZE))
    with workspace.origin(content) as origin:
        urls = [f"{origin}/{number:06}" for number in range(options.files)]
        spent = {name: [] for name in OURS}
        contenders = [
            (name, functools.partial(downloading, workspace, urls, post, digest, spent[name]))
            for name, (post, digest) in OURS.items()
        ]
        contenders += counting(spent, tools(workspace, urls), commands_cpu_seconds)
        times = alternate(contenders, options.rounds)

    table = Table(
        [f"{options.files} files of {SIZE >> 10} KiB", "median s", "least", "most", "files/s", "CPU s"],
        notes=[
            "Cormorant's time runs from the first POST, on 16 connections, until all downloads are `completed`."
            f" `in batches` posts {BATCH} at a time (`POST /downloads/batch`); the others have the whole list in one"
            " file. By then each file is durable, and so is the row of each download.",
            "Cormorant's CPU time is that of the whole service, from the first POST on.",
            "`+ sync` adds a flush of the whole file system, as the others return before their bytes are on the disk.",
        ],
    )
    table.add_times(times, options.files, spent)
    table.goals = list(goals(times, spent, options.files))
    return table


def goals(times, spent, count):
    costs = {name: median(spent, name) / count * 1e6 for name in spent}
    why = (
        f"a file costs the service {costs[name_of('sha-256')]:.0f} µs of CPU time with a digest and"
        f" {costs[name_of('none')]:.0f} µs without, with its API requests and its row in the database; it costs curl"
        f" {costs['curl -Z']:.0f} µs. The origin and the client use the same two cores. Less work in each of the steps"
        " below, or more cores, would reach the goal; so would no row and no flush."
    )
    for name in OURS:
        told = name.removeprefix("cormorant, ")
        yield Goal(f"{told}: files in a second, beside {RIVAL}", 1 / ratio(times, name, RIVAL), "≥", 3, "×", why)
        yield Goal(f"{told}: the time, beside curl -Z", ratio(times, name, "curl -Z"), "≤", 3.5, "×", why)


def downloading(workspace, urls, post, digest, spent, _):
    with workspace.service("small", keeps_older=True, digest=digest) as service:
        bodies = [{"url": url} for url in urls]
        start, cpu = time.monotonic(), service.cpu_seconds()
        post(service.port, bodies)
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
