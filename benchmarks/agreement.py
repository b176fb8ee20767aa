"""How far two aligners agree on real speech, where nobody's labels are at hand.

    python -m benchmarks.agreement [--clips 60] [--seed 8]

Reads the corpora that A3T_CORPORA names. PocketSphinx alone on one side, the phone network of
alignment.phone_net alone on the other (it was trained on PocketSphinx's alignments of other
clips, and on some of these). Agreement is not accuracy: both can be wrong together.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

import numpy as np

from a3t.text.g2p import Pronouncer
from a3t.training.corpora import corpora_root, read_corpora
from alignment.pocketsphinx_aligner import BOUNDARY_OFFSET
from alignment.refinement import Sound, found_alone
from alignment.sphinx import FRAME_SECONDS, NoPathError, force_align
from alignment.waveform import model_waveform
from benchmarks.planting import Spoken, chosen, heard

HEAD = """| clips of | clips | phones | median ms | mean ms | bias ms | <10 ms | <20 ms | <50 ms |
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
    said = [word.pronunciation for word in found]
    alone = found_alone(spoken.words, said, duration, Sound.of(waveform))
    if alone is None:
        return None
    second = [phone.start for word in alone.spoken for phone in word.phones]
    return np.array(second) - np.array(first)


def rows(clips: Sequence[Spoken]) -> Iterator[str]:
    """Lines of the table: each corpus, then all."""
    pronouncer = Pronouncer()
    found: dict[str, list[np.ndarray]] = {}
    for spoken in clips:
        parts = differences(spoken, pronouncer)
        if parts is not None:
            found.setdefault(spoken.clip.corpus, []).append(parts)
    everything = [part for parts in found.values() for part in parts]
    for corpus, parts in [*sorted(found.items()), ("all", everything)]:
        off = np.concatenate(parts) * 1000
        size = np.abs(off)
        shares = " | ".join(f"{np.mean(size < limit):.1%}" for limit in (10, 20, 50))
        yield (
            f"| {corpus} | {len(parts)} | {len(off)} | {np.median(size):.1f} | {size.mean():.1f} "
            f"| {off.mean():.1f} | {shares} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.agreement", description=__doc__)
    parser.add_argument("--clips", type=int, default=60, metavar="N")
    parser.add_argument("--seed", type=int, default=8, metavar="N")
    options = parser.parse_args()
    clips = chosen(read_corpora(corpora_root()), options.clips, options.seed)
    print(HEAD)
    for row in rows([heard(clip) for clip in clips]):
        print(row, flush=True)


if __name__ == "__main__":
    main()
