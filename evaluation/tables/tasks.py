"""The systems' tasks: reconstruct, edit and speak, each a gap in a clip.

N frames of the clip with its gap, P phones.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import torch

from a3t.errors import InputError
from a3t.grid import HOP
from a3t.model.variance.durations import DurationPredictor
from a3t.plan.speaker.speaking_rate import rate_ratio, whole_frames
from a3t.text.phones import PHONES, phone_ids
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from evaluation.clips import LOW_RATE, HeldOutClip, Predictor, align_clip, held_out, open_gap
from evaluation.edits.listing import LIST, read_list
from evaluation.systems.interface import Gap, Range, Sound
from training.corpora import Clip, read_corpora

GIVEN, PREDICTED, EDIT, PROMPT = "given", "predicted", "edit", "prompt"
KINDS = (GIVEN, PREDICTED, EDIT, PROMPT)
TASKS = "tasks.jsonl"  # the list of them, in a table's folder
PROMPT_SECONDS = (2.0, 6.0)  # of a prompt, and of what is spoken by it


@dataclass(frozen=True)
class GapTask:
    """A gap to fill.

    recording: the clip before, at 24 kHz, of which sample ``resume`` follows the gap. truth: the
    gap's true content within a clip of its own, with the same surroundings as the recording: its
    samples, and the frames [first, last) in it; None for new words. spoken, before: the words that
    the result and the recording say. true_durations: of the gap's phones, where there are some.
    rate: of mel-cepstra. Mels end at 7.6 kHz, and many recordings have nothing above 8 kHz, where
    the distance would be that of the vocoder's guess from an empty band: so it is 16 kHz.
    """

    name: str
    kind: str  # one of KINDS
    detail: str  # of an edit, its kind
    voice: str
    seen: bool
    gap: Gap
    recording: Sound
    resume: int
    truth: tuple[Sound, Range] | None
    spoken: tuple[str, ...]
    before: tuple[str, ...] = ()
    true_durations: tuple[int, ...] = ()
    rate: int = LOW_RATE

    @cached_property
    def true_mel(self) -> np.ndarray | None:
        """The mel (n, 80) of the gap's true content."""
        from a3t.audio.analysis.mel import log_mel

        if self.truth is None:
            return None
        sound, (first, last) = self.truth
        mel: np.ndarray = log_mel(sound).numpy()[first:last]
        return mel

    @property
    def version(self) -> str:
        """A string that changes with the gap, its phones, words or durations."""
        gap, truth = self.gap, self.truth and (len(self.truth[0]), self.truth[1])
        numbers = (gap.phones, gap.durations, gap.words)
        said = (self.spoken, self.before)
        facts = (len(self.recording), self.resume, truth, gap.frame_span, *said, self.rate)
        return repr(([each.tolist() for each in numbers], facts))


def reconstructions(
    item: HeldOutClip, text: Sequence[str], predict: Predictor | None, rate: int = LOW_RATE
) -> Iterator[GapTask]:
    """Identity reconstruction of the middle third, with the durations given and, if there is a
    predictor, predicted."""
    phones = item.region
    own = item.durations[phones[0] : phones[1]]
    timings = {GIVEN: own} | ({PREDICTED: predict(item, phones)} if predict else {})
    for kind, durations in timings.items():
        gap = open_gap(item, phones, np.asarray(durations, dtype=np.int64))
        yield GapTask(
            name=f"{item.name}.{kind}",
            kind=kind,
            detail="",
            voice=item.voice,
            seen=item.seen,
            gap=replace(gap, clip=f"{item.name}.{kind}"),
            recording=item.samples,
            resume=item.frames(phones)[1] * HOP,
            truth=(item.samples, item.frames(phones)),
            spoken=tuple(text),
            before=tuple(text),
            true_durations=tuple(int(n) for n in own),
            rate=rate,
        )


