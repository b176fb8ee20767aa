"""What came of hostile cases, counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

LONGEST = 10.0  # seconds of processor time for a case
FAULTS = ("traceback", "too slow", "lost", "no answer")


@dataclass
class Count:
    """What came of the cases of one kind."""

    outcomes: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    faults: list[str] = field(default_factory=list)

    def add(self, outcome: str, about: str = "", seconds: float = 0.0) -> None:
        if seconds > LONGEST:
            outcome = "too slow"
        self.slowest = max(self.slowest, seconds)
        self.outcomes[outcome] += 1
        if outcome in FAULTS:
            self.faults.append(f"{outcome}: {about}")

    def line(self, name: str) -> str:
        what = ", ".join(f"{number} {outcome}" for outcome, number in self.outcomes.most_common())
        return f"{name:10} {self.outcomes.total():5} cases: {what}; slowest {self.slowest:.1f} s"
