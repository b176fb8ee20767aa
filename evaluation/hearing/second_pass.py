"""Recognition weighed again by language models of passages (`recipes/words`).

A RUN and DIR are as for `training.words.perplexities`. Reads the held-out LibriSpeech clips of
A3T_CORPORA; those of one chapter are a passage. Of each clip the likeliest texts by the
recogniser's own rescoring (its trigrams and LSTM) are weighed anew: the score of each, and a weight
times what the language model makes of it after the texts chosen before in the passage. The weight
is chosen on one half of the voices (`planting.is_reported`), the table is of the other.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

import numpy as np
import torch

from alignment.errors import AlignmentError
from alignment.recognition.beam_search import search
from alignment.recognition.lattice import Arc
from alignment.recognition.network_recogniser import general_model, mean_scores
from alignment.recognition.rescoring import Rescoring, load_word_network
from alignment.waveform import model_waveform
from evaluation.harness.estimates import Interval
from evaluation.hearing.planting import aligner_held_out, heard
from training.programs import Program, option
from training.text.edit_distance import edit_distance
from training.words.positioned_text import END, WordList, load_words
from training.words.train_transformer_xl import load_network
from training.words.transformer_xl import TransformerXL

WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8)
Text = tuple[str, ...]


@dataclass
class Texts:
    """Chooses the likeliest text of a lattice, and keeps all that came near: words and nats."""

    rescoring: Rescoring
    words: Sequence[str]
    found: list[tuple[Text, float]] = field(default_factory=list)

    def __call__(self, lattice: Sequence[Arc]) -> list[int]:
        said = {arc.record: arc.word for arc in lattice}
        likeliest = self.rescoring.likeliest(lattice)
        self.found = [(tuple(self.words[said[r]] for r in way), score) for way, score in likeliest]
        return likeliest[0][0] if likeliest else []


@dataclass(frozen=True)
class HeardClip:
    """A clip's own words, and the texts that are likely, the likeliest first, with their nats."""

    said: Text
    texts: list[tuple[Text, float]]


def passages(reported: bool, most: int, count: int | None) -> list[list[HeardClip]]:
    """The clips of each chapter, in order; of each at ``most`` so many texts."""
    general, _, tree, ahead = general_model()
    clips = [c for c in aligner_held_out(reported) if c.corpus == "librispeech"]
    clips = sorted(clips, key=lambda clip: clip.path)[:count]
    result = []
    for _, group in groupby(clips, key=lambda clip: clip.path.parent):
        heard_clips = []
        for spoken in map(heard, group):
            rescoring = Rescoring(load_word_network(), general, most=most)
            texts = Texts(rescoring, general.words)
            try:
                sound = mean_scores(model_waveform(spoken.samples, spoken.rate))
                search(sound, tree, ahead, general, choose=texts)
            except AlignmentError:
                continue
            heard_clips.append(HeardClip(spoken.words, texts.found))
        result.append(heard_clips)
    return result


class Passage:
    """A network after some sentences of a passage."""

    def __init__(self, network: TransformerXL, listed: WordList) -> None:
        self.network, self.size = network, listed.size
        self.numbers = {word: k for k, word in enumerate(listed.words[: listed.size])}
        self.memory = network.nothing(1)
        self.last = self.numbers[END]
        self.positions = np.zeros((1, 3), np.int64)  # of what is remembered, and of the last token
        self.sentence = 0

    @torch.no_grad()
    def weigh(self, texts: Sequence[Text], read: bool = False) -> np.ndarray:
        """Nats (n,) that each of n texts is likely as the next sentence; the only one is `read`."""
        rows = [[self.numbers.get(w, 0) for w in (*text, ".")] for text in texts]
        longest = max(map(len, rows))
        padded = np.array([row + [0] * (longest - len(row)) for row in rows])
        given = np.concatenate([np.full((len(rows), 1), self.last), padded[:, :-1]], 1)
        own = [(t, self.sentence, 0) for t in range(longest)]
        places = np.concatenate([self.positions, own])
        before = torch.from_numpy(places[:-1]).expand(len(rows), -1, -1)
        memory = self.memory.expand(-1, len(rows), -1, -1)
        vectors, after = self.network(torch.from_numpy(given), before, memory)
        following = torch.from_numpy(padded).flatten()
        nats = self.network.loss(vectors.flatten(0, 1), following, slice(self.size))
        if read:
            self.memory, self.last = after, int(padded[0, -1])
            self.positions = places[-after.shape[2] - 1 :]
            self.sentence += 1
        inside = np.arange(longest) < np.array([[len(row)] for row in rows])
        return np.asarray(-(nats.numpy().reshape(inside.shape) * inside).sum(1))


def chosen_texts(
    clips: Sequence[HeardClip], network: TransformerXL, listed: WordList, weight: float
) -> list[Text]:
    """The text of each clip of a passage."""
    passage, result = Passage(network, listed), []
    for clip in clips:
        texts = [text for text, _ in clip.texts] or [()]
        scores = np.array([score for _, score in clip.texts] or [0.0])
        result.append(texts[int(np.argmax(scores + weight * passage.weigh(texts)))])
        passage.weigh(result[-1:], read=True)
    return result


def wrong(clips: Sequence[HeardClip], texts: Sequence[Text]) -> list[tuple[float, float]]:
    """Wrong words and words of each clip."""
    return [
        (edit_distance(c.said, text), len(c.said)) for c, text in zip(clips, texts, strict=True)
    ]


def work(options: argparse.Namespace) -> None:
    torch.set_num_threads(1)
    listed = load_words(options.data)
    choosing, reporting = (passages(half, options.most, options.clips) for half in (False, True))
    clips = [clip for passage in reporting for clip in passage]
    plain = wrong(clips, [clip.texts[0][0] if clip.texts else () for clip in clips])
    best = [
        (min(edit_distance(c.said, t) for t, _ in c.texts or [((), 0)]), len(c.said)) for c in clips
    ]
    print("| | weight | choosing, wrong words, % | reporting, wrong words, % | difference |")
    print("|---|---|---|---|---|")
    print(f"| the recogniser | – | | {Interval.ratio(plain):.1f} | |")
    print(f"| the best of its texts | – | | {Interval.ratio(best):.1f} | |", flush=True)
    for run in options.runs:
        network = load_network(run, listed)

        def by(passage: list[HeardClip], weight: float, net: TransformerXL = network) -> list[Text]:
            return chosen_texts(passage, net, listed, weight)

        found = {
            weight: [pair for p in choosing for pair in wrong(p, by(p, weight))]
            for weight in WEIGHTS
        }
        weight = min(WEIGHTS, key=lambda w: sum(hits for hits, _ in found[w]))
        pairs = [pair for p in reporting for pair in wrong(p, by(p, weight))]
        gains = [(own - old, words) for (own, words), (old, _) in zip(pairs, plain, strict=True)]
        print(
            f"| {run.name} | {weight} | {Interval.ratio(found[weight]):.1f} "
            f"| {Interval.ratio(pairs):.1f} | {Interval.ratio(gains):+.1f} |",
            flush=True,
        )


main = Program(
    work,
    option("runs", type=Path, nargs="+", metavar="RUN"),
    option("--data", type=Path, required=True, metavar="DIR"),
    option("--most", type=int, default=20, metavar="N", help="texts of a clip"),
    option("--clips", type=int, metavar="N", help="of each half (default: all)"),
    name="evaluation second-pass",
)


if __name__ == "__main__":
    raise SystemExit(main())
