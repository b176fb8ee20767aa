"""The network aligner against PocketSphinx on real speech without manual labels.

    python -m evaluation.hearing.agreement [--clips 60] [--seed 8]

Reads the clips of aligner_held_out.txt from the corpora that A3T_CORPORA names. Agreement is not
accuracy: both can be wrong together. And how far the boundaries of the same recording move when
pink noise 10 dB below the speech is added, by aligner.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

import numpy as np

from a3t.text.pronunciation.pronouncer import Pronouncer
from alignment import AlignmentError
from alignment.aligners.network_aligner import NetworkAligner
from alignment.waveform import model_waveform
from evaluation.hearing.planting import Spoken, chosen, heard, held_out
from evaluation.hearing.pocketsphinx import force_align
from training.alignment.distortions import noise
from training.corpora import corpora_root, read_corpora

HEAD = """| {what} | clips | phones | median ms | mean ms | bias ms | <10 ms | <20 ms | <50 ms |
|---|---|---|---|---|---|---|---|---|"""
NOISE = 10  # dB below the speech

Choices = dict[str, list[tuple[str, ...]]]


def by_network(samples: np.ndarray, rate: int, words: Sequence[str], ways: Choices) -> np.ndarray:
    """The start of each phone in seconds, (phones,)."""
    found = NetworkAligner().align(samples, rate, words, ways, check=False)
    return np.array([phone.start for word in found.spoken for phone in word.phones])


def by_pocketsphinx(
    samples: np.ndarray, rate: int, words: Sequence[str], ways: Choices
) -> np.ndarray:
    """The start of each phone in seconds, (phones,)."""
    plain = [[tuple(phone.rstrip("012") for phone in way) for way in ways[word]] for word in words]
    found = force_align(model_waveform(samples, rate), plain)
    return np.array([start for word in found for start in word.starts])


ALIGNERS = {"PocketSphinx": by_pocketsphinx, "the network aligner": by_network}


def starts(spoken: Spoken, pronouncer: Pronouncer) -> dict[str, list[np.ndarray]]:
    """Each phone's start, clean and in noise, by aligner, each word having one pronunciation;
    empty if one of them fails."""
    ways = {word: list(pronouncer.candidates(word)[:1]) for word in spoken.words}
    both = spoken.samples, noise(NOISE)(spoken.samples, spoken.rate)[0]
    try:
        return {
            name: [align(samples, spoken.rate, spoken.words, ways) for samples in both]
            for name, align in ALIGNERS.items()
        }
    except AlignmentError:
        return {}


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
        found = starts(spoken, pronouncer)
        if found:
            reference, ours = found.values()
            apart.append((spoken.clip.corpus, ours[0] - reference[0]))
        moved += [(name, noisy - clean) for name, (clean, noisy) in found.items()]
    apart.sort(key=lambda part: part[0])
    print(HEAD.format(what="clips of"))
    print("\n".join(rows([*apart, *(("all", part) for _, part in apart)])))
    print("\n" + HEAD.format(what="moved by noise"))
    print("\n".join(rows(moved)))


if __name__ == "__main__":
    main()
