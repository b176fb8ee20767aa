"""Recordings without texts are transcribed, and what the aligner bears out is trained on."""

import json
from pathlib import Path

import numpy as np
import soundfile

from tests.alignment.conftest import WORDS, Speech
from tests.tiny_whisper import make_tiny_whisper
from training.alignment import align_texts, transcribe
from training.alignment.examples import ExamplePack, folder_examples
from training.corpora import is_unseen
from training.text_lines import text_lines

SAID = " ".join(WORDS)


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in text_lines(path)]


def test_recordings_are_transcribed_once(speech: Speech, tmp_path: Path) -> None:
    samples, rate = speech
    sounds, model, out = tmp_path / "sounds", tmp_path / "model", tmp_path / "heard.jsonl"
    (sounds / "sub").mkdir(parents=True)
    make_tiny_whisper(model, SAID, steps=0)
    for name in ("a.wav", "sub/b.flac", "not-named.wav"):
        soundfile.write(sounds / name, samples, rate)
    soundfile.write(sounds / "silent.wav", np.zeros(rate), rate)
    soundfile.write(sounds / "long.wav", np.tile(samples, 12), rate)
    names = tmp_path / "names.txt"
    names.write_text("a\nb.flac\nsilent\nlong\n")
    command = [str(model), str(sounds), "--out", str(out), "--names", str(names)]
    assert transcribe.main(command) == 0
    found = {row["path"]: row for row in rows(out)}
    assert sorted(found) == ["a.wav", "sub/b.flac"]
    for row in found.values():
        assert row["seconds"] == round(len(samples) / rate, 3)
        assert row["likelihood"] <= 0 and 0 <= row["no_speech"] <= 1
        assert set(row["text"].split()) <= set(WORDS)
    whole = out.read_bytes()
    out.write_bytes(whole[:-20])  # killed while it wrote
    assert transcribe.main(command) == 0
    assert {row["path"]: row for row in rows(out)} == found


def test_only_what_the_sound_bears_out_is_kept(speech: Speech, tmp_path: Path) -> None:
    sounds, out = tmp_path / "sounds", tmp_path / "sounds" / "alignments.jsonl"
    texts = {
        "right": (SAID, -0.2),
        "wrong": (SAID.replace("superlative", "grocery"), -0.2),
        "unsure": (SAID, -0.9),
        "nothing": ("", -0.1),
        "other": ("this has nothing to do with what was said", -0.2),
    }
    sounds.mkdir()
    heard = tmp_path / "heard.jsonl"
    with open(heard, "w") as file:
        for name, (text, likelihood) in texts.items():
            soundfile.write(sounds / f"{name}.wav", *speech)
            row = {"path": f"{name}.wav", "text": text, "likelihood": likelihood, "no_speech": 0.1}
            print(json.dumps(row), file=file)
    command = [str(sounds), "--heard", str(heard), "--out", str(out)]
    for _ in range(2):  # the second time nothing is left to do
        assert align_texts.main(command) == 0
        (kept,) = rows(out)
        assert kept["path"] == "right.wav"
        assert [word["text"] for word in kept["alignment"]["words"] if word["text"]] == [*WORDS]
        refused = dict(line.strip().split("\t") for line in text_lines(Path(f"{out}.left-out.tsv")))
        assert set(refused) == {f"{name}.wav" for name in texts if name != "right"}
        assert "doubts" in refused["wrong.wav"] and "not sure" in refused["unsure.wav"]

    pack = tmp_path / "pack"
    (first,), _ = folder_examples(sounds, pack)
    with open(pack / "logarithms.f16", "ab") as file:
        file.write(b"\0" * 1000)  # killed while it wrote
    (sounds / "right.wav").unlink()
    (again,), _ = folder_examples(sounds, pack, of_folders={"right.wav": 0.5})
    assert (first.weight, again.weight) == (1.0, 0.5)
    assert "right.wav" in ExamplePack(pack)
    for name in ("logarithms", "symbols", "ends", "last"):
        np.testing.assert_array_equal(getattr(again, name), getattr(first, name))


def test_texts_of_corpora_are_aligned_but_for_unseen_voices(speech: Speech, tmp_path: Path) -> None:
    root, unseen, out = tmp_path / "corpora", tmp_path / "unseen", tmp_path / "alignments.jsonl"
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
