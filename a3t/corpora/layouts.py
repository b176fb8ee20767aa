"""Speech corpora in their own layouts, as one stream of clips, and the one split all models share.

LibriSpeech (``*.trans.txt``), LJSpeech (``metadata.csv``), VCTK (``txt`` beside ``wav48``) and
plain pairs of a sound and a ``.txt`` (the Kathleen dataset) are read where they stand. Audio may
be in any container that libsndfile reads.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import soundfile

from a3t.errors import InputError

Split = Literal["train", "dev", "test"]

AUDIO_SUFFIXES = (".opus", ".flac", ".wav", ".ogg", ".mp3")

# The LibriSpeech readers no model hears: the first three of train-clean-5's readers when these are
# sorted by the sha256 of their id; a man and two women, as it falls out.
UNSEEN_SPEAKERS = frozenset({"librispeech-3664", "librispeech-3947", "librispeech-2416"})

# Of the other speakers' prompts, this much each for "dev" and for "test".
HELD_OUT_FRACTION = 0.015


@dataclass(frozen=True)
class Clip:
    """One recorded prompt. ``path`` is the sound file, ``seconds`` its length on its own clock."""

    corpus: str
    speaker: str
    path: Path
    text: str
    seconds: float

    @property
    def name(self) -> str:
        """Unique among all corpora: ``corpus-stem``."""
        return f"{self.corpus}-{self.path.stem}"

    @property
    def voice(self) -> str:
        """Unique among all corpora: ``corpus-speaker``."""
        return f"{self.corpus}-{self.speaker}"


def prompt_key(text: str) -> str:
    """The prompt without case, punctuation and spacing: two readings of it have one key."""
    return " ".join(re.findall(r"[a-z0-9']+", text.lower()))


def split_of(clip: Clip) -> Split:
    """Where a clip belongs: the same for the vocoder, the acoustic model and the durations.

    The readers in ``UNSEEN_SPEAKERS`` are "test" altogether. Everybody else's clips are split by
    a hash of the prompt (not of the clip), so that a prompt read twice never stands on both sides.
    """
    if clip.voice in UNSEEN_SPEAKERS:
        return "test"
    digest = hashlib.sha256(prompt_key(clip.text).encode()).digest()
    place = int.from_bytes(digest[:8], "big") / 2**64
    if place < HELD_OUT_FRACTION:
        return "test"
    return "dev" if place < 2 * HELD_OUT_FRACTION else "train"


def read_corpora(root: Path | str) -> list[Clip]:
    """All clips under ``root``, which holds the corpora's folders under their usual names.

    Raises InputError if the folder is missing or holds none of the four corpora.
    """
    root = Path(root)
    if not root.is_dir():
        raise InputError(f"There is no folder of corpora at {root}; set A3T_CORPORA to one.")
    clips: list[Clip] = []
    for name, reader in _READERS.items():
        for folder in sorted(root.glob(name)):
            clips.extend(reader(folder))
    if not clips:
        raise InputError(f"{root} holds none of these corpora: {', '.join(_READERS)}.")
    return clips


def read_librispeech(folder: Path) -> Iterator[Clip]:
    """``subset/speaker/chapter/speaker-chapter.trans.txt`` with one "ID TEXT" a line."""
    for transcript in sorted(folder.rglob("*.trans.txt")):
        speaker = transcript.parent.parent.name
        for line in transcript.read_text(encoding="utf-8").splitlines():
            stem, _, text = line.strip().partition(" ")
            yield from _clip("librispeech", speaker, transcript.parent / stem, text)


def read_ljspeech(folder: Path) -> Iterator[Clip]:
    """``metadata.csv`` of "ID|written|spoken"; the spoken form is the text."""
    for line in (folder / "metadata.csv").read_text(encoding="utf-8").splitlines():
        fields = line.split("|")
        if len(fields) >= 2:
            yield from _clip("ljspeech", "LJ", folder / "wavs" / fields[0], fields[-1])


def read_vctk(folder: Path) -> Iterator[Clip]:
    """``txt/speaker/speaker_n.txt`` with the sound in ``wav48/speaker/speaker_n``."""
    for text_file in sorted((folder / "txt").rglob("*.txt")):
        speaker = text_file.parent.name
        stem = folder / "wav48" / speaker / text_file.stem
        yield from _clip("vctk", speaker, stem, text_file.read_text(encoding="utf-8"))


def read_kathleen(folder: Path) -> Iterator[Clip]:
    """``data/name.txt`` beside ``data/name`` with a sound's suffix; one speaker."""
    for text_file in sorted((folder / "data").glob("*.txt")):
        text = text_file.read_text(encoding="utf-8")
        yield from _clip("kathleen", "kathleen", text_file.with_suffix(""), text)


_READERS = {
    "LibriSpeech*": read_librispeech,
    "LJSpeech*": read_ljspeech,
    "VCTK*": read_vctk,
    "kathleen*": read_kathleen,
}


def _clip(corpus: str, speaker: str, stem: Path, text: str) -> Iterator[Clip]:
    """The clip if its sound is there: corpora are often used in part."""
    text = " ".join(text.split())
    for suffix in AUDIO_SUFFIXES:
        path = stem.with_name(stem.name + suffix)
        if text and path.is_file():
            yield Clip(corpus, speaker, path, text, float(soundfile.info(str(path)).duration))
            return


def corpora_root() -> Path:
    """The folder named by the environment variable A3T_CORPORA; InputError if it is not set."""
    root = os.environ.get("A3T_CORPORA")
    if not root:
        raise InputError("Set A3T_CORPORA to the folder that holds the corpora.")
    return Path(root)
