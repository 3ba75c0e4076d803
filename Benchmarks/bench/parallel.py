"""One large file over many connections, from an origin that gives each of them so much and no more."""

import contextlib
import pathlib
import shutil
import subprocess
import sys

from .goals import Goal, fastest, median, ratio
from .large import downloading
from .measuring import Table, alternate, timed
from .processes import Workspace, can_connect, free_port, stop, wait_for
from .slowdisk import RATE as DISK_RATE
from .slowdisk import Unavailable, slow_disk

CONNECTIONS = 16
RATE = 20_000_000
PACED = pathlib.Path(__file__).with_name("paced.py")
#: A tool that waits for a silent connection would wait forever.
LONGEST_SECONDS = 30
OURS = "cormorant, digest none"
#: At an origin from which this service had a file in the last ten minutes (docs/decisions/0019).
KNOWN = "cormorant, digest none, host known"
FLUSHED = ("axel -n16 + sync", "lftp pget -n16 + sync")
#: The required share of the time that the connections need.
QUICK, SLOW, SPOILT = 1.005, 1.1, 1.15
RAMP = (
    "the service starts with one connection, and opens more once the first response allows ranges and while more help"
    " (docs/decisions/0019). Opening all at once would be faster, but would harm origins that allow few connections."
)
WARM = (
    "the file is claimed in the database before the first request, the first connection asks whether the file has"
    " ranges, the others are opened when it has answered, and a flush and a commit follow the last byte."
)
WHY = (
    "the others open all connections at once and leave the file in the page cache. The service starts with one"
    " connection, opens more once the first response allows ranges and while more help (docs/decisions/0019), and"
    " flushes the file. Opening all at once would be faster, but would harm origins that allow few connections."
)
BEHIND = (
    "on a slow disk the last bytes wait for what came before them and is not written yet. Only an answer before the"
    " file is durable would be faster, and the service does not give one."
)
LATE = (
    "a silent or slow connection can be told from one that pauses only after some time; then others take its rest."
    " Giving up sooner would be faster, but would end good connections."
)


def measure(workspace, options):
    size = options.large_mib << 20
    ideal = size / (CONNECTIONS * RATE)
    with serving(workspace) as service:
        even = alternate(contenders(workspace, service, size), options.rounds)
        spoilt = alternate(list(unflushed(workspace, service, size, silent=3, slow=5)), options.rounds)
    slow, told = measured_slow(workspace, size, options.rounds)

    table = Table(
        [f"{options.large_mib} MiB, {CONNECTIONS} connections", "median s", "least", "most", "MiB/s"],
        notes=[
            f"The origin sends {RATE // 1_000_000} MB/s on each connection: all of them together would bring the file"
            f" in {ideal:.3f} s. Cormorant's file is durable at the end of its time. The others return before their"
            " bytes are on the disk; `+ sync` adds that. `host known`: the service had a file from this origin shortly"
            " before; in the other rows it meets each origin for the first time. In the last rows the fourth connection"
            " stops sending after 5 MB, and the sixth sends at a hundredth of the rate. A tool that took longer than"
            f" {LONGEST_SECONDS} s was stopped; one that gave up counts as that long.",
            told,
        ],
    )
    table.add_times(even, options.large_mib)
    table.add_times({f"{name}, slow disk": times for name, times in slow.items()}, options.large_mib)
    table.add_times({f"{name}, one silent, one slow": times for name, times in spoilt.items()}, options.large_mib)
    table.goals = list(goals(even, slow, spoilt, ideal))
    return table


def serving(workspace):
    return workspace.service("data-parallel", digest="none", connections_per_download=CONNECTIONS)


def measured_slow(workspace, size, rounds):
    """The times on a slow disk, and a note; no times where there can be none."""
    try:
        with slow_disk(workspace.fresh("slow-disk"), size) as folder, Workspace(folder, workspace.program) as slow:
            with serving(slow) as service:
                times = alternate([*ours(service, size), *flushed(slow, size)], rounds)
    except Unavailable as reason:
        print(f"   no slow disk: {reason}", file=sys.stderr)
        return {}, f"Not measured on a slow disk: {reason}."
    return times, (
        f"The slow disk is an ext4 file system whose device the kernel limits to {DISK_RATE // 1_000_000} MB/s of"
        f" writes, in slices of a tenth of a second: {size / DISK_RATE:.3f} s for the file"
        " (`Benchmarks/bench/slowdisk.py`)."
    )


