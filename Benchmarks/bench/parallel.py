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
    "the others open all their connections at once and leave the file in the page cache. The service begins with one,"
    " opens more once the first answer allows ranges, doubles their number while that helps (docs/decisions/0007), and"
    " flushes the file. To open all at once would cure the first, at the cost of origins that bear few connections."
)
LATE = (
    "a connection that is silent or slow is told from one that pauses only after some time, and then its rest is given"
    " to others. To give it up sooner would cure that, at the cost of connections that were sound."
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
            f"The origin gives {RATE // 1_000_000} MB/s to each connection: all of them together would bring the file"
            f" in {ideal:.3f} s. In the lower half the fourth connection falls silent after 5 MB and the sixth gives a"
            f" hundredth; who took longer than {LONGEST_SECONDS} s was stopped, and who broke"
            " off counts as long. The file of cormorant is durable then.",
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
