"""A recording with a word said twice and a long pause."""

from pathlib import Path

import numpy as np
import soundfile

from a3t.editor import Editor
from tests.conftest import ARCTIC

RATE = 16_000
PAUSE = 2.0  # seconds, planted after "it"


def hesitant_talk(editor: Editor, arctic: Path, path: Path) -> Path:
    """`ARCTIC` with “want” said twice and a long pause after “it”."""
    samples, _ = soundfile.read(arctic, dtype="int16")
    words = {word.text: word for word in editor.align(arctic, ARCTIC).spoken}
    first, last = (round(t * RATE) for t in (words["want"].start, words["want"].end))
    it = round(words["it"].end * RATE)
    quiet = np.tile(samples[100:1500], 40)
    again = [samples[:last], quiet[:1600], samples[first:last], quiet[:1600], samples[last:it]]
    soundfile.write(path, np.concatenate([*again, quiet[: int(PAUSE * RATE)], samples[it:]]), RATE)
    return path
