"""Corpora are aligned to train on, and examples are kept."""

import json
from pathlib import Path

import numpy as np
import soundfile

from tests.alignment.conftest import WORDS, Speech
from training.alignment import align_texts
from training.alignment.examples import ExamplePack, folder_examples
from training.corpora import is_unseen
from training.text_lines import text_lines

SAID = " ".join(WORDS)


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in text_lines(path)]


def test_texts_of_corpora_are_aligned_but_for_unseen_voices(speech: Speech, tmp_path: Path) -> None:
    root, unseen, out = (
        tmp_path / "corpora",
        tmp_path / "unseen",
        tmp_path / "corpora" / "alignments.jsonl",
    )
    for folder, voices in ((root, "abc"), (unseen, "b")):
        clips = folder / "CommonVoice-x" / "clips"
        clips.mkdir(parents=True)
        table = "client_id\tpath\tsentence\n"
        table += "".join(f"{voice}\t{voice}.mp3\t{SAID}\n" for voice in voices)
        (clips.parent / "validated.tsv").write_text(table)
        for voice in voices:
            soundfile.write(clips / f"{voice}.wav", *speech)
    assert align_texts.main([str(root), "--out", str(out), "--unseen", str(unseen)]) == 0
    trained = [voice for voice in "ac" if not is_unseen(f"commonvoice-{voice}")]
    assert [Path(row["path"]).stem for row in rows(out)] == trained == ["a"]

    pack = tmp_path / "pack"
    (first,), _ = folder_examples(root, pack)
    with open(pack / "logarithms.f16", "ab") as file:
        file.write(b"\0" * 1000)  # killed while it wrote
    place = rows(out)[0]["path"]
    (root / place).unlink()
    (again,), _ = folder_examples(root, pack, of_folders={Path(place).parts[0]: 0.5})
    assert (first.weight, again.weight) == (1.0, 0.5)
    assert place in ExamplePack(pack)
    for name in ("logarithms", "symbols", "ends", "last"):
        np.testing.assert_array_equal(getattr(again, name), getattr(first, name))
