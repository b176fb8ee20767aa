"""Is a confidence of 80 % right in 80 of 100 cases, and a boundary within its spread?

    python -m evaluation.hearing.calibration words [--clips 60]
    python -m evaluation.hearing.calibration boundaries [--sentences 12]
    python -m evaluation.hearing.calibration pauses [--clips 70] [--chosen]

Words: held-out clips (A3T_CORPORA) with their own text and with one word replaced or put in, half
of them in noise as in planted_errors. A fit on the half for choosing says which slope and offset
would make the confidences' log odds probabilities; the table is of the other half. Wrong words are
as many as make a confidence of 0.5 even, which the command prints.

Boundaries: flite's voices, clean, in noise at 10 dB and in a room. What
alignment.confidence.boundary_confidence says was fitted to the first two voices; the table is of
the others (--voice chooses). The boundary network was trained on other sentences by all four.

Pauses: boundaries beside pauses in held-out clips, clean and as before, against where the sound of
the clean clip begins or ends (evaluation.hearing.sound_edges); with --chosen of the half that the
spreads were fitted to.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from a3t.text.pronunciation.pronouncer import Pronouncer
from alignment import AlignmentError, load_aligner
from alignment.confidence.boundary_confidence import spreads, undecided
from alignment.network.phone_network import features, posteriors
from alignment.waveform import model_waveform
from evaluation.harness.programs import program_parser
from evaluation.hearing.planted_errors import CONDITIONS, ONE, texts
from evaluation.hearing.planting import aligner_held_out, chosen, heard
from evaluation.hearing.sound_edges import sound_edges
from training.alignment.distortions import CONDITIONS as DISTORTIONS
from training.alignment.flite import SENTENCES, VOICES, speak
from training.alignment.flite import SyntheticUtterance as Utterance
from training.alignment.train_boundaries import true_times

EDGES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 1.0)
FITTED = VOICES[:2]


def words_of(count: int, reported: bool) -> tuple[np.ndarray, np.ndarray]:
    """Of words in texts with at most one error: their confidence, and whether they are said."""
    clips = [heard(clip) for clip in chosen(aligner_held_out(reported), count, 6)]
    aligner: Any = load_aligner()
    pronouncer = Pronouncer()
    pool = [word for spoken in clips for word in spoken.words]
    scores: list[float] = []
    said: list[bool] = []
    for number, spoken in enumerate(clips):
        distort = CONDITIONS[number // 4 % 4][1]
        samples = distort(spoken.samples, spoken.rate)[0] if distort else spoken.samples
        other = clips[(number + 4) % len(clips)]
        for text in texts(spoken, other, pool, random.Random(f"6-{number}")):
            if text.kind not in ONE[:3]:
                continue
            choices = {word: pronouncer.candidates(word) for word in text.words}
            try:
                found = aligner.align(samples, spoken.rate, text.words, choices, check=False)
            except AlignmentError:
                continue
            # Of a wrong text the wrong word alone: its neighbours share its sound.
            which = text.suspects if text.kind != "right" else range(len(text.words))
            scores += [found.spoken[k].score for k in which]
            said += [text.kind == "right"] * len(which)
    return np.array(scores), np.array(said)


def fitted(scores: np.ndarray, said: np.ndarray) -> tuple[float, float]:
    """Offset and slope of the log odds that make them probabilities (logistic regression), where
    half of the words are wrong."""
    odds = _odds(scores)
    weights = np.where(said, 0.5 / said.mean(), 0.5 / (1 - said.mean()))
    offset, slope = 0.0, 1.0
    for _ in range(50):  # Newton's method
        p = 1 / (1 + np.exp(-(offset + slope * odds)))
        error, curve = weights * (said - p), weights * p * (1 - p)
        hessian = np.array(
            [[curve.sum(), (curve * odds).sum()], [(curve * odds).sum(), (curve * odds**2).sum()]]
        )
        step = np.linalg.solve(hessian, np.array([error.sum(), (error * odds).sum()]))
        offset, slope = offset + step[0], slope + step[1]
    return float(offset), float(slope)


def _odds(scores: np.ndarray) -> np.ndarray:
    clipped = np.clip(scores, 1e-4, 1 - 1e-4)
    return np.log(clipped / (1 - clipped))


def words(count: int) -> None:
    offset, slope = fitted(*words_of(count, reported=False))
    wrong = 1 / (1 + np.exp(offset))
    print(f"fitted: slope {slope:.2f}; 0.5 is even where {1 - wrong:.1%} of the words are wrong")
    scores, said = words_of(count, reported=True)
    # Weights that make the wrong ones so many.
    weights = np.where(said, wrong / said.mean(), (1 - wrong) / (1 - said.mean()))
    print("| confidence | words | mean | said |\n|---|---|---|---|")
    total = 0.0
    for low, high in zip(EDGES, EDGES[1:], strict=False):
        inside = (scores >= low) & ((scores < high) | (high == 1.0))
        if inside.any():
            mean, share = (np.average(v[inside], weights=weights[inside]) for v in (scores, said))
            total += weights[inside].sum() * abs(mean - share)
            print(f"| {low} to {high} | {inside.sum()} | {mean:.3f} | {share:.3f} |")
    print(f"expected calibration error {total / weights.sum():.3f}")


def boundaries_of(voices: Sequence[str], sentences: int) -> np.ndarray:
    """Of each boundary how long it is undecided, its spread, and how far from the truth it is,
    seconds, (n, 3)."""
    aligner: Any = load_aligner()
    rows: list[np.ndarray] = []
    for voice in voices:
        for sentence in SENTENCES[:sentences]:
            spoken: Utterance = speak(sentence, voice)
            for name in ("clean", "noise 10 dB", "room"):
                samples, rate = DISTORTIONS[name](spoken.samples, spoken.rate)
                found = aligner.align(
                    samples, rate, spoken.words, spoken.pronunciations, check=False
                )
                scores = posteriors(features(model_waveform(samples, rate)))
                symbols = [phone.symbol for phone in found.phones]
                times = np.array([phone.end for phone in found.phones[:-1]])
                errors = np.abs(true_times(spoken, symbols) - times)
                rows.append(np.stack([undecided(found, scores), spreads(found, scores), errors], 1))
    return np.concatenate(rows)


def boundaries(sentences: int, voices: Sequence[str]) -> None:
    rows = boundaries_of(voices, sentences)
    print("| spread, ms | boundaries | mean | within it | two of three are within |")
    print("|---|---|---|---|---|")
    edges = np.quantile(rows[:, 1], np.linspace(0, 1, 7))
    edges[-1] += 1
    for low, high in zip(edges, edges[1:], strict=False):
        _, spread, error = rows[(rows[:, 1] >= low) & (rows[:, 1] < high)].T
        if len(spread):
            print(
                f"| {1000 * spread.min():.1f} to {1000 * spread.max():.1f} | {len(spread)} "
                f"| {1000 * spread.mean():.1f} | {(error <= spread).mean():.0%} "
                f"| {1000 * np.quantile(error, 2 / 3):.1f} |"
            )
    print(f"all: {len(rows)} boundaries, {(rows[:, 2] <= rows[:, 1]).mean():.0%} within it")


def pause_boundaries(count: int, reported: bool) -> list[tuple[str, bool, float, float]]:
    """For boundaries beside pauses the corpus, True for a word's start, the spread and the error,
    seconds."""
    aligner: Any = load_aligner()
    pronouncer = Pronouncer()
    rows = []
    for clip in chosen(aligner_held_out(reported), count, 6):
        spoken = heard(clip)
        choices = {word: pronouncer.candidates(word) for word in spoken.words}
        try:
            clean = aligner.align(spoken.samples, spoken.rate, spoken.words, choices)
        except AlignmentError:
            continue
        edges = list(sound_edges(spoken.samples, spoken.rate, clean))
        for condition in ("clean", "noise 10 dB", "room"):
            samples, rate = DISTORTIONS[condition](spoken.samples, spoken.rate)
            found = aligner.align(samples, rate, spoken.words, choices, check=False)
            stated = {phone.end: phone.spread for phone in found.phones[:-1]}
            for word, is_start, time in edges:
                here = found.spoken[word]
                at = here.start if is_start else here.end
                if at in stated:
                    rows.append((clip.corpus, is_start, stated[at], abs(at - time)))
    return rows


def pauses(count: int, reported: bool) -> None:
    rows = pause_boundaries(count, reported)
    unheard = [row for row in rows if row[0] in ("librispeech", "commonvoice")]
    parts = {
        "starts": [row for row in rows if row[1]],
        "ends": [row for row in rows if not row[1]],
        "voices that no network heard": unheard,
        "all": rows,
    }
    print("| beside a pause | | spread, ms | within it | two of three are within |")
    print("|---|---|---|---|---|")
    for name, part in parts.items():
        spread, error = np.array([row[2:] for row in part]).T
        print(
            f"| {name} | {len(part)} | {1000 * spread.mean():.1f} "
            f"| {(error <= spread).mean():.0%} | {1000 * np.quantile(error, 2 / 3):.1f} |"
        )


def main() -> None:
    parser = program_parser("hearing.calibration", __doc__, clips=60)
    parser.add_argument("what", choices=("words", "boundaries", "pauses"))
    parser.add_argument("--sentences", type=int, default=12, metavar="N")
    parser.add_argument("--chosen", action="store_true", help="the half that was fitted to")
    parser.add_argument("--voice", action="append", choices=VOICES)
    options = parser.parse_args()
    if options.what == "pauses":
        pauses(options.clips, not options.chosen)
    elif options.what == "words":
        words(options.clips)
    else:
        boundaries(options.sentences, options.voice or [v for v in VOICES if v not in FITTED])


if __name__ == "__main__":
    main()