def edit_task(
    item: HeldOutClip, name: str, detail: str, words: Range, new: Sequence[str], old: Sequence[str],
    durations: DurationPredictor, pronouncer: Pronouncer,
) -> GapTask:  # fmt: skip
    """Words [first, last) of a clip become ``new``; their durations are predicted and scaled to the
    speaker (thesis, section 4.3.5). Pauses beside them stay, those among them go."""
    first_word, last_word = words
    spoken = np.flatnonzero(item.words >= 0)
    inside = spoken[(item.words[spoken] >= first_word) & (item.words[spoken] < last_word)]
    if len(inside):
        first, last = int(inside[0]), int(inside[-1]) + 1
    else:  # an insertion, before the word that now stands there
        behind = spoken[item.words[spoken] >= first_word]
        first = last = int(behind[0]) if len(behind) else len(item.words)
    symbols = [pronouncer.choices([word])[word][0] for word in new]
    ids = phone_ids([phone for word in symbols for phone in word])
    place = np.repeat(np.arange(len(new)), [len(word) for word in symbols]) + first_word
    after = item.words[last:]
    shifted = np.where(after >= 0, after + len(new) - (last_word - first_word), -1)
    phones = np.concatenate([item.phones[:first], ids, item.phones[last:]]).astype(np.int64)
    owners = np.concatenate([item.words[:first], place, shifted]).astype(np.int64)
    expected = np.array(durations.frames([PHONES[k] for k in phones], owners.tolist()))
    told = durations.frames([PHONES[k] for k in item.phones], item.words.tolist())
    ratio = rate_ratio(
        item.durations[spoken].tolist(), [told[k] for k in spoken.tolist()]
    )  # sum over sum, of all that is spoken
    timing = np.array(whole_frames((expected[first : first + len(ids)] * ratio).tolist()), np.int64)
    gap = replace(open_gap(item, (first, last), timing, (phones, owners)), clip=name)
    said, resume = (*old[:first_word], *new, *old[last_word:]), item.frames((first, last))[1] * HOP
    return GapTask(
        name, EDIT, detail, item.voice, item.seen, gap, item.samples, resume, None, said, tuple(old)
    )


def prompt_task(
    prompt: HeldOutClip, target: HeldOutClip, text: Sequence[str], durations: DurationPredictor
) -> GapTask:
    """A prompt's speech, and another sentence by the same speaker in a gap behind it, with its own
    phones and pauses and predicted durations (thesis, section 4.3.6). ``text`` is the target's."""
    whole = int(prompt.durations.sum())
    words = np.where(target.words >= 0, target.words + prompt.words.max() + 1, -1)
    told = np.array(durations.frames([PHONES[k] for k in prompt.phones], prompt.words.tolist()))
    spoken = prompt.words >= 0
    ratio = rate_ratio(prompt.durations[spoken].tolist(), told[spoken].tolist())
    expected = np.array(durations.frames([PHONES[k] for k in target.phones], target.words.tolist()))
    timing = np.array(
        whole_frames(np.where(target.words >= 0, expected * ratio, expected).tolist())
    )
    hole = np.zeros((int(timing.sum()), prompt.mel.shape[1]), np.float32)
    name = f"{target.name}.by.{prompt.name}"
    sound = prompt.samples[: whole * HOP]
    sound = np.pad(sound, (0, whole * HOP - len(sound)))
    gap = Gap(
        np.concatenate([prompt.mel[:whole], hole]),
        np.concatenate([prompt.phones, target.phones]),
        np.concatenate([prompt.durations, timing]).astype(np.int64),
        (whole, whole + len(hole)),
        np.concatenate([prompt.words, words]),
        sound,
        name,
    )
    truth = np.concatenate([sound, target.samples])
    span = (whole, whole + len(target.mel))
    return GapTask(
        name, PROMPT, "", prompt.voice, prompt.seen, gap, sound, len(sound),
        (truth, span), tuple(text), (), tuple(int(n) for n in target.durations),
    )  # fmt: skip


