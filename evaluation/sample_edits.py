"""Edits of test clips, to hear what a model sounds like.

In each clip the middle third of its words is replaced by others.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tqdm import tqdm

from a3t.editor import Editor
from a3t.errors import InputError
from evaluation.harness.measurement import INTO, MODEL
from evaluation.harness.report_files import write_text
from training.corpora.kaldi import read_directory
from training.programs import Program, counts, option

OTHER_WORDS = "seven yellow birds"


def replaced(text: str) -> str:
    """The text with the words of its middle third replaced by others."""
    words = text.split()
    third = len(words) // 3
    last = max(third + 1, len(words) - third)
    return " ".join([*words[:third], *OTHER_WORDS.split(), *words[last:]])


def edit_samples(data: Path, model: Path | str, out: Path, vocoder: str, clips: int) -> str:
    """Write NAME.wav and NAME.edit.json for the first clips that can be edited, and left-out.tsv
    with the reasons for those that can't. Returns a summary; InputError if none can be edited.
    """
    editor = Editor.load(model, vocoder=vocoder)
    out.mkdir(parents=True, exist_ok=True)
    done: list[str] = []
    failed: list[str] = []
    # Longer texts first, since they leave more around the edit.
    ready = [clip for clip in read_directory(data) if clip.sound and clip.text]
    ready.sort(key=lambda clip: len((clip.text or "").split()) < 6)
    with tqdm(total=min(clips, len(ready)), unit="edit", disable=None) as bar:
        for clip in ready:
            if len(done) == clips:
                break
            assert clip.sound and clip.text
            try:
                result = editor.edit(clip.sound, new_text=replaced(clip.text), text=clip.text)
                result.save(out / f"{clip.name}.wav")
            except InputError as error:
                failed.append(f"{clip.name}\t{' '.join(str(error).split())}\n")
                continue
            done.append(clip.name)
            bar.update()
    write_text(out / "left-out.tsv", "".join(failed))
    if not done:
        last = failed[-1].strip() if failed else "it has no clip with sound and text"
        raise InputError(f"No clip of {data} could be edited ({len(failed)} tried): {last}")
    return f"{out}: {', '.join(done)}; {len(failed)} could not be edited (left-out.tsv)"


def run(options: argparse.Namespace) -> None:
    """Write the edits; raises InputError."""
    print(edit_samples(options.data, options.model, options.out, options.vocoder, options.clips))


main = Program(
    run,
    option("data", type=Path, help="a data directory of clips"),
    *counts(clips=5),
    *MODEL,
    INTO,
    name="evaluation samples",
)
