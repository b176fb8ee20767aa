"""Layouts that no recipe has of its own, and which of a sound's files is taken."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile

from training.corpora import read_corpora
from training.corpora.layouts import READERS, Utterance


def write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_common_voice(tmp_path: Path) -> None:
    rows = ["client_id\tpath\tsentence", 'abcdef0123456789\ta.mp3\tHe said "yes".', "b\tc.mp3\tNo."]
    write(tmp_path / "validated.tsv", "\n".join(rows))
    sound = write(tmp_path / "clips" / "a.opus")
    assert list(READERS["commonvoice"](tmp_path)) == [
        Utterance("a", "abcdef012345", sound, 'He said "yes".'),
        Utterance("c", "b", None, "No."),
    ]


def test_speechocean(tmp_path: Path) -> None:
    for part, speaker in (("train", "0001"), ("test", "0003")):
        write(tmp_path / part / "wav.scp", f"00{speaker}\tWAVE/SPEAKER{speaker}/{speaker}7.WAV\n")
        write(tmp_path / part / "text", f"00{speaker}\tWE CALL  IT BEAR\n")
    sound = write(tmp_path / "WAVE" / "SPEAKER0001" / "00017.WAV")
    assert list(READERS["speechocean"](tmp_path)) == [
        Utterance("00017", "SPEAKER0001", sound, "WE CALL IT BEAR", "train"),
        Utterance("00037", "SPEAKER0003", None, "WE CALL IT BEAR", "test"),
    ]


def test_a_sound_in_several_containers_is_read_once(tmp_path: Path) -> None:
    data = tmp_path / "kathleen" / "data"
    write(data / "one.txt", "Hello.")
    for suffix in (".wav", ".flac"):
        soundfile.write(data / f"one{suffix}", np.zeros(800), 16_000)
    (clip,) = read_corpora(tmp_path)
    assert (clip.path.suffix, clip.voice, clip.seconds) == (".flac", "kathleen-kathleen", 0.05)
