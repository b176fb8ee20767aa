"""Readers for the published layouts of speech corpora: their clips and texts.

Clips without text and texts without sound are listed as well, so that
`training.corpora.prepare` can count and name what it leaves out. Sound may be in any container that
libsndfile reads.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

AUDIO_SUFFIXES = (".opus", ".flac", ".wav", ".WAV", ".ogg", ".mp3")  # in order of preference


@dataclass(frozen=True)
class Utterance:
    """One prompt; ``name`` is unique in the corpus.

    ``subset`` is the published part of the corpus it belongs to, or its split if the corpus defines
    one; "" if neither.
    """

    name: str
    speaker: str
    sound: Path | None
    text: str | None
    subset: str = ""


def read_ljspeech(folder: Path) -> Iterator[Utterance]:
    """Read ``metadata.csv`` of "ID|written|spoken" with ``wavs/ID``; the spoken form counts."""
    sounds = _sounds(folder / "wavs")
    for line in _lines(folder / "metadata.csv"):
        name, *texts = line.split("|")
        yield Utterance(name, "LJ", sounds.pop(name, None), _text(texts[-1] if texts else ""))
    for name, path in sounds.items():
        yield Utterance(name, "LJ", path, None)


def read_vctk(folder: Path) -> Iterator[Utterance]:
    """Read ``txt/SPEAKER/SPEAKER_N.txt`` and the sounds of release 0.80 or 0.92.

    These are ``wav48/SPEAKER/SPEAKER_N``, or ``wav48_silence_trimmed/SPEAKER/SPEAKER_N_mic1`` (the
    first microphone, mic2 where a clip has no other).
    """
    texts = {path.stem: path for path in sorted((folder / "txt").rglob("*.txt"))}
    trimmed = folder / "wav48_silence_trimmed"
    sounds: dict[str, Path] = {}
    for place, path in sorted(_sounds(trimmed if trimmed.is_dir() else folder / "wav48").items()):
        name, _, microphone = place.rpartition("/")[2].partition("_mic")
        if microphone in ("", "1") or name not in sounds:
            sounds[name] = path
    for name in sorted(texts.keys() | sounds.keys()):
        text = _text(_read(texts[name])) if name in texts else None
        yield Utterance(name, name.partition("_")[0], sounds.get(name), text)


def read_libri(folder: Path) -> Iterator[Utterance]:
    """Read LibriTTS (``SUBSET/SPEAKER/CHAPTER/NAME.normalized.txt``) or LibriSpeech.

    The latter has ``…/SPEAKER-CHAPTER.trans.txt``, one "NAME TEXT" a line.
    """
    texts: dict[str, str] = {}
    for path in sorted(folder.rglob("*.trans.txt")):
        for line in _lines(path):
            name, _, text = line.strip().partition(" ")
            texts[(path.parent / name).relative_to(folder).as_posix()] = text
    for path in sorted(folder.rglob("*.normalized.txt")):
        stem = path.name.removesuffix(".normalized.txt")
        texts[(path.parent / stem).relative_to(folder).as_posix()] = _read(path)
    sounds = _sounds(folder)
    for place in sorted(texts.keys() | sounds.keys()):
        parts = Path(place).parts
        if len(parts) >= 3:
            subset = parts[-4] if len(parts) >= 4 else folder.name
            found = _text(texts[place]) if place in texts else None
            yield Utterance(parts[-1], parts[-3], sounds.get(place), found, subset)


def read_kathleen(folder: Path) -> Iterator[Utterance]:
    """Read ``data/NAME.txt`` beside ``data/NAME`` with a sound's suffix; one speaker."""
    sounds = _sounds(folder / "data")
    for path in sorted((folder / "data").glob("*.txt")):
        yield Utterance(path.stem, "kathleen", sounds.get(path.stem), _text(_read(path)))


def read_common_voice(folder: Path) -> Iterator[Utterance]:
    """Read ``validated.tsv`` beside ``clips``; a speaker is the client's first 12 digits."""
    sounds = _sounds(folder / "clips")
    rows = csv.DictReader(_lines(folder / "validated.tsv"), delimiter="\t", quoting=csv.QUOTE_NONE)
    for row in rows:
        name = Path(row["path"]).stem
        yield Utterance(name, row["client_id"][:12], sounds.get(name), _text(row["sentence"]))


def read_speechocean(folder: Path) -> Iterator[Utterance]:
    """Read ``text`` and ``wav.scp`` of "ID value" lines in ``train`` and ``test``, as in Kaldi."""
    for part in ("train", "test"):
        places = dict(line.split(maxsplit=1) for line in _lines(folder / part / "wav.scp"))
        for line in _lines(folder / part / "text"):
            name, _, text = line.partition("\t")
            sound = _sound(folder / places[name]) if name in places else None
            speaker = Path(places.get(name, name)).parent.name
            yield Utterance(Path(places.get(name, name)).stem, speaker, sound, _text(text), part)


READERS = {
    "librispeech": read_libri,
    "libritts": read_libri,
    "ljspeech": read_ljspeech,
    "vctk": read_vctk,
    "kathleen": read_kathleen,
    "commonvoice": read_common_voice,
    "speechocean": read_speechocean,
}


def _sounds(folder: Path) -> dict[str, Path]:
    """Return the sound files below a folder, in order, by their relative paths without suffix."""
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in AUDIO_SUFFIXES:
            place = path.relative_to(folder).with_suffix("").as_posix()
            rank = AUDIO_SUFFIXES.index(path.suffix)
            if place not in found or rank < AUDIO_SUFFIXES.index(found[place].suffix):
                found[place] = path
    return found


def _sound(path: Path) -> Path | None:
    """Find a recording by its published name, in whatever container it is here."""
    others = (path.with_suffix(suffix) for suffix in AUDIO_SUFFIXES)
    return next((other for other in others if other.is_file()), None)


def _lines(path: Path) -> list[str]:
    return [line for line in _read(path).splitlines() if line.strip()]


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return ""


def _text(text: str) -> str | None:
    return " ".join(text.split()) or None
