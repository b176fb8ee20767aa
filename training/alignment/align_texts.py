"""Align recordings to train on.

python -m training.alignment.align_texts FOLDER --out FILE.jsonl

The texts: those of the corpora in FOLDER (`training.corpora.read_corpora`), but for what no model
is trained on and the voices of the corpora in --unseen.

FILE, which train_phones reads, gets an object a line: `path` below FOLDER and `alignment`;
FILE.left-out.tsv gets the others with the reason. The same command goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import soundfile

from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import Alignment, AlignmentError, load_aligner
from training.corpora import Clip, read_corpora, split_of
from training.programs import Program, option
from training.text_lines import whole_lines


def usable_clips(folder: Path, unseen: Path | None) -> Iterator[Clip]:
    """Yield the clips that models may be trained on, by no voice of the corpora in `unseen`."""
    voices = {clip.voice for clip in read_corpora(unseen)} if unseen else set()
    for clip in read_corpora(folder):
        if split_of(clip) == "train" and clip.voice not in voices:
            yield clip


def align(options: argparse.Namespace) -> None:
    """Align the texts of the folder's corpora."""
    folder: Path = options.folder
    refused = options.out.with_name(options.out.name + ".left-out.tsv")
    known = {json.loads(line)["path"] for line in whole_lines(options.out)}
    known |= {line.partition("\t")[0] for line in whole_lines(refused)}
    aligner, pronouncer = load_aligner(), Pronouncer()

    def aligned(clip: Clip) -> Alignment:
        samples, rate = soundfile.read(clip.path, dtype="float32", always_2d=True)
        words = Transcript.from_text(clip.text).spoken
        return aligner.align(samples.mean(axis=1), rate, words, pronouncer.choices(words))

    with (
        open(options.out, "a", encoding="utf-8") as out,
        open(refused, "a", encoding="utf-8") as left_out,
    ):
        for clip in usable_clips(folder, options.unseen):
            place = clip.path.relative_to(folder).as_posix()
            if place in known:
                continue
            try:
                row = {"path": place, "alignment": aligned(clip).to_json()}
                print(json.dumps(row, ensure_ascii=False), file=out, flush=True)
            except (AlignmentError, soundfile.LibsndfileError) as error:
                print(place, str(error).replace("\n", " "), sep="\t", file=left_out, flush=True)


main = Program(
    align,
    option("folder", type=Path, metavar="FOLDER", help="corpora"),
    option("--out", type=Path, required=True, metavar="FILE.jsonl"),
    option("--unseen", type=Path, metavar="FOLDER", help="corpora whose voices are left out"),
)


if __name__ == "__main__":
    sys.exit(main())
