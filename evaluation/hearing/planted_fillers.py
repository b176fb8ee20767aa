"""Fillers, repetitions and long pauses, planted and taken out.

In held-out clips, between two words whose exact edges are then known (`planted_sounds`): a filled
pause, a word said twice, a word begun twice, and 2 to 3 s of room tone. `Editor` finds and takes
them out, with the transcript that lacks them, and of written fillers and repetitions with the
transcript that has them. The clips are those of the half that figures are reported of; thresholds
are chosen with the other half (--chosen).

Found: the middle of a sound lies in something that was found. Clipped: a neighbouring word loses
more than 10 ms. False alarms a minute: what was found in the clips as they were, pauses apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import soundfile

from a3t.audio.reading.recording import Recording
from a3t.editor import Editor
from a3t.plan.disfluencies import DELIBERATE
from a3t.plan.findings import Findings
from alignment import AlignmentError
from evaluation.harness.declared_tables import Column, Row, Rows, Table, count, rate, share
from evaluation.harness.estimates import Interval
from evaluation.harness.measurement import CHOSEN, Measurement, Setting
from evaluation.hearing.planted_sounds import PlantedSound, PlantingClip
from evaluation.hearing.planting import Spoken, held_out_clips
from evaluation.joints import HALF_FADE
from training.programs import counts

KINDS = ("um", "repetition", "restart", "long pause")
CLIPPED = 0.01  # seconds of a word


def text_of(clip: PlantingClip, place: PlantedSound | None, written: bool) -> str:
    """Return the transcript; ``written``: with what was planted."""
    words = [word.text for word in clip.words]
    if written and place:
        added = "um" if place.kind == "um" else words[place.after]
        words.insert(place.after + 1, added)
    return " ".join(words)


def taken_out(editor: Editor, found: Findings, place: PlantedSound, clip: PlantingClip) -> Row:
    """Return whether a planted sound was found, and whether neighbouring words were clipped."""
    recording, rate = found.recording, found.recording.sample_rate
    begin, stop = place.start / rate, place.stop / rate
    said_twice = place.kind == "repetition"
    if said_twice:  # either of the two may go
        begin = clip.words[place.after].start
    inside = [f for f in found.found if f.start < stop and begin < f.end]
    middle = (place.start + place.stop) / 2 / rate
    middles = [middle, (begin + place.start / rate) / 2] if said_twice else [middle]
    if not any(f.start <= m <= f.end for f in inside for m in middles):
        return {"found": False, "clipped": False}
    result = editor.edit(recording, found.request(inside))
    half = round(HALF_FADE * rate)
    first = (min(patch.source[0] for patch in result.patches) + half) / rate
    last = (max(patch.source[1] for patch in result.patches) - half) / rate
    if said_twice and first < place.start / rate - CLIPPED:  # the first of the two went
        stop = place.start / rate + place.gap
    elif said_twice:
        begin = place.start / rate
    return {"found": True, "clipped": max(begin - first, last - stop) > CLIPPED}


def clean_planted(numbered: tuple[int, Spoken], setting: Setting) -> Iterator[Row]:
    """Plant every kind in a clip, and take it out."""
    number, spoken = numbered
    clip = PlantingClip(spoken, setting.align(spoken.samples, spoken.rate, spoken.words))
    editor, wav = setting.editor, setting.folder / "clip.wav"
    plain = _written(spoken.samples, spoken.rate, wav)
    nothing = editor.findings(plain, text=text_of(clip, None, False))
    alarms = sum(each.kind != "pause" for each in nothing.found)
    yield {"kind": None, "alarms": alarms, "minutes": plain.seconds / 60}
    for kind in KINDS:
        draw = np.random.default_rng([number, KINDS.index(kind), setting.options.seed])
        made = clip.with_sound(kind, draw)
        if made is None:
            continue
        changed = _written(made[0], spoken.rate, wav)
        for written in (False, True) if kind in ("um", "repetition") else (False,):
            if written and clip.words[made[1].after].text in DELIBERATE:
                continue
            row = {"kind": f"{kind}, written" if written else kind}
            try:
                found = editor.findings(changed, text=text_of(clip, made[1], written))
            except AlignmentError:
                yield row | {"found": False, "clipped": False}
                continue
            yield row | taken_out(editor, found, made[1], clip)


def _written(samples: np.ndarray, rate: int, wav: Path) -> Recording:
    soundfile.write(wav, samples, rate, subtype="PCM_16")
    return Recording.open(wav)


def _clipped(rows: Rows) -> Interval:
    made = [row for row in rows if row["found"]]
    return Interval.share(sum(row["clipped"] for row in made), len(made))


COLUMNS = (
    count("planted"),
    share("found", "found", ".0f"),
    Column("clipped", _clipped, ".1f"),
)
MEASUREMENT = Measurement(
    lambda setting: enumerate(
        held_out_clips(setting.options.clips, setting.options.seed, not setting.options.chosen)
    ),
    clean_planted,
    [
        Table(COLUMNS, ("kind",), only=lambda row: row["kind"]),
        Table(COLUMNS, only=lambda row: row["kind"]),
        Table(
            [rate("false alarms a minute", "alarms", "minutes", ".2f", per=1)],
            only=lambda row: row["kind"] is None,
        ),
    ],
    (*counts(clips=80, seed=11), CHOSEN),
    legend="Per cent, with 95 % intervals; clipped: of those that were found.",
)
