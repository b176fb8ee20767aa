"""Kaldi's data directories: ``wav.scp``, ``text``, ``utt2spk`` and ``spk2utt``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from a3t.audio.output.files import atomic_path
from a3t.errors import InputError
from training.corpora.layouts import Utterance


def read_list(path: Path) -> dict[str, str]:
    """Read lines of "NAME REST" by name; raise InputError if the file is missing."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError:
        raise InputError(f"There is no {path}: run the previous stage first.") from None
    return dict(line.split(" ", 1) for line in lines if " " in line)


def read_directory(folder: Path, texts: bool = True) -> list[Utterance]:
    """Return all clips named in a directory, including those without sound or text.

    Raises InputError if a list is missing; that of the texts may be if none are needed.
    """
    sounds, speakers = read_list(folder / "wav.scp"), read_list(folder / "utt2spk")
    said = read_list(folder / "text") if texts or (folder / "text").exists() else {}
    return [
        Utterance(
            name,
            speakers.get(name, name),
            Path(sounds[name]) if name in sounds else None,
            said.get(name),
            folder.name,
        )
        for name in dict.fromkeys([*sounds, *said])
    ]


def write_directory(folder: Path, utterances: Sequence[Utterance]) -> None:
    """Write a directory, sorted by name as Kaldi requires."""
    folder.mkdir(parents=True, exist_ok=True)
    ordered = sorted(utterances, key=lambda utterance: utterance.name)
    speakers: dict[str, list[str]] = {}
    for utterance in ordered:
        speakers.setdefault(utterance.speaker, []).append(utterance.name)
    files = {
        "wav.scp": [f"{u.name} {u.sound and u.sound.resolve()}" for u in ordered],
        "text": [f"{u.name} {u.text}" for u in ordered if u.text],
        "utt2spk": [f"{u.name} {u.speaker}" for u in ordered],
        "spk2utt": [f"{speaker} {' '.join(names)}" for speaker, names in sorted(speakers.items())],
    }
    for name, lines in files.items():
        with atomic_path(folder / name) as temporary:
            temporary.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
