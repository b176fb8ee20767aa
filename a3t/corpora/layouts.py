"""Speech corpora in their own layouts, as one stream of clips, and the one split all models share.

LibriSpeech (``*.trans.txt``), LJSpeech (``metadata.csv``), VCTK (``txt`` beside ``wav48``), plain
pairs of a sound and a ``.txt`` (the Kathleen dataset), Common Voice (``validated.tsv``) and
speechocean762 (Kaldi's ``text``) are read where they stand. Audio may be in any container that
libsndfile reads.
"""

from __future__ import annotations

import csv
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

AUDIO_SUFFIXES = (".opus", ".flac", ".wav", ".WAV", ".ogg", ".mp3")

# The LibriSpeech readers no model hears: the first three of train-clean-5's readers when these are
# sorted by the sha256 of their id; a man and two women, as it falls out.
UNSEEN_SPEAKERS = frozenset({"librispeech-3664", "librispeech-3947", "librispeech-2416"})

# Of Common Voice's contributors, who are many and have little each, this much is kept apart whole:
# by a hash of the contributor, so that another selection of clips keeps the same ones apart.
UNSEEN_FRACTION = {"commonvoice": 0.15}

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


def is_unseen(voice: str) -> bool:
    """Whether no model hears anything of this voice (`Clip.voice`)."""
    if voice in UNSEEN_SPEAKERS:
        return True
    return _place(voice) < UNSEEN_FRACTION.get(voice.partition("-")[0], 0.0)


def split_of(clip: Clip) -> Split:
    """Where a clip belongs: the same for the vocoder, the acoustic model and the durations.

    Unseen voices are "test" altogether. Everybody else's clips are split by a hash of the prompt
    (not of the clip), so that a prompt read twice never stands on both sides.
    """
    if is_unseen(clip.voice):
        return "test"
    place = _place(prompt_key(clip.text))
    if place < HELD_OUT_FRACTION:
        return "test"
    return "dev" if place < 2 * HELD_OUT_FRACTION else "train"


def _place(text: str) -> float:
    """A text's place in [0, 1), by its hash."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2**64


def read_corpora(root: Path | str) -> list[Clip]:
    """All clips under ``root``, which holds the corpora's folders under their usual names.

    Raises InputError if the folder is missing or holds none of the corpora.
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


def read_common_voice(folder: Path) -> Iterator[Clip]:
    """``validated.tsv`` beside ``clips``; a speaker is the first 12 digits of the client's id."""
    with open(folder / "validated.tsv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            stem = folder / "clips" / Path(row["path"]).stem
            yield from _clip("commonvoice", row["client_id"][:12], stem, row["sentence"])


def read_speechocean(folder: Path) -> Iterator[Clip]:
    """``text`` and ``wav.scp`` of "ID value" lines in ``train`` and ``test``, as Kaldi has them."""
    for part in (folder / "train", folder / "test"):
        lines = (part / "wav.scp").read_text(encoding="utf-8").splitlines()
        sounds = dict(line.split(maxsplit=1) for line in lines)
        for line in (part / "text").read_text(encoding="utf-8").splitlines():
            name, _, text = line.partition("\t")
            sound = folder / sounds[name]
            yield from _clip("speechocean", sound.parent.name, sound.with_suffix(""), text)


_READERS = {
    "LibriSpeech*": read_librispeech,
    "LJSpeech*": read_ljspeech,
    "VCTK*": read_vctk,
    "kathleen*": read_kathleen,
    "CommonVoice*": read_common_voice,
    "speechocean762*": read_speechocean,
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
