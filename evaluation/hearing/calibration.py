"""The share of boundaries within the spreads that the aligner states; two in three should be.

boundaries: flite's voices, clean, in noise at 10 dB and in a room. What
alignment.confidence.boundary_confidence says was fitted to the first two voices; the table is of
the others (--voice chooses). The boundary network was trained on other sentences by all four.

pauses: boundaries beside pauses in held-out clips, clean and as before, against where the sound of
the clean clip begins or ends (evaluation.hearing.sound_edges); with --chosen of the half that the
spreads were fitted to.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from a3t.text.pronunciation.pronouncer import Pronouncer
from alignment import AlignmentError
from alignment.aligners.network_aligner import NetworkAligner
from alignment.confidence.boundary_confidence import spreads
from alignment.network.phone_network import features, posteriors
from alignment.waveform import model_waveform
from evaluation.harness.programs import add_counts, markdown_table
from evaluation.hearing.boundary_errors import spoken
from evaluation.hearing.planting import held_out_clips
from evaluation.hearing.sound_edges import sound_edges
from training.alignment.distortions import CONDITIONS as DISTORTIONS
from training.alignment.flite import VOICES
from training.alignment.train_boundaries import true_times

CONDITIONS = ("clean", "noise 10 dB", "room")
REPORTED = VOICES[2:]  # the others were fitted to


def phone_boundaries(voices: Sequence[str], sentences: int) -> np.ndarray:
    """Each boundary's spread, and how far from the truth it is, seconds, (n, 2)."""
    aligner, rows = NetworkAligner(), []
    for utterance in spoken(voices, sentences):
        for name in CONDITIONS:
            samples, rate = DISTORTIONS[name](utterance.samples, utterance.rate)
            found = aligner.align(
                samples, rate, utterance.words, utterance.pronunciations, check=False
            )
            scores = posteriors(features(model_waveform(samples, rate)))
            symbols = [phone.symbol for phone in found.phones]
            times = np.array([phone.end for phone in found.phones[:-1]])
            errors = np.abs(true_times(utterance, symbols) - times)
            rows.append(np.stack([spreads(found, scores), errors], 1))
    return np.concatenate(rows)


def boundary_table(rows: np.ndarray) -> str:
    """The boundaries by their spread, six groups of one size, and all together."""
    edges = np.quantile(rows[:, 0], np.linspace(0, 1, 7))
    edges[-1] += 1
    groups = [
        rows[(rows[:, 0] >= a) & (rows[:, 0] < b)] for a, b in zip(edges, edges[1:], strict=False)
    ]
    lines = []
    for own in [*filter(len, groups), rows]:
        spread, error = own.T
        lines.append(
            (
                f"{1000 * spread.min():.1f} to {1000 * spread.max():.1f}",
                len(own),
                f"{1000 * spread.mean():.1f}",
                f"{(error <= spread).mean():.0%}",
                f"{1000 * np.quantile(error, 2 / 3):.1f}",
            )
        )
    head = ["spread, ms", "boundaries", "mean", "within it", "two of three are within"]
    return markdown_table(head, lines)


def pause_boundaries(count: int, reported: bool) -> list[tuple[str, bool, float, float]]:
    """For boundaries beside pauses the corpus, True for a word's start, the spread and the error,
    seconds."""
    aligner, pronouncer, rows = NetworkAligner(), Pronouncer(), []
    for said in held_out_clips(count, 6, reported):
        choices = {word: pronouncer.candidates(word) for word in said.words}
        try:
            clean = aligner.align(said.samples, said.rate, said.words, choices)
        except AlignmentError:
            continue
        edges = list(sound_edges(said.samples, said.rate, clean))
        for condition in CONDITIONS:
            samples, rate = DISTORTIONS[condition](said.samples, said.rate)
            found = aligner.align(samples, rate, said.words, choices, check=False)
            stated = {phone.end: phone.spread for phone in found.phones[:-1]}
            for word, is_start, time in edges:
                here = found.spoken[word]
                at = here.start if is_start else here.end
                if at in stated:
                    rows.append((said.clip.corpus, is_start, stated[at], abs(at - time)))
    return rows


def pause_table(rows: Sequence[tuple[str, bool, float, float]]) -> str:
    """Starts, ends, and voices that no network heard."""
    parts = {
        "starts": [row for row in rows if row[1]],
        "ends": [row for row in rows if not row[1]],
        "unheard voices": [row for row in rows if row[0] in ("librispeech", "commonvoice")],
        "all": rows,
    }
    lines = []
    for name, part in parts.items():
        spread, error = np.array([row[2:] for row in part]).T
        within, most = (error <= spread).mean(), 1000 * np.quantile(error, 2 / 3)
        lines.append(
            (name, len(part), f"{1000 * spread.mean():.1f}", f"{within:.0%}", f"{most:.1f}")
        )
    head = ["beside a pause", "", "spread, ms", "within it", "two of three are within"]
    return markdown_table(head, lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("what", choices=("boundaries", "pauses"))
    add_counts(parser, clips=60, sentences=12)
    parser.add_argument("--chosen", action="store_true", help="measure the half used for fitting")
    parser.add_argument("--voice", action="append", choices=VOICES)


def run(options: argparse.Namespace) -> None:
    """Print the table; raises AlignmentError."""
    if options.what == "pauses":
        print(pause_table(pause_boundaries(options.clips, not options.chosen)))
    else:
        print(boundary_table(phone_boundaries(options.voice or REPORTED, options.sentences)))
