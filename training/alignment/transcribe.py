"""Transcribes recordings: python -m training.alignment.transcribe WHISPER FOLDER --out FILE.jsonl

WHISPER is the folder of a Whisper model for CTranslate2. FILE gets an object a line for each
recording below FOLDER: its `path` there, `seconds`, the `text` heard, the mean logarithm of its
pieces' probabilities, `likelihood`, and the probability that there is no speech, `no_speech`. The
same command goes on where it stopped. --names has names of recordings to transcribe, one per line.
Longer recordings than half a minute are left out.

Whisper hears half a minute at once, however short a recording is. Here it gets the recording and 5
to 7.5 seconds of silence: of 12 clips of 6 seconds that took a fifth to a third of the time, and 8
of 107 words were others, right or wrong.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from alignment.errors import AlignmentError
from alignment.waveform import model_waveform
from training.programs import Program, option
from training.text_lines import whole_lines

LONGEST = 25.0  # seconds
SILENCE, ROUNDED = 500, 250  # frames of 10 ms
BATCH = 8
TOGETHER = 8 * BATCH  # recordings among which those of like length are heard at once
BEAM = 2
MOST_PIECES = 120


class BatchTranscriber:
    """A Whisper model in a folder; it hears several recordings at once, in English."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        import faster_whisper
        from faster_whisper.tokenizer import Tokenizer

        self.whisper = faster_whisper.WhisperModel(
            str(folder), "cpu", compute_type="int8", cpu_threads=threads, local_files_only=True
        )
        self.tokenizer = Tokenizer(
            self.whisper.hf_tokenizer,
            self.whisper.model.is_multilingual,
            task="transcribe",
            language="en",
        )

    def hear(self, sounds: Sequence[np.ndarray]) -> list[dict[str, Any]]:
        """The `text`, `likelihood` and `no_speech` of each of several `model_waveform`s."""
        from faster_whisper.audio import pad_or_trim

        each = [
            self.whisper.feature_extractor(sound.astype(np.float32) / 32768) for sound in sounds
        ]
        frames = max(features.shape[1] for features in each) + SILENCE
        frames = min(-(-frames // ROUNDED) * ROUNDED, self.whisper.feature_extractor.nb_max_frames)
        encoded = self.whisper.encode(np.stack([pad_or_trim(found, frames) for found in each]))
        prompt = [*self.tokenizer.sot_sequence, self.tokenizer.no_timestamps]
        found = self.whisper.model.generate(
            encoded,
            [prompt] * len(each),
            beam_size=BEAM,
            max_length=MOST_PIECES,
            return_scores=True,
            return_no_speech_prob=True,
        )
        return [
            {
                "text": self.tokenizer.decode(one.sequences_ids[0]).strip(),
                "likelihood": round(one.scores[0], 3),
                "no_speech": round(one.no_speech_prob, 3),
            }
            for one in found
        ]


def parts(things: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    return (things[start : start + size] for start in range(0, len(things), size))


def sounds(paths: Sequence[Path]) -> list[tuple[Path, float, np.ndarray]]:
    """Each usable recording, its seconds and its `model_waveform`, the shortest first."""
    found = []
    for path in paths:
        samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
        seconds = len(samples) / rate
        if seconds > LONGEST:
            continue
        try:
            found.append((path, seconds, model_waveform(samples.mean(axis=1), rate)))
        except AlignmentError:
            continue  # silent, or too short to hold a word
    return sorted(found, key=lambda each: each[1])


def transcribe(options: argparse.Namespace) -> None:
    from a3t.commands.align_corpus import RECORDINGS

    known = {json.loads(line)["path"] for line in whole_lines(options.out)}
    wanted = set(options.names.read_text("utf-8").split()) if options.names else None
    paths = [
        path
        for path in sorted(options.folder.rglob("*"))
        if path.suffix.lower() in RECORDINGS
        and (wanted is None or path.name in wanted or path.stem in wanted)
        and path.relative_to(options.folder).as_posix() not in known
    ]
    random.Random(0).shuffle(paths)  # so that a part of them is like the whole
    transcriber = BatchTranscriber(options.whisper, options.threads)
    with open(options.out, "a", encoding="utf-8") as out:
        for some in parts(paths, TOGETHER):
            for batch in parts(sounds(some), BATCH):
                heard = transcriber.hear([sound for *_, sound in batch])
                for (path, seconds, _), text in zip(batch, heard, strict=True):
                    place = path.relative_to(options.folder).as_posix()
                    row = {"path": place, "seconds": round(seconds, 3)} | text
                    out.write(json.dumps(row, ensure_ascii=False) + "\n")
            out.flush()


main = Program(
    transcribe,
    option("whisper", type=Path, metavar="WHISPER", help="the folder of a Whisper model"),
    option("folder", type=Path, metavar="FOLDER", help="recordings"),
    option("--out", type=Path, required=True, metavar="FILE.jsonl"),
    option("--names", type=Path, metavar="FILE", help="only these, one per line"),
    option("--threads", type=int, default=1, metavar="N", help="default: 1"),
)


if __name__ == "__main__":
    sys.exit(main())