def goals(even, slow, spoilt, ideal):
    share = f"the time, beside bytes/({CONNECTIONS} × {RATE // 1_000_000} MB/s) = {ideal:.3f} s"
    yield Goal(share, median(even, OURS) / ideal, "≤", QUICK, "×", RAMP)
    yield Goal(f"host known: {share}", median(even, KNOWN) / ideal, "≤", QUICK, "×", WARM)
    other = fastest(even, [name for name in even if name not in (OURS, KNOWN) and not name.endswith("+ sync")])
    rivals = f"the time, beside the fastest of aria2, axel and lftp, as they are ({other})"
    yield Goal(rivals, ratio(even, OURS, other), "<", 1, "×", WHY)
    yield beside_flushed("", even, RAMP)
    if slow:
        yield Goal(f"slow disk: {share}", median(slow, OURS) / ideal, "≤", SLOW, "×", BEHIND)
        yield beside_flushed("slow disk: ", slow, BEHIND)
    late = median(spoilt, OURS) / ideal
    yield Goal(f"one silent, one slow: {share}", late, "≤", SPOILT, "×", LATE)


def beside_flushed(where, times, why):
    other = fastest(times, FLUSHED)
    told = f"{where}the time, beside the faster of axel and lftp, each followed by `sync` ({other})"
    return Goal(told, ratio(times, OURS, other), "<", 1, "×", why)


def contenders(workspace, service, size):
    return [*unflushed(workspace, service, size), *known(service, size), *flushed(workspace, size)]


def unflushed(workspace, service, size, **spoilt):
    yield from ours(service, size, **spoilt)
    for name, command in tools():
        yield name, fetching(workspace, command, size, **spoilt)


def flushed(workspace, size):
    for name, command in tools():
        yield f"{name} + sync", fetching(workspace, command, size, syncs=True)


def ours(service, size, **spoilt):
    """With an origin of its own for each turn, so that the connections are numbered anew."""

    def run(turn):
        with origin(size, **spoilt) as url:
            return downloading(service, url)(f"{turn}-{len(spoilt)}")

    yield OURS, run


def known(service, size):
    """The origin has the same address in each turn. Its first file is not counted."""
    port = free_port()

    def run(turn):
        with origin(size, port=port) as url:
            return downloading(service, url)(f"{turn}-known")

    run("first")
    yield KNOWN, run


def fetching(workspace, command, size, syncs=False, **spoilt):
    """As `ours`, with a command that writes a file `out`, and a flush of that file if required."""

    def run(_):
        folder = workspace.fresh("tool")
        with origin(size, **spoilt) as url:
            commands = [[*command, url]] + ([["sync", "--data", "out"]] if syncs else [])
            try:
                seconds = timed(*commands, cwd=folder, timeout=LONGEST_SECONDS)
            except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as failure:
                print(f"   {failure}", file=sys.stderr)
                seconds = float(LONGEST_SECONDS)
        shutil.rmtree(folder)
        return seconds

    return run


def tools():
    count = str(CONNECTIONS)
    aria2 = ("aria2c", "--quiet", "--no-conf", "-x", count, "-s", count, "-k1M", "--file-allocation=none")
    yield "aria2c -x16", (*aria2, "-o", "out")
    yield "axel -n16", ("axel", "--quiet", f"--num-connections={count}", "--output=out")
    yield "lftp pget -n16", ("sh", "-c", f'exec lftp -e "pget -n {count} $0 -o out; exit"')


@contextlib.contextmanager
def origin(size, rate=RATE, port=None, **spoilt):
    port = port or free_port()
    command = [sys.executable, PACED, str(port), "--size", str(size), "--rate", str(rate)]
    command += [part for name, number in spoilt.items() for part in (f"--{name}", str(number))]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: can_connect(port), "the origin")
        yield f"http://127.0.0.1:{port}/file"
    finally:
        stop(process)
