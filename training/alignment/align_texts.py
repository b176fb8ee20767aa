"""Aligns recordings to train on: python -m training.alignment.align_texts FOLDER --out FILE.jsonl

The texts: those of the corpora in FOLDER (`training.corpora.read_corpora`), but for what no model
is trained on and the voices of the corpora in --unseen; or of --heard, a file that
training.alignment.transcribe wrote of recordings below FOLDER. What was heard is kept only where
the network bears it out: where Whisper was sure, the aligner doubts no word and finds no sound
between them that has no text, and the words come at a pace at which people speak.

FILE, which train_phones reads, gets an object a line: `path` below FOLDER and `alignment`;
FILE.left-out.tsv gets the others with the reason. The same command goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import soundfile

from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import Alignment, AlignmentError, load_aligner
from alignment.confidence.doubts import doubts
from training.corpora import read_corpora, split_of
from training.programs import Program, option
from training.text_lines import text_lines, whole_lines

LEAST_LIKELIHOOD = -0.3  # the mean logarithm of the probabilities of what Whisper heard
MOST_SILENT = 0.6  # probability that there is no speech
SLOWEST, FASTEST = 5.0, 22.0  # phones a second, pauses left out


class SpokenText(NamedTuple):
    """A recording below the folder and what is said in it; `doubt`: a reason to leave it out."""

    path: Path
    text: str
    doubt: str = ""


def of_corpora(folder: Path, unseen: Path | None) -> Iterator[SpokenText]:
    """The clips of the corpora in a folder that models may be trained on, by no voice of the
    corpora in `unseen`."""
    voices = {clip.voice for clip in read_corpora(unseen)} if unseen else set()
    for clip in read_corpora(folder):
        if split_of(clip) == "train" and clip.voice not in voices:
            yield SpokenText(clip.path, clip.text)


def heard(folder: Path, rows: Path) -> Iterator[SpokenText]:
    """The text that Whisper heard."""
    for line in text_lines(rows):
        row = json.loads(line)
        doubt = "" if row["text"] else "nothing was heard"
        if row["likelihood"] < LEAST_LIKELIHOOD or row["no_speech"] > MOST_SILENT:
            doubt = "Whisper was not sure"
        yield SpokenText(folder / row["path"], row["text"], doubt)


def refuted(alignment: Alignment) -> str:
    """The reason to doubt that what was heard is what is said; "" if there is none."""
    if doubts(alignment):
        return "the aligner doubts a word"
    phones = [phone for word in alignment.spoken for phone in word.phones]
    pace = len(phones) / max(sum(phone.duration for phone in phones), 0.01)
    return "" if SLOWEST <= pace <= FASTEST else "nobody speaks at this pace"


def align(options: argparse.Namespace) -> None:
    folder: Path = options.folder
    refused = options.out.with_name(options.out.name + ".left-out.tsv")
    known = {json.loads(line)["path"] for line in whole_lines(options.out)}
    known |= {line.partition("\t")[0] for line in whole_lines(refused)}
    texts = heard(folder, options.heard) if options.heard else of_corpora(folder, options.unseen)
    aligner, pronouncer = load_aligner(), Pronouncer()

    def aligned(text: SpokenText) -> Alignment:
        if text.doubt:
            raise AlignmentError(text.doubt)
        samples, rate = soundfile.read(text.path, dtype="float32", always_2d=True)
        words = Transcript.from_text(text.text).spoken
        found = aligner.align(samples.mean(axis=1), rate, words, pronouncer.choices(words))
        if options.heard and (reason := refuted(found)):
            raise AlignmentError(reason)
        return found

    with (
        open(options.out, "a", encoding="utf-8") as out,
        open(refused, "a", encoding="utf-8") as left_out,
    ):
        for text in texts:
            place = text.path.relative_to(folder).as_posix()
            if place in known:
                continue
            try:
                row = {"path": place, "alignment": aligned(text).to_json()}
                print(json.dumps(row, ensure_ascii=False), file=out, flush=True)
            except (AlignmentError, soundfile.LibsndfileError) as error:
                print(place, str(error).replace("\n", " "), sep="\t", file=left_out, flush=True)


main = Program(
    align,
    option("folder", type=Path, metavar="FOLDER", help="corpora, or with --heard recordings"),
    option("--out", type=Path, required=True, metavar="FILE.jsonl"),
    option("--heard", type=Path, metavar="FILE.jsonl", help="texts that were transcribed"),
    option("--unseen", type=Path, metavar="FOLDER", help="corpora whose voices are left out"),
)


if __name__ == "__main__":
    sys.exit(main())
