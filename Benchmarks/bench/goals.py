"""Goals of a scenario, compared with the figures of the run that measured it."""

import math
import operator
import statistics

RELATIONS = {"≤": operator.le, "<": operator.lt, "≥": operator.ge}
COLUMNS = ["goal", "measured", "required", "met"]


class Goal:
    """`words` name what is measured, and what it is compared with; `relation` is one of `RELATIONS`; both numbers
    are in `unit`. If the goal is missed, `reasons` say why, and what would reach it.
    """

    def __init__(self, words, value, relation, limit, unit, *reasons):
        self.words, self.value, self.relation = words, value, relation
        self.limit, self.unit, self.reasons = limit, unit, reasons

    @property
    def is_met(self):
        return RELATIONS[self.relation](self.value, self.limit)

    def cells(self):
        measured = f"{shown(self.value)} {self.unit}" if math.isfinite(self.value) else "-"
        return [self.words, measured, f"{self.relation} {self.limit:,g} {self.unit}", "yes" if self.is_met else "no"]


def markdown(goals):
    """A table of the goals, and a paragraph for each reason why some are missed."""
    lines = [COLUMNS, ["---", "---:", "---:", "---"], *(goal.cells() for goal in goals)]
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    reasons = dict.fromkeys(reason for goal in goals if not goal.is_met for reason in goal.reasons)
    return "\n\n".join([table, *(f"Missed: {reason}" for reason in reasons)])


def shown(value):
    """Three decimals where they decide, none where they would be noise."""
    return f"{value:.3f}" if value < 10 else f"{value:,.1f}" if value < 1000 else f"{value:,.0f}"


def ratio(times, ours, other):
    """The median time of ours in medians of the other's; infinite where one turn of ours did not bring the file."""
    return median(times, ours) / median(times, other) if max(times[ours]) < math.inf else math.inf


def median(times, name):
    return statistics.median(times[name])


def fastest(times, names):
    return min(names, key=lambda name: median(times, name))
