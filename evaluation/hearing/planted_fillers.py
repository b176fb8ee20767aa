"""Fillers, repetitions and long pauses, planted and taken out.

    python -m evaluation.hearing.planted_fillers

Reads the clips of aligner_held_out.txt from the corpora that A3T_CORPORA names, as
evaluation.hearing.planted_sounds does, and plants in each, between two words whose exact edges
are then known: a filled pause, a word said twice, a word begun twice, and 2 to 3 s of room tone.
`Editor` finds and takes them out, with the transcript that lacks them, and of written fillers and
repetitions with the transcript that has them. The clips are those of the half that figures are
reported of; thresholds are chosen with the other half (--choosing).

Prints for each kind: how many; the share that is found (the middle of it lies in something that
was found); the share where a neighbouring word loses more than 10 ms; the joints, and their share
within the natural 95th percentile of dip, flux, jump and all three (`evaluation.joints`), and
that of natural places. Then the false alarms a minute: what was found in the clips as they were,
pauses apart.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile

from a3t.audio.reading.recording import Recording
from a3t.audio.splicing.fades import crossfade
from a3t.editor import Editor
from a3t.plan.cleaning.disfluencies import DELIBERATE
from a3t.plan.cleaning.findings import Findings
from alignment import AlignmentError, load_aligner
from evaluation.harness.programs import program_parser
from evaluation.hearing.planted_sounds import AlignedClip, PlantedSound, planted, stretched
from evaluation.hearing.planting import aligner_held_out, chosen, heard
from evaluation.joints import HALF_FADE, Natural, joint_percentiles, within

KINDS = ("um", "repetition", "restart", "long pause")
CLIPPED = 0.01  # seconds of a word
FADE = 0.01  # seconds in which what is planted goes over into the rest


@dataclass(frozen=True)
class TakenOut:
    """What became of a planted sound. lost: of the word before and of the word after, seconds."""

    kind: str
    written: bool
    found: bool
    lost: tuple[float, float]
    joints: tuple[np.ndarray, ...]


class PlantingClip(AlignedClip):
    """A clip into which sounds are planted without a trace: every part of them is cross-faded into
    the next, and they into the clip. It keeps the last gap's seconds."""

    gap = 0.0

    def tone(self, seconds: float) -> np.ndarray:
        """Room tone: the middle of the clip's longest pause, repeated, its ends cross-faded."""
        self.gap = seconds
        pauses = [word for word in self.alignment.words if word.is_pause]
        longest = max(pauses, key=lambda word: word.duration)
        edge = longest.duration / 4
        piece = self.cut(longest.start + edge, longest.end - edge)
        count = round(seconds * self.rate)
        made = piece
        while len(made) < count:
            made = self.joined(made, piece)
        return made[:count]

    def joined(self, *parts: np.ndarray) -> np.ndarray:
        """The parts one after the other, each cross-faded into the next."""
        made = parts[0]
        for part in parts[1:]:
            fade = min(round(FADE * self.rate), len(made) // 3, len(part) // 3)
            old, new = made[len(made) - fade :, None], part[:fade, None]
            both = crossfade(old, new)[:, 0]
            made = np.concatenate([made[: len(made) - fade], both, part[fade:]])
        return made.astype(np.float32)

    def sound(self, kind: str, after: int, random: np.random.Generator) -> np.ndarray | None:
        if kind == "long pause":
            made = self.tone(random.uniform(2.0, 3.0))
            self.gap = 0.0
            return made
        first, second = self.words[after], self.words[after + 1]
        gap = self.tone(random.uniform(0.08, 0.25))
        around = FADE / 2  # seconds of what was beside it
        if kind == "repetition":
            return self.joined(gap, self.cut(first.start - around, first.end + around), gap)
        if kind == "restart":
            middle = (second.start + second.end) / 2
            return self.joined(gap, self.cut(second.start - around, middle + around), gap)
        vowel, nasal = self.phone(("AH", "ER", "AA", "EH")), self.phone(("M", "N"))
        if vowel is None or nasal is None:
            return None
        held = stretched(vowel, random.uniform(0.2, 0.4), self.rate)
        hummed = stretched(nasal, random.uniform(0.1, 0.2), self.rate)
        return self.joined(gap, held, hummed, gap)

    def with_sound(
        self, kind: str, random: np.random.Generator
    ) -> tuple[np.ndarray, PlantedSound] | None:
        """The clip with one sound between two of its words, whose edges stay where they were."""
        made = planted(self, kind, random)
        if made is None:
            return None
        place = made[1]
        sound = made[0][place.start : place.stop]
        half = round(FADE * self.rate) // 2
        # The fades lie half in the words beside it, where the clip goes on under them.
        changed = self.joined(
            self.samples[: place.start + half],
            np.concatenate([sound[:half], sound, sound[len(sound) - half :]]),
            self.samples[place.start - half :],
        )
        return changed, place


def text_of(clip: AlignedClip, place: PlantedSound, written: bool) -> str:
    """The transcript; ``written``: with what was planted."""
    words = [word.text for word in clip.words]
    if written:
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
    """What became of the planted sound."""
    recording, rate = found.recording, found.recording.sample_rate
    begin, stop = place.start / rate, place.stop / rate
    said_twice = place.kind == "repetition"
    if said_twice:  # either of the two may go
        begin = clip.words[place.after].start
    inside = [f for f in found.found if f.start < stop and begin < f.end]
    middle = (place.start + place.stop) / 2 / rate
    middles = [middle, (begin + place.start / rate) / 2] if said_twice else [middle]
    if not any(f.start <= m <= f.end for f in inside for m in middles):
        return TakenOut(place.kind, written, False, (0.0, 0.0), ())
    result = editor.edit(recording, found.request(inside))
    half = round(HALF_FADE * rate)
    first = (min(patch.source[0] for patch in result.patches) + half) / rate
    last = (max(patch.source[1] for patch in result.patches) - half) / rate
    if said_twice and first < place.start / rate - CLIPPED:  # the first of the two went
        stop = place.start / rate + clip.gap
    elif said_twice:
        begin = place.start / rate
    lost = max(0.0, begin - first), max(0.0, last - stop)
    joints = tuple(joint_percentiles(result, natural))
    return TakenOut(place.kind, written, True, lost, joints)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = program_parser("hearing.planted_fillers", __doc__, clips=80, seed=11)
    parser.add_argument("--choosing", action="store_true", help="clips to choose thresholds by")
    parser.add_argument("--show", action="store_true", help="print what was missed")
    options = parser.parse_args(arguments)
    half = aligner_held_out(not options.choosing)
    clips = [heard(clip) for clip in chosen(half, options.clips, options.seed)]
    editor, placing, natural = Editor.load(), load_aligner("network"), Natural()
    rows: list[TakenOut] = []
    alarms, seconds = 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        wav = Path(folder) / "clip.wav"
        for number, spoken in enumerate(clips):
            known = editor_pronunciations(spoken.words)
            try:
                clean = placing.align(spoken.samples, spoken.rate, spoken.words, known)
            except AlignmentError:
                continue
            clip = PlantingClip(spoken, clean)
            soundfile.write(wav, spoken.samples, spoken.rate, subtype="PCM_16")
            plain = Recording.open(wav)
            plan = editor.plan(plain, text=text_of(clip, NOTHING, False), new_text="a")
            nothing = editor.findings(plain, text=text_of(clip, NOTHING, False))
            alarms += sum(each.kind != "pause" for each in nothing.found)
            seconds += plain.seconds
            natural.add_plan(plan)
            for kind in KINDS:
                made = clip.with_sound(
                    kind, np.random.default_rng([number, KINDS.index(kind), options.seed])
                )
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
                        rows.append(TakenOut(kind, written, False, (0.0, 0.0), ()))
                        continue
                    row = taken_out(editor, found, made[1], clip, written, natural)
                    rows.append(row)
                    if options.show and (not row.found or max(row.lost) > CLIPPED):
                        print(spoken.clip.path.stem, row.kind, written, row.found, row.lost, text)
                        print(made[1].start / spoken.rate, made[1].stop / spoken.rate)
                        print(found.describe(found.found), flush=True)
    print(cleaning_table(rows))
    natural_shares = "/".join(f"{share:.0%}" for share in within(natural.drawn(4000)))
    print(f"| natural places | | | | | {natural_shares} |")
    print(
        f"\nFalse alarms: {alarms} in {seconds / 60:.1f} min, {alarms / seconds * 60:.2f} a minute"
    )
    return 0


def cleaning_table(rows: Sequence[TakenOut]) -> str:
    lines = [
        "| | planted | found | a word clipped | joints | within |",
        "|---|---|---|---|---|---|",
    ]
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
        lines.append(
            f"| {name} | {len(own)} | {len(made) / len(own):.0%} | {clipped:.1%} | {len(joints)} | "
            f"{shares} |"
        )
    return "\n".join(lines)


def editor_pronunciations(words: Sequence[str]) -> dict:
    from a3t.text.pronunciation.pronouncer import Pronouncer

    pronouncer = Pronouncer()
    return {word: pronouncer.candidates(word) for word in words}


NOTHING = PlantedSound("", 0, 0, 0)


if __name__ == "__main__":
    sys.exit(main())
