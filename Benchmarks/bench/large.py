"""One large file over loopback on one connection: from the request to the finished file."""

import math
import shutil
import time

from .goals import Goal, fastest, median, ratio
from .measuring import (
    Table,
    alternate,
    commands_cpu_seconds,
    counting,
    flush_time,
    random_file,
    timed,
    write_time,
)

#: The most seconds that one request waits.
LONGEST_WAIT = 30
#: The required share of the fastest other's time, as they are, and each followed by `sync`.
LIMITS = {"none": (1.0, 0.6), "sha-256": (1.3, 0.85)}


def measure(workspace, options):
    size = options.large_mib << 20
    content = workspace.fresh("content")
    random_file(content / "large", size)
    probe = workspace.fresh("probe")
    services = {digest: workspace.service(f"data-{digest}", digest=digest) for digest in ("none", "sha-256")}
    with workspace.origin(content) as origin, services["none"] as plain, services["sha-256"] as digesting:
        url = f"{origin}/large"
        timed(["curl", "--silent", "--output", "/dev/null", url])
        spent = {}
        contenders = [
            *counting(spent, [("cormorant, digest none", downloading(plain, url))], plain.cpu_seconds),
            *counting(spent, [("cormorant, digest sha-256", downloading(digesting, url))], digesting.cpu_seconds),
            *counting(spent, tools(workspace, url), commands_cpu_seconds),
        ]
        times = alternate(contenders, options.rounds)

    writing = write_time(probe, size)
    table = Table(
        [f"{options.large_mib} MiB, one connection", "median s", "least", "most", "MiB/s", "CPU s"],
        notes=[
            "Cormorant's time runs from POST to the answer that shows `completed`: the file is durable and has its"
            " final name. The others return before their bytes are on the disk; `+ sync` adds that.",
            "Cormorant's CPU time is that of the whole service, from the request on.",
            f"The disk needs {flush_time(probe) * 1e6:.0f} µs for fdatasync of 4 KiB (median of 200),"
            f" and {writing:.2f} s to write {options.large_mib} MiB and make it durable.",
        ],
    )
    table.add_times(times, options.large_mib, spent)
    table.goals = list(goals(times, spent, writing))
    return table


def goals(times, spent, writing):
    others = [name for name in times if not name.startswith("cormorant")]
    flushed = [name for name in others if name.endswith("+ sync")]
    groups = {"as they are": [name for name in others if name not in flushed], "each followed by `sync`": flushed}
    hashing = median(spent, "cormorant, digest sha-256") - median(spent, "cormorant, digest none")
    for digest, limits in LIMITS.items():
        for limit, (words, names) in zip(limits, groups.items()):
            other = fastest(times, names)
            told = f"digest {digest}: the time, beside the fastest of the others, {words} ({other})"
            why = [] if names is flushed else [unflushed(writing)]
            why += [] if digest == "none" else [digested(hashing)]
            ours = ratio(times, f"cormorant, digest {digest}", other)
            yield Goal(told, ours, "≤", limit, "×", *why)
    cpu = ratio(spent, "cormorant, digest none", "curl")
    yield Goal("digest none: CPU seconds for each GiB, beside curl's", cpu, "≤", 1, "×")


def unflushed(writing):
    return (
        "the other tool returns while its bytes are in the page cache. The service answers `completed` when they are on"
        f" the disk; writing and flushing as much takes {writing:.2f} s without any transfer. Only an answer before the"
        " file is durable would be faster, and the service does not give one."
    )


def digested(hashing):
    return (
        f"sha-256 takes {hashing:.2f} s of CPU time. It overlaps with the transfer, but the origin and the kernel use"
        " the same two cores. More cores, or a processor that hashes faster, would reach the goal."
    )


def downloading(service, url, longest=math.inf, check=lambda path: None):
    """From POST to the answer that shows `completed`, which both requests wait for: asking again and again would take
    part of the two cores. `check` gets the file before it is removed, outside of the time.
    """

    def run(turn):
        start = time.monotonic()

        def left():
            return min(LONGEST_WAIT, start + longest - time.monotonic())

        download = service.ask("POST", "/downloads", {"url": url, "filename": f"large-{turn}"}, wait=left())[1]
        path = f"/downloads/{download['id']}"
        try:
            while download["state"] != "completed":
                if download["state"] in ("failed", "cancelled"):
                    raise RuntimeError(f"the download has ended: {download['error']}")
                if left() <= 0:
                    raise TimeoutError
                download = service.ask("GET", f"{path}?until=terminal", wait=left())[1]
            seconds = time.monotonic() - start
            check(service.data / "downloads" / download["file"]["path"])
        finally:
            service.ask("DELETE", f"{path}?force=true")
        return seconds

    return run


def fetching(workspace, *command, syncs=False):
    """The command, which writes a file `out`, and a flush of that file if required."""

    def run(_):
        folder = workspace.fresh("tool")
        commands = [command] + ([("sync", "--data", "out")] if syncs else [])
        seconds = timed(*commands, cwd=folder)
        shutil.rmtree(folder)
        return seconds

    return run


def tools(workspace, url):
    commands = {
        "curl": ("curl", "--silent", "--output", "out", url),
        "wget2": ("wget2", "--quiet", "-O", "out", url),
        "axel -n1": ("axel", "--quiet", "--num-connections=1", "--output=out", url),
        "lftp": ("lftp", "-c", f"get {url} -o out"),
        "aria2c -x1": ("aria2c", "--quiet", "--no-conf", "-x1", "-s1", "--file-allocation=none", "-o", "out", url),
    }
    for name, command in commands.items():
        yield name, fetching(workspace, *command)
        yield f"{name} + sync", fetching(workspace, *command, syncs=True)
