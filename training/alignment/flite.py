"""Synthetic speech whose phone times are known: Debian's flite, for the bench.

flite prints the segments that it synthesises with their end times, so the reference is exact and
needs no labelling by hand. Its voices are clean and regular: real speech is harder.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from alignment.errors import AlignmentError
from training.alignment.sphinx_package import require_pocketsphinx
from training.text.edit_distance import edit_distance

VOICES = ("awb", "kal16", "rms", "slt")  # three statistical voices and one of diphones, 16 kHz
PAUSE = "pau"


@dataclass(frozen=True, slots=True)
class SyntheticUtterance:
    """`samples` float32 in [-1, 1], (n,), `rate` Hz; `phones` (ARPAbet without stress, "pau" in
    pauses) with their end times in seconds; the words and how each was pronounced."""

    samples: np.ndarray
    rate: int
    phones: tuple[tuple[str, float], ...]
    words: tuple[str, ...]
    pronunciations: Mapping[str, Sequence[Sequence[str]]]


def require_flite() -> str:
    """The path of the program; AlignmentError when it is not there."""
    found = shutil.which("flite")
    if found is None:
        raise AlignmentError(
            "The boundaries need flite: install it (on Debian, apt-get install flite)."
        )
    return found


def speak(text: str, voice: str) -> SyntheticUtterance:
    """One sentence; the same text and voice give the same samples."""
    import soundfile

    program = require_flite()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speech.wav"
        printed = _run([program, "-voice", voice, "-psdur", "-t", text, "-o", str(path)])
        samples, rate = soundfile.read(path, dtype="float32")
    words = tuple(_run([program, "-voice", voice, "-pw", "-t", text, "none"]).lower().split())
    pairs = (entry.rsplit(":", 1) for entry in printed.split())
    phones = tuple((_symbol(name), float(end)) for name, end in pairs)
    said = [symbol for symbol, _ in phones if symbol != PAUSE]
    keys = tuple(f"{word}-{k}" for k, word in enumerate(words))
    parts = _partition(said, words)
    return SyntheticUtterance(
        samples, rate, phones, keys, dict(zip(keys, ([p] for p in parts), strict=True))
    )


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode or not done.stdout.strip():
        raise AlignmentError(
            f"flite fails ({(done.stderr or 'it prints nothing').strip().splitlines()[-1]}): "
            "version 2.2 with its voices is needed."
        )
    return done.stdout


def _symbol(name: str) -> str:
    plain = name.strip().rstrip("012")
    return PAUSE if plain == PAUSE else {"ax": "AH", "axr": "ER"}.get(plain, plain.upper())


@cache
def _dictionary() -> Mapping[str, list[tuple[str, ...]]]:
    path = Path(require_pocketsphinx().get_model_path("en-us/cmudict-en-us.dict"))
    entries: dict[str, list[tuple[str, ...]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        word, *phones = line.split()
        entries.setdefault(word.partition("(")[0], []).append(tuple(phones))
    return entries


def _partition(phones: Sequence[str], words: Sequence[str]) -> list[tuple[str, ...]]:
    """Partition the phones that flite spoke into its words.

    The partition closest to the dictionary's pronunciations.
    """
    best: dict[int, tuple[float, list[int]]] = {0: (0.0, [])}
    for word in words:
        following: dict[int, tuple[float, list[int]]] = {}
        for start, (cost, cuts) in best.items():
            for stop in range(start + 1, min(len(phones), start + 16) + 1):
                part = phones[start:stop]
                entries = _dictionary().get(word) or [("AH",) * max(2, len(word) - 1)]
                total = cost + min(edit_distance(part, entry, _unlike) for entry in entries)
                if stop not in following or total < following[stop][0]:
                    following[stop] = (total, [*cuts, stop])
        best = following
    if len(phones) not in best:
        raise AlignmentError("flite's words and phones don't fit together: use another version.")
    edges = [0, *best[len(phones)][1]]
    return [tuple(phones[a:b]) for a, b in zip(edges, edges[1:], strict=False)]


def _unlike(a: str, b: str) -> int:
    """The cost of one phone for another; a vowel for a consonant counts twice."""
    return 0 if a == b else 1 + ((a[0] in "AEIOU") != (b[0] in "AEIOU"))
