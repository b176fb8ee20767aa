"""The clips of all corpora in one folder, and the split that all shipped models share."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import soundfile

from a3t.errors import InputError
from training.corpora.layouts import READERS

Split = Literal["train", "dev", "test"]

# The corpora by the usual names of their folders.
FOLDERS = {
    "LibriSpeech*": "librispeech",
    "LJSpeech*": "ljspeech",
    "VCTK*": "vctk",
    "kathleen*": "kathleen",
    "CommonVoice*": "commonvoice",
    "speechocean762*": "speechocean",
}

# LibriSpeech readers that no model is trained on: the first three of train-clean-5's when sorted by
# the sha256 of their ids; they happen to be a man and two women.
UNSEEN_SPEAKERS = frozenset({"librispeech-3664", "librispeech-3947", "librispeech-2416"})

# The share of voices that no model is trained on, of corpora that have many with a few clips each;
# by a hash of the voice, so that it doesn't depend on the selection of clips.
UNSEEN_FRACTION = {"commonvoice": 0.15}

# The share of the other speakers' prompts in "dev", and in "test".
HELD_OUT_FRACTION = 0.015


@dataclass(frozen=True)
class Clip:
    """One recorded prompt.

    ``path`` is the sound file, ``seconds`` its length on its own clock, ``listed`` its name in a
    recipe's list of clips, where that is another.
    """

    corpus: str
    speaker: str
    path: Path
    text: str
    seconds: float
    listed: str = ""

    @property
    def name(self) -> str:
        """Unique among all corpora: ``corpus-stem``, or as listed."""
        return self.listed or f"{self.corpus}-{self.path.stem}"

    @property
    def voice(self) -> str:
        """Unique among all corpora: ``corpus-speaker``."""
        return f"{self.corpus}-{self.speaker}"


def read_corpora(root: Path | str) -> list[Clip]:
    """Read all clips under ``root``, which holds the corpora's folders under their usual names.

    Clips without sound or text are skipped, since corpora are often used in part. Raises InputError
    if the folder is missing or holds none of the corpora.
    """
    root = Path(root)
    if not root.is_dir():
        raise InputError(f"There is no folder of corpora at {root}; set A3T_CORPORA to one.")
    clips = [
        Clip(corpus, found.speaker, found.sound, found.text, seconds_of_sound(found.sound))
        for name, corpus in FOLDERS.items()
        for folder in sorted(root.glob(name))
        for found in READERS[corpus](folder)
        if found.sound and found.text
    ]
    if not clips:
        raise InputError(f"{root} holds none of these corpora: {', '.join(FOLDERS)}.")
    return clips


def seconds_of_sound(sound: Path) -> float:
    """Return a sound file's length on its own clock."""
    return float(soundfile.info(str(sound)).duration)


def corpora_root() -> Path:
    """Return the folder that A3T_CORPORA of the environment names; InputError if it is not set."""
    root = os.environ.get("A3T_CORPORA")
    if not root:
        raise InputError("Set A3T_CORPORA to the folder that holds the corpora.")
    return Path(root)


def prompt_key(text: str) -> str:
    """Strip the prompt of case, punctuation and spacing: equal for all readings of it."""
    return " ".join(re.findall(r"[a-z0-9']+", text.lower()))


def is_unseen(voice: str) -> bool:
    """Return whether no model is trained on this voice (`Clip.voice`)."""
    if voice in UNSEEN_SPEAKERS:
        return True
    return _place(voice) < UNSEEN_FRACTION.get(voice.partition("-")[0], 0.0)


def split_of(clip: Clip) -> Split:
    """Return a clip's split, for the vocoder, the acoustic model and the duration predictor alike.

    All clips of unseen voices are "test". Other clips are split by a hash of the prompt, not of the
    clip, so that a prompt that was read twice is never on both sides.
    """
    if is_unseen(clip.voice):
        return "test"
    place = _place(prompt_key(clip.text))
    if place < HELD_OUT_FRACTION:
        return "test"
    return "dev" if place < 2 * HELD_OUT_FRACTION else "train"


def listed_split(clip: Clip) -> str:
    """Return a clip's split as a recipe's list has it: unseen voices' clips are "test_unseen"."""
    return "test_unseen" if is_unseen(clip.voice) else split_of(clip)


def _place(text: str) -> float:
    """Return a number in [0, 1) from a text's hash."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2**64
