"""How well two aligners agree on real speech for which there are no manual labels.

    python -m evaluation.hearing.agreement [--clips 60] [--seed 8]

Reads the clips of aligner_held_out.txt from the corpora that A3T_CORPORA names. PocketSphinx alone
on one side, the phone network alone on the other (it was trained on other clips, aligned by
PocketSphinx and a smaller network together). Agreement is not accuracy: both can be wrong together.

And how far the boundaries of the same recording move when pink noise 10 dB below the speech is
added: PocketSphinx's, the same refined by the smaller network, and the network aligner's.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

import numpy as np

from a3t.text.pronunciation.pronouncer import Pronouncer
from alignment import Alignment, AlignmentError
from alignment.aligners.decoder import FRAME_SECONDS, NoPathError, force_align
from alignment.aligners.network_aligner import NetworkAligner
from alignment.aligners.pocketsphinx import BOUNDARY_OFFSET, PocketSphinxAligner, first_alignment
from alignment.aligners.refinement import Acoustics, align_by_network
from alignment.waveform import model_waveform
from evaluation.hearing.planting import Spoken, chosen, heard, held_out
from training.alignment.distortions import noise
from training.corpora import corpora_root, read_corpora

HEAD = """| {what} | clips | phones | median ms | mean ms | bias ms | <10 ms | <20 ms | <50 ms |
|---|---|---|---|---|---|---|---|---|"""


def differences(spoken: Spoken, pronouncer: Pronouncer) -> np.ndarray | None:
    """The network's start of each phone minus PocketSphinx's, seconds; None if one found none."""
    waveform = model_waveform(spoken.samples, spoken.rate)
    plain = [
        [tuple(phone.rstrip("012") for phone in way) for way in pronouncer.candidates(word)]
        for word in spoken.words
    ]
    try:
        found = [word for word in force_align(waveform, plain) if word.index >= 0]
    except NoPathError:
        return None
    first = [
        phone.start * FRAME_SECONDS + BOUNDARY_OFFSET for word in found for phone in word.phones
    ]
    duration = len(spoken.samples) / spoken.rate
    pronunciations = [word.pronunciation for word in found]
    alone = align_by_network(spoken.words, pronunciations, duration, Acoustics.of(waveform))
    if alone is None:
        return None
    second = [phone.start for word in alone.spoken for phone in word.phones]
    return np.array(second) - np.array(first)


NOISE = 10  # dB below the speech


def moved_by_noise(spoken: Spoken, pronouncer: Pronouncer) -> dict[str, np.ndarray]:
    """The start of each phone with noise minus that without, in seconds, by aligner; empty if one
    of them fails."""
    choices = {word: pronouncer.candidates(word)[:1] for word in spoken.words}
    clean, rate = spoken.samples, spoken.rate
    noisy = noise(NOISE)(clean, rate)[0]
    seconds = len(clean) / rate

    def first(samples: np.ndarray) -> Alignment:
        return first_alignment(model_waveform(samples, rate), spoken.words, choices, seconds)

    def refined(samples: np.ndarray) -> Alignment:
        return PocketSphinxAligner().align(samples, rate, spoken.words, choices, check=False)

    def network(samples: np.ndarray) -> Alignment:
        return NetworkAligner().align(samples, rate, spoken.words, choices, check=False)

    try:
        found = {
            name: [starts(aligned(samples)) for samples in (clean, noisy)]
            for name, aligned in (
                ("PocketSphinx alone", first),
                ("PocketSphinx refined", refined),
                ("the network aligner", network),
            )
        }
    except AlignmentError:
        return {}
    return {name: after - before for name, (before, after) in found.items()}


def starts(alignment: Alignment) -> np.ndarray:
    """The start of each phone, in seconds."""
    return np.array([phone.start for word in alignment.spoken for phone in word.phones])


def rows(parts: Sequence[tuple[str, np.ndarray]]) -> Iterator[str]:
    """Lines of a table, one per name, from names with differences in seconds."""
    names = dict.fromkeys(name for name, _ in parts)
    for name in names:
        found = [part for other, part in parts if other == name]
        off = np.concatenate(found) * 1000
        size = np.abs(off)
        shares = " | ".join(f"{np.mean(size < limit):.1%}" for limit in (10, 20, 50))
        yield (
            f"| {name} | {len(found)} | {len(off)} | {np.median(size):.1f} | {size.mean():.1f} "
            f"| {off.mean():.1f} | {shares} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.hearing.agreement", description=__doc__
    )
    parser.add_argument("--clips", type=int, default=60, metavar="N")
    parser.add_argument("--seed", type=int, default=8, metavar="N")
    options = parser.parse_args()
    clips = chosen(held_out(read_corpora(corpora_root())), options.clips, options.seed)
    pronouncer = Pronouncer()
    apart: list[tuple[str, np.ndarray]] = []
    moved: list[tuple[str, np.ndarray]] = []
    for spoken in map(heard, clips):
        found = differences(spoken, pronouncer)
        if found is not None:
            apart.append((spoken.clip.corpus, found))
        moved += moved_by_noise(spoken, pronouncer).items()
    apart.sort(key=lambda part: part[0])
    print(HEAD.format(what="clips of"))
    print("\n".join(rows([*apart, *(("all", part) for _, part in apart)])))
    print("\n" + HEAD.format(what="moved by noise"))
    print("\n".join(rows(moved)))


if __name__ == "__main__":
    main()
