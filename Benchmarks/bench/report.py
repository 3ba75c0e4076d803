"""Puts the tables into docs/BENCHMARKS.md: each scenario has its section there, between two markers."""

import datetime
import os
import pathlib
import platform
import re
import subprocess
import textwrap

from . import chart

VERSIONS = {
    "nginx": "-v",
    "curl": "--version",
    "wget2": "--version",
    "axel": "--version",
    "lftp": "--version",
    "aria2c": "--version",
}


def scenarios_without_section(path, scenarios):
    """A scenario may have a section of another name that begins with its own."""
    text = path.read_text()
    return [name for name in scenarios if f"<!-- begin {name}" not in text]


def write(path, tables, options):
    text = path.read_text()
    for scenario, table in tables.items():
        name = table.section or scenario
        section = wrapped(f"{table.markdown()}\n*{circumstances(table, options)}*\n")
        if table.bars:
            picture = path.parent / "benchmarks" / f"{name}.svg"
            picture.parent.mkdir(exist_ok=True)
            picture.write_text(chart.svg(table.columns[0], table.bars))
            section = f"![{table.columns[0]}](benchmarks/{picture.name})\n\n{section}"
        begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
        if begin not in text or end not in text:
            raise RuntimeError(f"{path} has no section for {name}")
        before, rest = text.split(begin, 1)
        text = before + begin + section + end + rest.split(end, 1)[1]
    path.write_text(text)


def wrapped(text):
    """The text with its paragraphs in lines of at most 120 characters; tables stay as they are."""
    wrapper = textwrap.TextWrapper(width=120, break_long_words=False, break_on_hyphens=False)
    return "\n".join(line if line.startswith("|") else wrapper.fill(line) for line in text.split("\n"))


def circumstances(table, options):
    runs = f"median of {options.rounds}" if table.is_median else "one run"
    return (
        f"{datetime.date.today()}, {runs}, {processor()} ({os.cpu_count()} cores,"
        f" {memory_gib()} GiB), Linux {platform.release()}, {', '.join(versions())}."
    )


def processor():
    match = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return match[1] if match else platform.machine()


def memory_gib():
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30))


def versions():
    environment = {**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin"}
    for name, flag in VERSIONS.items():
        answer = subprocess.run([name, flag], env=environment, capture_output=True, text=True, check=False)
        number = re.search(r"\d+\.\d+(\.\d+)?", answer.stdout + answer.stderr)
        yield f"{name} {number[0]}" if number else name
