"""Words that are recorded elsewhere against the network's and against what was said there.

``A3T_CORPORA=… python -m evaluation.sound.word_takes FOLDER [--set choose|report] [--words N]``

Each voice of LibriSpeech has its clips joined to a recording of ten minutes at most. A word of it
that is said twice or more is made anew in one place, as if the text had had another word there, and
offered from the others; what was recorded in its place is the reference. FOLDER holds what was
measured word by word, and the same command goes on where it stopped. ``set`` is a half of the
voices, most of which the network was trained on; costs and ranks were chosen on "choose".
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import soxr

from a3t.audio.analysis.median_pitch import median_pitch
from a3t.audio.output.patches import read_patched
from a3t.audio.reading.recording import Recording
from a3t.audio.splicing.fades import FADE_MS
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.plan.planner import replan
from a3t.plan.request import EditRequest
from a3t.rendering.candidates import measured, variant
from a3t.rendering.edited import EditedRecording
from a3t.rendering.recorded_takes import active_level, manner_of, recorded_choices, wanted_manner
from alignment import Alignment
from evaluation.detector.spectral_statistics import RATE, log_spectrum, stretch_features
from evaluation.detector.telling_apart import told_apart
from evaluation.edits.listing import SETS, set_of
from evaluation.edits.long_recordings import LongRecording
from evaluation.metrics import figure_or_nan, speaker_similarity
from training.corpora import Clip, corpora_root, read_corpora

SECONDS = 600.0  # of a recording
AROUND = 8.0  # seconds on either side of a word that its sound is compared with
LETTERS = 4  # of a word, at least
LENGTHS = (0.15, 1.2)  # seconds of a word
OTHER = "something"  # what the text had in a word's place
NETWORKS, TAKES = 3, 2  # rendered: by the network, and of those that are recorded
NETWORK, NATURAL, TAKE = "network", "natural", "take"


def joined(clips: Sequence[Clip], half: str) -> Iterator[LongRecording]:
    """The recordings of a half's voices."""
    voices: dict[str, list[Clip]] = {}
    for clip in sorted(clips, key=lambda clip: clip.name):
        own = voices.setdefault(clip.voice, [])
        if clip.corpus == "librispeech" and sum(c.seconds for c in own) < SECONDS:
            own.append(clip)
    for voice, own in sorted(voices.items()):
        if own and set_of(voice) == half:
            yield LongRecording(voice, tuple(own))


def drawn(aligned: Alignment, count: int, seed: int) -> list[int]:
    """Words, by their places, that are said more than once: each other one of them once."""
    spoken = aligned.spoken
    places: dict[str, list[int]] = {}
    for k, word in enumerate(spoken):
        places.setdefault(word.text.lower(), []).append(k)
    fitting = [
        k
        for word, own in places.items()
        if len(word) >= LETTERS and len(own) > 1 and word != OTHER
        for k in own
        if 3 < k < len(spoken) - 4 and LENGTHS[0] < spoken[k].end - spoken[k].start < LENGTHS[1]
    ]
    chosen: dict[str, int] = {}
    for k in np.random.default_rng(seed).permutation(fitting):
        chosen.setdefault(spoken[k].text.lower(), int(k))
    return list(chosen.values())[:count]


def compared(editor: Editor, recording: Recording, aligned: Alignment, k: int) -> dict[str, Any]:
    """Measures of a word in its place, natural, by the network and recorded elsewhere; InputError
    if it can't be made there."""
    spoken = aligned.spoken
    texts = [word.text for word in spoken]
    changed = replace(spoken[k], text=OTHER)
    words = tuple(changed if word is spoken[k] else word for word in aligned.words)
    request = EditRequest(
        new_text=" ".join(texts),
        text=" ".join([*texts[:k], OTHER, *texts[k + 1 :]]),
        alignment=Alignment(words, aligned.duration),
        punctuate=False,
        candidates=2,
    )
    plan = editor.plan(recording, request)
    if len(plan.edits) != 1 or not plan.edits[0].is_spoken:
        raise InputError("not one edit")
    made = editor.render(plan)
    target = wanted_manner(made, 0)
    choices = recorded_choices(plan, made)
    reference = manner_of(recording, aligned, (k, k + 1))
    span = tuple(round(t * recording.sample_rate) for t in (spoken[k].start, spoken[k].end))
    row: dict[str, Any] = {
        "word": k,
        "target": asdict(target),
        "places": [{"cost": cost, **asdict(manner)} for _, manner, cost in choices[0]],
        NATURAL: asdict(reference) | _measures(recording, None, (span[0], span[1])),
        NETWORK: _of(made),
    }
    for number in range(1, NETWORKS):
        other = variant(plan, number, editor.render, editor.durations).result
        row[f"{NETWORK} {number + 1}"] = _of(other)
    for n, (words_there, _, cost) in enumerate(choices[0][:TAKES]):
        taken = replan(plan, replace(plan.request, recorded=(words_there,)), editor.durations)
        row[f"{TAKE} {n + 1}"] = _of(editor.render(taken), cost)
    return row


