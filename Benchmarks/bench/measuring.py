"""Rounds, medians and tables."""

import os
import random
import resource
import statistics
import subprocess
import sys
import time

from . import goals


class Table:
    def __init__(self, columns, notes=(), is_median=True):
        self.columns = columns
        self.is_median = is_median
        self.rows = []
        #: Names and seconds, for a chart.
        self.bars = []
        self.notes = list(notes)
        self.goals = []
        #: Of docs/BENCHMARKS.md, where it is not that of the scenario.
        self.section = None

    def add(self, *cells):
        self.rows.append([str(cell) for cell in cells])

    def add_times(self, times, amount, spent=None):
        """A row for each of `times`, the fastest first, which ends with how much of `amount` came in a second.

        `spent` has the seconds of CPU time of each, as `counting` noted them: then their median ends the row.
        """
        for name in sorted(times, key=lambda name: statistics.median(times[name])):
            values = spread(times[name])
            self.bars.append((name, float(values[0])))
            cpu = [f"{statistics.median(spent[name]):.2f}"] if spent else []
            self.add(name, *values, f"{amount / float(values[0]):.0f}", *cpu)

    def markdown(self):
        lines = [self.columns, ["---"] + ["---:"] * (len(self.columns) - 1), *self.rows]
        text = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        parts = [text, *([goals.markdown(self.goals)] if self.goals else []), *self.notes]
        return "\n\n".join(parts) + "\n"


def alternate(contenders, rounds):
    """Runs the contenders in turn, round by round, so that a change of the machine's mood meets all of them.

    Each round has another order, because the disk still discards what the last contender removed. The orders are the
    same in each measurement. `contenders` are names and functions that return seconds. Returns the list of times of
    each name.
    """
    times = {name: [] for name, _ in contenders}
    for turn in range(rounds):
        for name, run in random.Random(turn).sample(contenders, len(contenders)):
            # What an earlier run left to be written is not charged to this one.
            os.sync()
            seconds = run(turn)
            times[name].append(seconds)
            print(f"   {turn + 1}/{rounds} {name}: {seconds:.3f} s", file=sys.stderr, flush=True)
    return times


def counting(spent, contenders, clock):
    """The contenders, whose CPU time by `clock` goes into `spent`."""

    def counted(name, run):
        def run_and_count(turn):
            before = clock()
            seconds = run(turn)
            spent.setdefault(name, []).append(clock() - before)
            return seconds

        return run_and_count

    return [(name, counted(name, run)) for name, run in contenders]


def commands_cpu_seconds():
    """What all commands took that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def timed(*commands, **options):
    """The seconds that the commands take one after the other."""
    start = time.monotonic()
    for command in commands:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    return time.monotonic() - start


def spread(values, digits=3):
    """Median, least and most."""
    return [f"{value:.{digits}f}" for value in (statistics.median(values), min(values), max(values))]


def random_file(path, size, block=64 << 20):
    """A file in which no part is like another, so that one in the wrong place would be seen."""
    with open(path, "wb") as file:
        for offset in range(0, size, block):
            file.write(os.urandom(min(block, size - offset)))


def flush_time(folder, count=200):
    """The median of seconds that the disk takes to make an appended 4 KiB durable (fdatasync)."""
    path, times = folder / "probe", []
    with open(path, "wb", buffering=0) as file:
        for _ in range(count):
            file.write(bytes(4096))
            start = time.monotonic()
            os.fdatasync(file.fileno())
            times.append(time.monotonic() - start)
    path.unlink()
    return statistics.median(times)


def write_time(folder, size):
    """Seconds to write a file of this size and make it durable: the floor for any download that is."""
    path, block = folder / "probe", os.urandom(1 << 20)
    start = time.monotonic()
    with open(path, "wb", buffering=0) as file:
        for _ in range(size >> 20):
            file.write(block)
        os.fdatasync(file.fileno())
    seconds = time.monotonic() - start
    path.unlink()
    return seconds
