"""Generate a corpus of the published layout, size and lengths, to try a recipe at its real scale.

python -m training.corpora.generate vctk FOLDER --share 0.01

Every clip is the example sentence at another tempo and level, once or several times over, so that
the clips last as long as the corpus's do in the mean. A folder that was begun is completed.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import soundfile
import soxr
from tqdm import tqdm

from a3t.audio.output.files import atomic_path
from a3t.example import RECORDING, TEXT
from training.corpora.prepare import WITHOUT_TEXT
from training.programs import Program, option

TEMPOS = np.linspace(0.85, 1.15, 7)


@dataclass(frozen=True)
class GeneratedClip:
    """One clip: its sound files, relative to the corpus, and its text's file.

    With them its rate, Hz, and how often it repeats the sentence; the text's file is None where the
    corpus lists its texts in one file.
    """

    sounds: tuple[str, ...]
    rate: int
    repeats: int
    text: str | None = None

    def write(self, folder: Path, number: int) -> None:
        """Write what is not there yet; ``number`` decides tempo and level."""
        missing = [folder / name for name in self.sounds if not (folder / name).exists()]
        for path in missing:
            path.parent.mkdir(parents=True, exist_ok=True)
            samples = spoken(self.rate, number % len(TEMPOS), self.repeats)
            with atomic_path(path) as temporary:
                level = np.float32(0.5 + 0.5 * (number * 0.618 % 1))
                form = path.suffix[1:].upper()
                soundfile.write(temporary, samples * level, self.rate, "PCM_16", format=form)
        if self.text is not None:
            (folder / self.text).parent.mkdir(parents=True, exist_ok=True)
            (folder / self.text).write_text(text_of(self.repeats) + "\n")


@cache
def spoken(rate: int, tempo: int, repeats: int) -> np.ndarray:
    """Speak the sentence ``repeats`` times over, (samples,) float32, at one of the `TEMPOS`."""
    samples, recorded = soundfile.read(RECORDING, dtype="float32")
    return np.tile(soxr.resample(samples, recorded, rate / TEMPOS[tempo]), repeats)


def text_of(repeats: int) -> str:
    """Return the text of so many repeats."""
    return " ".join([TEXT] * repeats)


def ljspeech(folder: Path, share: float) -> Iterator[GeneratedClip]:
    """Make 13,100 clips of 6.6 s in the mean, one sentence or two; a listed text has no sound."""
    names = [f"LJ{k // 260 + 1:03}-{k % 260 + 1:04}" for k in range(round(13_100 * share))]
    clips = [GeneratedClip((f"wavs/{n}.wav",), 22_050, 1 + k % 2) for k, n in enumerate(names)]
    texts = [text_of(clip.repeats) for clip in clips]
    lines = [f"{n}|{text}|{text}\n" for n, text in zip(names, texts, strict=True)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "metadata.csv").write_text("".join([*lines, "LJ051-9999|Unsaid.|Unsaid.\n"]))
    yield from clips


def vctk(folder: Path, share: float) -> Iterator[GeneratedClip]:
    """Make release 0.92: 109 speakers of 404 clips by two microphones, 3.6 s in the mean.

    A part has the root of ``share`` of each; one speaker is without texts.
    """
    speakers = max(3, round(109 * math.sqrt(share)))
    for speaker in [*(f"p{225 + k}" for k in range(speakers - 1)), *WITHOUT_TEXT]:
        for k in range(round(44_000 * share / speakers)):
            name = f"{speaker}/{speaker}_{k + 1:03}"
            sounds = (f"wav48_silence_trimmed/{name}_mic{mic}.flac" for mic in (1, 2))
            text = f"txt/{name}.txt" if speaker not in WITHOUT_TEXT else None
            yield GeneratedClip(tuple(sounds), 48_000, 1, text)


def libritts(folder: Path, share: float) -> Iterator[GeneratedClip]:
    """Make train-clean-100 and -360, dev-clean, test-clean.

    They are 160,309 clips of 1,231 speakers, 5.9 s in the mean.
    """
    subsets = {
        "train-clean-100": (247, 33_236),
        "train-clean-360": (904, 116_500),
        "dev-clean": (40, 5_736),
        "test-clean": (40, 4_837),
    }
    first = 0
    for subset, (readers, clips) in subsets.items():
        speakers = max(1, round(readers * math.sqrt(share)))
        for k in range(round(clips * share)):
            speaker, chapter = first + k % speakers, 10_000 + k // (20 * speakers)
            name = f"{speaker}_{chapter}_{k:06}_000000"
            place = f"{subset}/{speaker}/{chapter}/{name}"
            repeats = 1 + (k // speakers) % 2
            yield GeneratedClip((f"{place}.wav",), 24_000, repeats, f"{place}.normalized.txt")
        first += speakers


CORPORA: dict[str, Callable[[Path, float], Iterator[GeneratedClip]]] = {
    "ljspeech": ljspeech,
    "vctk": vctk,
    "libritts": libritts,
}


def generate(corpus: str, folder: Path, share: float) -> int:
    """Write ``share`` of a corpus's clips into ``folder``; returns how many those are."""
    clips = list(CORPORA[corpus](folder, share))
    for number, clip in enumerate(tqdm(clips, unit="clip", disable=None)):
        clip.write(folder, number)
    return len(clips)


main = Program(
    lambda options: print(generate(options.corpus, options.folder, options.share), "clips"),
    option("corpus", choices=CORPORA),
    option("folder", type=Path),
    option("--share", type=float, default=1.0, metavar="X", help="share of its clips (default: 1)"),
)


if __name__ == "__main__":
    sys.exit(main())