def _of(result: EditedRecording, cost: float = 0.0) -> dict[str, Any]:
    first, last = result.map.samples.changes[0].output
    fade = round(FADE_MS * result.recording.sample_rate / 1000)
    merits = replace(measured(result.plan, 0, result).merits, manner=cost)
    found = _measures(result.recording, result, (first + fade, last - fade))
    return found | {"score": merits.score}


def _measures(
    recording: Recording, result: EditedRecording | None, span: tuple[int, int]
) -> dict[str, Any]:
    """Pitch, level, similarity to what is around, and the detector's features of a stretch."""
    rate = recording.sample_rate
    begin = max(0, span[0] - round(AROUND * rate))
    total = recording.samples if result is None else result.map.samples.output_length
    end = min(total, span[1] + round(AROUND * rate))
    patches = () if result is None else result.patches
    sound = read_patched(recording, patches, begin, end).mean(axis=1)
    first, last = span[0] - begin, span[1] - begin
    own, rest = sound[first:last], np.concatenate([sound[:first], sound[last:]])
    low = soxr.resample(sound, rate, RATE, quality="VHQ")
    place = [round(sample * RATE / rate) for sample in (first, last)]
    try:
        features = [round(float(x), 4) for x in stretch_features(log_spectrum(low), *place)]
    except ValueError as error:
        raise InputError(str(error)) from None
    return {
        "pitch": median_pitch(own, rate),
        "level": active_level(own, rate),
        "similarity": figure_or_nan(speaker_similarity, rest, own, rate),
        "features": features,
    }


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Summarise the rows of each kind."""
    whole = [row for row in rows if f"{TAKE} 1" in row]
    voices = {row["voice"] for row in whole}
    lines = [
        f"{len(rows)} words; {len(whole)} of them, by {len(voices)} voices, with a take",
        "| | similarity | minus natural | level off, dB | by > 3 dB | pitch off, st | by > 3 st "
        "| told from natural |",
        "|---|---|---|---|---|---|---|---|",
    ]
    kinds = [NATURAL, NETWORK, *(f"{TAKE} {n + 1}" for n in range(TAKES)), "ranked"]
    for kind in kinds:
        own = [(row, row[kind]) for row in whole if kind in row]
        if kind == "ranked":
            own = [(r, max((r[NETWORK], r[f"{TAKE} 1"]), key=lambda m: m["score"])) for r in whole]
        lines.append(_line(kind, own))
    return "\n".join(lines)


def _line(kind: str, own: Sequence[tuple[dict[str, Any], dict[str, Any]]]) -> str:
    off = {
        name: np.array([made[name] - row[NATURAL][name] for row, made in own], float)
        for name in ("similarity", "level", "pitch")
    }
    level = np.abs(off["level"])
    pitch = 12 * np.abs(off["pitch"][np.isfinite(off["pitch"])])
    like = off["similarity"][np.isfinite(off["similarity"])]
    similarity = np.nanmean([made["similarity"] for _, made in own])
    told = "–"
    if kind != NATURAL:
        features = np.array(
            [m["features"] for _, m in own] + [r[NATURAL]["features"] for r, _ in own]
        )
        voices = [row["voice"] for row, _ in own]
        told = str(told_apart(features, np.arange(len(features)) < len(own), voices * 2))
    return (
        f"| {kind} ({len(own)}) | {similarity:.3f} "
        f"| {like.mean():+.3f} ± {like.std() / max(1, len(like)) ** 0.5:.3f} "
        f"| {level.mean():.1f} | {(level > 3).mean():.0%} | {pitch.mean():.1f} "
        f"| {(pitch > 3).mean():.0%} | {told} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--set", default="report", choices=SETS)
    parser.add_argument("--words", type=int, default=6, help="of each voice (default: 6)")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    found = options.folder / f"{options.set}.jsonl"
    rows = [json.loads(line) for line in found.read_text().splitlines()] if found.exists() else []
    editor = Editor.load(memory=options.folder / "alignments")
    for long in joined(read_corpora(corpora_root()), options.set):
        done = {row["word"] for row in rows if row["voice"] == long.name}
        if len(done) >= options.words:
            continue
        clip = long.write(options.folder)
        recording = Recording.open(clip.path)
        aligned = editor.align(recording, clip.text)
        for k in drawn(aligned, options.words, len(clip.text)):
            if k in done:
                continue
            try:
                row = {"voice": long.name, **compared(editor, recording, aligned, k)}
            except InputError as error:
                row = {"voice": long.name, "word": k, "error": str(error)}
            rows.append(row)
            with open(found, "a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
    print(table(rows))


if __name__ == "__main__":
    main()
