"""Clips that can't be used: counted and listed in a file, without stopping."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from a3t.audio.output.files import atomic_path


@dataclass
class LeftOut:
    """Clips that are left out, each with the kind of fault and a sentence about it."""

    rows: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, name: str, kind: str, sentence: str = "") -> None:
        """Add a clip, its kind, and a sentence of the reason."""
        self.rows.append((name, kind, " ".join(sentence.split())))

    def save(self, path: Path) -> None:
        """Write them tab-separated: name, kind, sentence."""
        with atomic_path(path) as temporary:
            lines = ["\t".join(row) + "\n" for row in sorted(self.rows)]
            temporary.write_text("".join(lines), encoding="utf-8")

    def summary(self) -> str:
        """Return one line with the number of each kind."""
        counts = Counter(kind for _, kind, _ in self.rows)
        return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) or "none"
