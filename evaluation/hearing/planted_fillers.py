"""Fillers, repetitions and long pauses, planted and taken out.

In held-out clips, between two words whose exact edges are then known (`planted_sounds`): a filled
pause, a word said twice, a word begun twice, and 2 to 3 s of room tone. `Editor` finds and takes
them out, with the transcript that lacks them, and of written fillers and repetitions with the
transcript that has them. The clips are those of the half that figures are reported of; thresholds
are chosen with the other half (--choosing).

Prints for each kind: how many; the share that is found (the middle of it lies in something that
was found); the share where a neighbouring word loses more than 10 ms; the joints, and their share
within the natural 95th percentile of dip, flux, jump and all three (`evaluation.joints`), and
that of natural places. Then the false alarms a minute: what was found in the clips as they were,
pauses apart.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
from tqdm import tqdm

from a3t.audio.reading.recording import Recording
from a3t.editor import Editor
from a3t.plan.cleaning.disfluencies import DELIBERATE
from a3t.plan.cleaning.findings import Findings
from a3t.text.pronunciation.pronouncer import Pronouncer
from alignment import AlignmentError, load_aligner
from evaluation.harness.programs import add_counts, markdown_table
from evaluation.hearing.planted_sounds import PlantedSound, PlantingClip
from evaluation.hearing.planting import Spoken, held_out_clips
from evaluation.joints import HALF_FADE, Natural, joint_percentiles, within

KINDS = ("um", "repetition", "restart", "long pause")
CLIPPED = 0.01  # seconds of a word


@dataclass(frozen=True)
class TakenOut:
    """The outcome for one planted sound. lost: seconds of the word before and of the word after."""

    kind: str
    written: bool
    found: bool
    lost: tuple[float, float] = (0.0, 0.0)
    joints: tuple[np.ndarray, ...] = ()


@dataclass(frozen=True)
class Cleaned:
    """The outcome for all planted sounds; false alarms in so many seconds; natural places."""

    rows: list[TakenOut]
    alarms: int
    seconds: float
    natural: Natural


def text_of(clip: PlantingClip, place: PlantedSound | None, written: bool) -> str:
    """The transcript; ``written``: with what was planted."""
    words = [word.text for word in clip.words]
    if written and place:
        added = "um" if place.kind == "um" else words[place.after]
        words.insert(place.after + 1, added)
    return " ".join(words)


def taken_out(
    editor: Editor,
    found: Findings,
    place: PlantedSound,
    clip: PlantingClip,
    written: bool,
    natural: Natural,
) -> TakenOut:
    """The outcome for the planted sound."""
    recording, rate = found.recording, found.recording.sample_rate
    begin, stop = place.start / rate, place.stop / rate
    said_twice = place.kind == "repetition"
    if said_twice:  # either of the two may go
        begin = clip.words[place.after].start
    inside = [f for f in found.found if f.start < stop and begin < f.end]
    middle = (place.start + place.stop) / 2 / rate
    middles = [middle, (begin + place.start / rate) / 2] if said_twice else [middle]
    if not any(f.start <= m <= f.end for f in inside for m in middles):
        return TakenOut(place.kind, written, False)
    result = editor.edit(recording, found.request(inside))
    half = round(HALF_FADE * rate)
    first = (min(patch.source[0] for patch in result.patches) + half) / rate
    last = (max(patch.source[1] for patch in result.patches) - half) / rate
    if said_twice and first < place.start / rate - CLIPPED:  # the first of the two went
        stop = place.start / rate + place.gap
    elif said_twice:
        begin = place.start / rate
    lost = max(0.0, begin - first), max(0.0, last - stop)
    joints = tuple(joint_percentiles(result, natural))
    return TakenOut(place.kind, written, True, lost, joints)


def clean_planted(editor: Editor, clips: Sequence[Spoken], seed: int) -> Cleaned:
    """Plant every kind in every clip, and take it out."""
    placing, natural, pronouncer = load_aligner("network"), Natural(), Pronouncer()
    rows: list[TakenOut] = []
    alarms, seconds = 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        wav = Path(folder) / "clip.wav"
        for number, spoken in enumerate(tqdm(clips, unit="clip", disable=None)):
            known = {word: pronouncer.candidates(word) for word in spoken.words}
            try:
                clean = placing.align(spoken.samples, spoken.rate, spoken.words, known)
            except AlignmentError:
                continue
            clip = PlantingClip(spoken, clean)
            soundfile.write(wav, spoken.samples, spoken.rate, subtype="PCM_16")
            plain, said = Recording.open(wav), text_of(clip, None, False)
            natural.add_plan(editor.plan(plain, text=said, new_text="a"))
            nothing = editor.findings(plain, text=said)
            alarms += sum(each.kind != "pause" for each in nothing.found)
            seconds += plain.seconds
            for kind in KINDS:
                draw = np.random.default_rng([number, KINDS.index(kind), seed])
                made = clip.with_sound(kind, draw)
                if made is None:
                    continue
                soundfile.write(wav, made[0], spoken.rate, subtype="PCM_16")
                for written in (False, True) if kind in ("um", "repetition") else (False,):
                    if written and clip.words[made[1].after].text in DELIBERATE:
                        continue
                    text = text_of(clip, made[1], written)
                    try:
                        found = editor.findings(Recording.open(wav), text=text)
                    except AlignmentError:
                        rows.append(TakenOut(kind, written, False))
                        continue
                    rows.append(taken_out(editor, found, made[1], clip, written, natural))
    return Cleaned(rows, alarms, seconds, natural)


def cleaning_table(rows: Sequence[TakenOut]) -> str:
    lines = []
    groups = [(kind, written) for kind in KINDS for written in (False, True)]
    for group in [*groups, None]:
        own = [row for row in rows if group in (None, (row.kind, row.written))]
        if not own:
            continue
        name = "all" if group is None else group[0] + (", written" if group[1] else "")
        made = [row for row in own if row.found]
        joints = [joint for row in made for joint in row.joints]
        clipped = np.mean([max(row.lost) > CLIPPED for row in made])
        shares = "/".join(f"{share:.0%}" for share in within(joints)) if joints else ""
        found = f"{len(made) / len(own):.0%}"
        lines.append((name, len(own), found, f"{clipped:.1%}", len(joints), shares))
    return markdown_table(["", "planted", "found", "a word clipped", "joints", "within"], lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_counts(parser, clips=80, seed=11)
    parser.add_argument(
        "--choosing", action="store_true", help="measure the clips used for thresholds"
    )


def run(options: argparse.Namespace) -> None:
    """Print the table."""
    clips = held_out_clips(options.clips, options.seed, not options.choosing)
    done = clean_planted(Editor.load(), clips, options.seed)
    shares = "/".join(f"{share:.0%}" for share in within(done.natural.drawn(4000)))
    minutes = done.seconds / 60
    print(f"{cleaning_table(done.rows)}\nNatural places within: {shares}")
    print(f"False alarms: {done.alarms} in {minutes:.1f} min, {done.alarms / minutes:.2f} a minute")