class TaskMaker:
    """Makes the tasks of the tables from the corpora; each clip is aligned once.

    ``left_out`` has the names of clips and edits that could not be used, with the reason.
    """

    def __init__(
        self,
        corpora: Path,
        predictor: DurationPredictor,
        predict: Predictor,
        voice: str | None = None,
    ) -> None:
        """``voice``: of this one alone; InputError if the corpora have no clip of it."""
        torch.set_num_threads(1)
        self.predictor, self.predict = predictor, predict
        found = read_corpora(corpora)
        self.clips = {clip.name: clip for clip in found if voice in (None, clip.voice)}
        if not self.clips:
            raise InputError(
                f"{corpora} has no clip by the voice {voice}: there are"
                f" {', '.join(sorted({clip.voice for clip in found})[:5])} …"
            )
        self.pronouncer = Pronouncer()
        self.left_out: dict[str, str] = {}
        self._aligned: dict[str, HeldOutClip | None] = {}

    def _item(self, clip: Clip) -> HeldOutClip | None:
        if clip.name not in self._aligned:
            self._aligned[clip.name] = align_clip(clip)
            if self._aligned[clip.name] is None:
                self.left_out[clip.name] = "its text and its sound don't match"
        return self._aligned[clip.name]

    def _some(self, clips: Iterable[Clip], count: int) -> Iterator[tuple[Clip, HeldOutClip]]:
        found = 0
        for clip in clips:
            if found == count:
                return
            item = self._item(clip)
            if item is not None and len(item.phones) >= 6:
                found += 1
                yield clip, item

    def reconstruction(self, count: int) -> Iterator[GapTask]:
        """``count`` clips of seen voices and as many of unseen ones, both timings of each."""
        for seen in (True, False):
            for clip, item in self._some(held_out(self.clips.values(), seen), count):
                yield from reconstructions(item, spoken_words(clip), self.predict)

    def edits(self, count: int, path: Path = LIST) -> Iterator[GapTask]:
        """The first edits of the reported list, of six kinds in turn, all of unseen voices."""
        edits = [edit for edit in read_list(path) if edit.set == "report"][:count]
        for edit in edits:
            clip = self.clips.get(edit.clip)
            if clip is None:
                self.left_out[edit.name] = f"its clip {edit.clip} is not in the corpora"
                continue
            item, old = self._item(clip), spoken_words(clip)
            if item is None:
                continue
            if edit.last > len(old):
                self.left_out[edit.name] = f"its clip has {len(old)} words, not {edit.last}"
                continue
            span, new = (edit.first, edit.last), edit.new_words.split()
            known = (self.predictor, self.pronouncer)
            yield edit_task(item, edit.name, edit.kind, span, new, old, *known)

    def prompts(self, count: int) -> Iterator[GapTask]:
        """``count`` sentences by seen voices and as many by unseen ones, each by another clip of
        the same speaker."""
        for seen in (True, False):
            low, high = PROMPT_SECONDS
            short = [c for c in held_out(self.clips.values(), seen) if low <= c.seconds <= high]
            voices: dict[str, list[Clip]] = {}
            for clip in short:
                voices.setdefault(clip.voice, []).append(clip)
            pairs = [(own[k], own[k + 1]) for own in voices.values() for k in range(len(own) - 1)]
            taken: dict[str, int] = {}
            # One pair of each voice, then the second of each, and so on.
            ranked: list[tuple[int, int, tuple[Clip, Clip]]] = []
            for pair in pairs:
                taken[pair[0].voice] = taken.get(pair[0].voice, 0) + 1
                ranked.append((taken[pair[0].voice], len(ranked), pair))
            found = 0
            for _, _, (prompt, target) in sorted(ranked):
                if found == count:
                    break
                one, other = self._item(prompt), self._item(target)
                if one is not None and other is not None:
                    found += 1
                    yield prompt_task(one, other, spoken_words(target), self.predictor)


def spoken_words(clip: Clip) -> list[str]:
    """A clip's text in spoken words."""
    return list(Transcript.from_text(clip.text).spoken)


def write_tasks(tasks: Sequence[GapTask], path: Path) -> None:
    """The tasks as JSON lines: their names, which the kept sounds have, kinds, voices and texts."""
    rows = [
        {
            "name": task.name,
            "kind": task.kind,
            "voice": task.voice,
            "seen": task.seen,
            "text": " ".join(task.spoken),
            "recorded_text": " ".join(task.before),
        }
        for task in tasks
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
