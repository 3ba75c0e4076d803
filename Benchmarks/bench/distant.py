"""One large file over many connections, from an origin that is far away and resets some of them."""

import collections
import contextlib
import hashlib
import json
import math
import pathlib
import subprocess
import sys
import time

from .goals import Goal, ratio
from .large import downloading
from .measuring import Table, alternate, random_file
from .processes import can_connect, free_port, stop, wait_for

CONNECTIONS = 16
DELAY_SECONDS = 0.025
WINDOW = 1 << 20
CHANCE = 0.001
LINE = pathlib.Path(__file__).with_name("line.py")
RATE = WINDOW / (2 * DELAY_SECONDS)
OURS, RIVAL = "cormorant, digest none", "aria2c -x16"
WHY = (
    "the service opens its connections in steps, each when the one before raised the throughput, so that an origin that"
    " allows few is not sent many. Each reset costs a handshake and a slow start. Opening all at once would be faster."
)


class Failed(Exception):
    """Why there is no time: the words of the table."""


def measure(workspace, options):
    size = options.distant_mib << 20
    content = workspace.fresh("content")
    random_file(content / "file", size)
    race = Race(workspace, size, sha256(content / "file"))
    with workspace.origin(content) as origin:
        race.origin = int(origin.rpartition(":")[2])
        with workspace.service("data-distant", digest="none", connections_per_download=CONNECTIONS) as service:
            times = alternate(list(race.contenders(service)), options.rounds)
    return race.table(times, options)


class Race:
    """The contenders, each with a line of its own in each turn, and how they fared."""

    def __init__(self, workspace, size, digest):
        self.workspace, self.size, self.digest = workspace, size, digest
        #: Twice what one connection takes that goes on where it broke, so that it is among those that end.
        self.longest = math.ceil(2 * size / RATE) + 5
        self.failures = collections.defaultdict(collections.Counter)
        self.resets, self.shares = [], []

    def contenders(self, service):
        def ours(url, turn):
            try:
                return downloading(service, url, self.longest, self.check)(turn)
            except TimeoutError:
                raise Failed(f"stopped after {self.longest} s") from None
            except RuntimeError as error:
                raise Failed(str(error)) from None

        yield self.contender(OURS, ours)
        for name, command, again in commands(self.workspace):
            yield self.contender(name, lambda url, turn, rest=(command, again): self.fetch(url, *rest))

    def contender(self, name, fetch):
        def run(turn):
            with self.line(turn) as url:
                try:
                    return fetch(url, turn)
                except Failed as failure:
                    self.failures[name][str(failure)] += 1
                    print(f"   {name}: {failure}", file=sys.stderr)
                    return math.inf

        return name, run

    def fetch(self, url, command, again):
        """Runs the command, and where it fails once more if it may go on with what is there."""
        folder = self.workspace.fresh("tool")
        start = time.monotonic()
        code = 1
        while code:
            rest = start + self.longest - time.monotonic()
            try:
                code = subprocess.run([*command, url], cwd=folder, timeout=rest, **SILENT).returncode
            except subprocess.TimeoutExpired:
                raise Failed(f"stopped after {self.longest} s") from None
            if code and not again:
                raise Failed(f"gave up with {code}")
        seconds = time.monotonic() - start
        self.check(folder / "out")
        return seconds

    def check(self, path):
        if sha256(path) != self.digest:
            raise Failed("wrong bytes")

    @contextlib.contextmanager
    def line(self, turn):
        port = free_port()
        command = [sys.executable, LINE, port, "--origin", self.origin, "--seed", turn]
        command += ["--delay", DELAY_SECONDS, "--window", WINDOW, "--chance", CHANCE]
        process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True)
        try:
            wait_for(lambda: can_connect(port), "the line")
            start = time.monotonic()
            yield f"http://127.0.0.1:{port}/file"
        finally:
            seconds = time.monotonic() - start
            stop(process)
            account = json.loads(process.stdout.read())
        self.resets.append(account["resets"])
        self.shares.append(account["cpu_seconds"] / seconds)
        print(f"   {account}", file=sys.stderr)

    def table(self, times, options):
        table = Table(
            [f"{options.distant_mib} MiB, 50 ms away, with resets", "median s", "least", "most", "MiB/s"],
            notes=[
                f"A connection has at most {WINDOW >> 20} MiB in flight, so {RATE / 1e6:.0f} MB/s:"
                f" {CONNECTIONS} of them would bring the file in {self.size / CONNECTIONS / RATE:.2f} s"
                f" without resets. Each run had {min(self.resets)} to {max(self.resets)} resets. Cormorant's file is"
                " durable at the end of its time. The SHA-256 of each file was compared with the origin's. A tool that"
                f" took longer than {self.longest} s was stopped.",
                f"The line used at most {max(self.shares):.0%} of one core in any run.",
            ],
        )
        right = {name: values for name, values in times.items() if name not in self.failures}
        table.add_times(right, options.distant_mib)
        for name, reasons in self.failures.items():
            told = ", ".join(f"{reason} ({count} of {options.rounds})" for reason, count in reasons.items())
            table.add(f"{name}: {told}", "-", "-", "-", "-")
        table.goals = [goal(times)]
        return table


def goal(times):
    return Goal(f"the time, beside {RIVAL}", ratio(times, OURS, RIVAL), "≤", 0.75, "×", WHY)


SILENT = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def commands(workspace):
    """Names, commands, and whether they are run again until they succeed.

    Each is told to try without end and as soon as it can: by default aria2 tries five times, lftp waits 30 s before it
    connects anew, axel 20 s.
    """
    home, count = workspace.fresh("home"), str(CONNECTIONS)
    (home / ".axelrc").write_text("reconnect_delay = 1\n")
    aria2 = ("aria2c", "--quiet", "--no-conf", "-x", count, "-s", count, "-k1M", "--file-allocation=none")
    lftp = "set net:max-retries 0; set net:reconnect-interval-base 1; set net:reconnect-interval-multiplier 1"
    curl = ("curl", "--silent", "-C", "-", "--output", "out")
    return [
        (RIVAL, (*aria2, "--max-tries=0", "--retry-wait=0", "-o", "out"), False),
        ("axel -n16", ("env", f"HOME={home}", "axel", "--quiet", f"--num-connections={count}", "--output=out"), False),
        ("lftp pget -n16", ("sh", "-c", f'exec lftp -e "{lftp}; pget -n {count} $0 -o out; exit"'), False),
        ("curl --retry 20 -C -", (*curl, "--retry", "20", "--retry-all-errors"), False),
        ("curl -C -, again until it is whole", curl, True),
    ]


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
