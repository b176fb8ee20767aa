"""The corpora in the layouts in which they are published: which clips there are, and their texts.

A clip whose text is missing is listed, and so is a text whose sound is missing: what can't be used
is counted where the data are prepared, not lost here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from a3t.corpora.layouts import AUDIO_SUFFIXES, Clip, is_unseen, read_corpora, split_of
from a3t.errors import InputError


@dataclass(frozen=True)
class Utterance:
    """One prompt; ``name`` is unique in the corpus and begins with the speaker where it can.

    ``subset`` is the part of the corpus that it was published in, or its split where the corpus
    has one of its own; "" for none.
    """

    name: str
    speaker: str
    sound: Path | None
    text: str | None
    subset: str = ""


def read_ljspeech(folder: Path) -> Iterator[Utterance]:
    """``metadata.csv`` of "ID|written|spoken" with ``wavs/ID``; the spoken form is the text."""
    sounds = _sounds(folder / "wavs")
    for line in _lines(folder / "metadata.csv"):
        name, *texts = line.split("|")
        yield Utterance(name, "LJ", sounds.pop(name, None), _text(texts[-1] if texts else ""))
    for name, path in sounds.items():
        yield Utterance(name, "LJ", path, None)


def read_vctk(folder: Path) -> Iterator[Utterance]:
    """``txt/SPEAKER/SPEAKER_N.txt`` and, of release 0.80, ``wav48/SPEAKER/SPEAKER_N``, or, of
    0.92, ``wav48_silence_trimmed/SPEAKER/SPEAKER_N_mic1`` (the first microphone, mic2 where a
    clip has no other)."""
    texts = {path.stem: path for path in sorted((folder / "txt").rglob("*.txt"))}
    trimmed = folder / "wav48_silence_trimmed"
    sounds: dict[str, Path] = {}
    for stem, path in sorted(_sounds(trimmed if trimmed.is_dir() else folder / "wav48").items()):
        name, _, microphone = stem.partition("_mic")
        if microphone in ("", "1") or name not in sounds:
            sounds[name] = path
    for name in sorted(texts.keys() | sounds.keys()):
        text = _text(_read(texts[name])) if name in texts else None
        yield Utterance(name, name.partition("_")[0], sounds.get(name), text)


def read_libri(folder: Path) -> Iterator[Utterance]:
    """LibriTTS (``SUBSET/SPEAKER/CHAPTER/NAME.normalized.txt``) or LibriSpeech
    (``…/SPEAKER-CHAPTER.trans.txt``, one "NAME TEXT" a line)."""
    texts: dict[str, str] = {}
    for path in sorted(folder.rglob("*.trans.txt")):
        for line in _lines(path):
            name, _, text = line.strip().partition(" ")
            texts[str((path.parent / name).relative_to(folder))] = text
    for path in sorted(folder.rglob("*.normalized.txt")):
        stem = path.name.removesuffix(".normalized.txt")
        texts[str((path.parent / stem).relative_to(folder))] = _read(path)
    sounds = {
        str(path.with_suffix("").relative_to(folder)): path for path in _sounds(folder).values()
    }
    for place in sorted(texts.keys() | sounds.keys()):
        parts = Path(place).parts
        if len(parts) >= 3:
            subset = parts[-4] if len(parts) >= 4 else folder.name
            found = _text(texts[place]) if place in texts else None
            yield Utterance(parts[-1], parts[-3], sounds.get(place), found, subset)


def read_mini(folder: Path) -> Iterator[Utterance]:
    """Pieces of several corpora in one folder, as `a3t.corpora.layouts` reads and splits them.

    What it can't use is not listed by it.
    """
    for clip in read_corpora(folder):
        yield Utterance(clip.name, clip.voice, clip.path, clip.text, mini_split(clip))


def mini_split(clip: Clip) -> str:
    """The one split that all shipped models share; its unseen speakers by themselves."""
    return "test_unseen" if is_unseen(clip.voice) else split_of(clip)


READERS = {
    "ljspeech": read_ljspeech,
    "vctk": read_vctk,
    "libritts": read_libri,
    "mini": read_mini,
}


def read(corpus: str, folder: Path) -> list[Utterance]:
    """All of a corpus; InputError if the folder isn't there or holds nothing of it."""
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}: download the corpus (stage 1) or name it.")
    found = list(READERS[corpus](folder))
    if not any(utterance.sound and utterance.text for utterance in found):
        raise InputError(f"{folder} holds no clip with its text in the layout of {corpus}.")
    return found


def _sounds(folder: Path) -> dict[str, Path]:
    """Sound files below a folder by their stem, in order; libri's stems are unique as well."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix in AUDIO_SUFFIXES)
    return {path.stem: path for path in paths}


def _lines(path: Path) -> list[str]:
    return [line for line in _read(path).splitlines() if line.strip()]


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _text(text: str) -> str | None:
    return " ".join(text.split()) or None
