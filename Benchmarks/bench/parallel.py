"""One large file over many connections, from an origin that gives each of them so much and no more."""

import contextlib
import pathlib
import shutil
import subprocess
import sys

from .goals import Goal, fastest, median, ratio
from .large import downloading
from .measuring import Table, alternate, timed
from .processes import can_connect, free_port, stop, wait_for

CONNECTIONS = 16
RATE = 20_000_000
PACED = pathlib.Path(__file__).with_name("paced.py")
#: A tool that waits for a silent connection would wait for ever.
LONGEST_SECONDS = 30
OURS = "cormorant, digest none"
WHY = (
    "the others open all connections at once and leave the file in the page cache. The service starts with one"
    " connection, opens more once the first response allows ranges and while more help (docs/decisions/0019), and"
    " flushes the file. Opening all at once would be faster, but would harm origins that allow few connections."
)
LATE = (
    "a silent or slow connection can be told from one that pauses only after some time; then others take its rest."
    " Giving up sooner would be faster, but would end good connections."
)


def measure(workspace, options):
    size = options.large_mib << 20
    ideal = size / (CONNECTIONS * RATE)
    with workspace.service("data-parallel", digest="none", connections_per_download=CONNECTIONS) as service:
        even = alternate(contenders(workspace, service, size), options.rounds)
        spoilt = alternate(contenders(workspace, service, size, silent=3, slow=5), options.rounds)

    table = Table(
        [f"{options.large_mib} MiB, {CONNECTIONS} connections", "median s", "least", "most", "MiB/s"],
        notes=[
            f"The origin sends {RATE // 1_000_000} MB/s on each connection: all of them together would bring the file"
            f" in {ideal:.3f} s. In the lower half the fourth connection stops sending after 5 MB, and the sixth sends"
            f" at a hundredth of the rate. A tool that took longer than {LONGEST_SECONDS} s was stopped; one that gave"
            " up counts as that long. Cormorant's file is durable at the end of its time.",
        ],
    )
    table.add_times(even, options.large_mib)
    table.add_times({f"{name}, one silent, one slow": times for name, times in spoilt.items()}, options.large_mib)
    table.goals = list(goals(even, spoilt, ideal))
    return table


def goals(even, spoilt, ideal):
    other = fastest(even, [name for name in even if name != OURS])
    rivals = f"the time, beside the fastest of aria2, axel and lftp ({other})"
    share = f"the time, beside bytes/({CONNECTIONS} × {RATE // 1_000_000} MB/s) = {ideal:.3f} s"
    yield Goal(share, median(even, OURS) / ideal, "≤", 1.03, "×", WHY)
    yield Goal(rivals, ratio(even, OURS, other), "<", 1, "×", WHY)
    late = median(spoilt, OURS) / ideal
    yield Goal(f"one silent, one slow: {share}", late, "≤", 1.15, "×", LATE)


def contenders(workspace, service, size, **spoilt):
    """Each with an origin of its own for each turn, so that the connections are numbered anew."""

    def cormorant(turn):
        with origin(size, **spoilt) as url:
            return downloading(service, url)(f"{turn}-{len(spoilt)}")

    def tool(*command):
        def run(_):
            folder = workspace.fresh("tool")
            with origin(size, **spoilt) as url:
                try:
                    seconds = timed([*command, url], cwd=folder, timeout=LONGEST_SECONDS)
                except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as failure:
                    print(f"   {failure}", file=sys.stderr)
                    seconds = float(LONGEST_SECONDS)
            shutil.rmtree(folder)
            return seconds

        return run

    count = str(CONNECTIONS)
    aria2 = ("aria2c", "--quiet", "--no-conf", "-x", count, "-s", count, "-k1M", "--file-allocation=none")
    return [
        (OURS, cormorant),
        ("aria2c -x16", tool(*aria2, "-o", "out")),
        ("axel -n16", tool("axel", "--quiet", f"--num-connections={count}", "--output=out")),
        ("lftp pget -n16", tool("sh", "-c", f'exec lftp -e "pget -n {count} $0 -o out; exit"')),
    ]


@contextlib.contextmanager
def origin(size, rate=RATE, **spoilt):
    port = free_port()
    command = [sys.executable, PACED, str(port), "--size", str(size), "--rate", str(rate)]
    command += [part for name, number in spoilt.items() for part in (f"--{name}", str(number))]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: can_connect(port), "the origin")
        yield f"http://127.0.0.1:{port}/file"
    finally:
        stop(process)
