"""Two sessions, one of very many downloads and one of ten: how long the ten take, alone and beside the others."""

import time

from .measuring import Table, spread
from .poster import post_all
from .processes import wait_for
from .running import dripping

FEW, SLOTS = 10, 8
RATE, SECONDS = 20_000, 0.5


def measure(workspace, options):
    with dripping(int(RATE * SECONDS), RATE) as origin:
        alone = times(workspace, origin, options.rounds, 0)
        beside = times(workspace, origin, options.rounds, options.queued)
    waves = options.queued / SLOTS * SECONDS
    table = Table(
        [f"{FEW} downloads of one session", "median s", "least", "most"],
        notes=[
            f"Each download takes {SECONDS} s, from an origin that sends {RATE // 1000} kB/s. {SLOTS} run at once"
            f" (`max_concurrent`), all from one host. In the second row a session with {options.queued:,} such"
            f" downloads was there first and uses all slots when the {FEW} are posted. The time runs from then"
            f" until the last of them is `completed`. In the order of arrival it would be {waves:,.0f} s. The two"
            " sessions share the slots: the next download is one of the session with the fewest running downloads"
            " (docs/decisions/0013)."
        ],
    )
    table.add("alone", *spread(alone, 2))
    table.add(f"beside {options.queued:,} of another session", *spread(beside, 2))
    return table


def times(workspace, origin, rounds, others):
    with workspace.service("fairness", digest="none", max_concurrent=SLOTS, max_per_host=SLOTS) as service:
        post_all(service.port, bodies(origin, "many", others))
        if others:
            wait_for(lambda: active(service) == SLOTS, "the first of the many")
        return [ten(service, origin, f"few-{number}") for number in range(rounds)]


def ten(service, origin, session):
    start = time.monotonic()
    post_all(service.port, bodies(origin, session, FEW))
    query = f"/downloads?session={session}&state=completed&limit={FEW}"
    wait_for(lambda: len(service.ask("GET", query)[1]["items"]) == FEW, "the last of the few", 120, 0.005)
    return time.monotonic() - start


def bodies(origin, session, count):
    return [{"url": f"{origin}/{session}-{number}", "session": session} for number in range(count)]


def active(service):
    return len(service.ask("GET", "/downloads?state=running")[1]["items"])
