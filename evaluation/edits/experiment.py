"""Makes the listed edits under each condition and compares them with natural speech."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import soxr
from tqdm import tqdm

from a3t.editor import Editor
from a3t.errors import InputError
from a3t.grid import HOP, SAMPLE_RATE, grid_frames
from a3t.plan.edit_plan import EditPlan
from a3t.plan.phone_grid import on_grid
from a3t.plan.request import EditRequest
from alignment import Alignment, AlignmentError
from evaluation import joints, metrics
from evaluation.edits.conditions import CLEAN, write_under
from evaluation.edits.listing import ListedEdit
from evaluation.edits.segment_metrics import (
    LabelledPhone,
    LabelledSound,
    Span,
    measure_stretch,
    natural_stretches,
)
from evaluation.harness.programs import cut_unfinished
from training.corpora import Clip
from training.corpora.decoding import decode_floats

SURE = 0.5  # least score of an aligned word in a natural stretch
NATURAL = 3  # natural stretches per edit and condition
FADE = 180  # samples from a span's end to the middle of its cross-fade
CONTEXT = 2 * SAMPLE_RATE  # samples on each side of an edit that PLCMOS rates with it

PATCH, STRETCH = "patch", "natural"


@dataclass(frozen=True)
class Measured:
    """A stretch and its figures: an edit's patch, or natural speech of the same recording."""

    edit: str
    set: str
    kind: str
    voice: str
    condition: str
    stretch: str  # PATCH or STRETCH
    seconds: float
    figures: dict[str, float] = field(default_factory=dict)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Measured:
        """The inverse of `to_json`."""
        figures = {k: float("nan") if v is None else v for k, v in data["figures"].items()}
        return cls(**{**data, "figures": figures})

    def to_json(self) -> dict[str, Any]:
        """Figures to four decimals, None for NaN."""
        figures = {
            name: None if np.isnan(value) else round(value, 4)
            for name, value in self.figures.items()
        }
        return asdict(self) | {"figures": figures}


class EditExperiment:
    """Makes and measures edits; writes sounds and records into a folder.

    Each clip is aligned once, as recorded, so that the measures don't depend on how well degraded
    speech is aligned. ``natural`` are rows of an earlier run on the same list: the natural
    stretches are the same for every model that predicts the same durations, and are reused if so.
    ``adapt``: whether the recordings' voices are learnt first (`a3t.plan.request`).
    """

    def __init__(
        self,
        editor: Editor,
        clips: Mapping[str, Clip],
        out: Path,
        natural: Sequence[Measured] = (),
        adapt: str | float = "never",
    ) -> None:
        self.editor, self.clips, self.out, self.adapt = editor, clips, out, adapt
        self.natural: dict[tuple[str, str], list[Measured]] = {}
        for row in natural:
            if row.stretch == STRETCH:
                self.natural.setdefault((row.edit, row.condition), []).append(row)
        self._aligned: dict[str, Alignment] = {}
        self._analysed: tuple[tuple[str, str], LabelledSound] | None = None

    def measure(self, edit: ListedEdit, conditions: Sequence[str]) -> Iterator[Measured]:
        """Measure the patch and natural stretches under each condition; InputError or
        AlignmentError if the edit can't be made."""
        for folder in ("sources", "edited"):
            (self.out / folder).mkdir(parents=True, exist_ok=True)
        clip = self.clips[edit.clip]
        clean, _ = decode_floats(clip.path)
        text, new_text = edit.texts(clip)
        if edit.clip not in self._aligned:
            path = self.out / "sources" / f"{edit.name} {CLEAN}.wav"
            write_under(CLEAN, clean, 0, path)
            self._aligned[edit.clip] = self.editor.align(path, text)
        for condition in conditions:
            path = self.out / "sources" / f"{edit.name} {condition}.wav"
            seed = zlib.crc32(f"{edit.clip} {condition}".encode())
            write_under(condition, clean, seed, path)
            yield from self._measure(edit, condition, path, text, new_text)

    def _measure(
        self, edit: ListedEdit, condition: str, path: Path, text: str, new_text: str
    ) -> Iterator[Measured]:
        request = EditRequest(
            new_text=new_text,
            text=text,
            alignment=self._aligned[edit.clip],
            verify=False,  # take the first result, even if it is inaudible
            adapt=self.adapt,
        )
        plan = self.editor.plan(path, request)
        if len(plan.edits) != 1 or not plan.edits[0].is_spoken:
            raise InputError(f"{edit.name} is not a single edit")
        self.editor.voices = self.out / "voices"
        result = self.editor.render(plan)
        edited = result.save(self.out / "edited" / path.name, provenance=False)
        source = self._source(edit.clip, condition, path)
        output = LabelledSound(_read(edited), _phones_after(plan, source.phones))
        planned = plan.edits[0]
        span = (planned.source[0], planned.source[0] + planned.frames)
        figures = measure_stretch(output, span, source, planned.source)
        first, last = (
            place * SAMPLE_RATE // plan.recording.sample_rate
            for place in result.record["edits"][0]["output"]
        )
        figures |= _joints(source, output, (first + FADE, last - FADE))
        around = output.samples[max(0, first - CONTEXT) : last + CONTEXT]
        figures["plcmos"] = metrics.figure_or_nan(metrics.concealment_mos, around, SAMPLE_RATE)
        key = (edit.name, edit.set, edit.kind, edit.voice, condition)
        seconds = planned.frames * HOP / SAMPLE_RATE
        yield Measured(*key, PATCH, seconds, figures)
        if (earlier := self.natural.get((edit.name, condition))) and earlier[0].seconds == seconds:
            yield from earlier
            return
        for stretch in natural_stretches(source, planned.frames, planned.remade, NATURAL):
            figures = measure_stretch(source, stretch, source, stretch)
            yield Measured(*key, STRETCH, seconds, figures)

    def _source(self, clip: str, condition: str, path: Path) -> LabelledSound:
        """The recording, analysed once for successive edits of it."""
        if self._analysed is None or self._analysed[0] != (clip, condition):
            samples = _read(path)
            frames = grid_frames(len(samples), SAMPLE_RATE)
            phones = labelled_phones(self._aligned[clip], frames)
            self._analysed = (clip, condition), LabelledSound(samples, phones)
        return self._analysed[1]


def read_rows(path: Path) -> list[Measured]:
    """The rows of an earlier run's ``edits.jsonl``; InputError if the file isn't one."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        return [Measured.from_json(json.loads(line)) for line in lines]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{path} is not an edits.jsonl written by this command.") from None


def run_experiment(
    editor: Editor,
    edits: Sequence[ListedEdit],
    clips: Mapping[str, Clip],
    conditions: Sequence[str],
    out: Path,
    *,
    earlier: Sequence[Measured] = (),
    adapt: str | float = "never",
    resume: bool = False,
) -> tuple[list[Measured], list[str]]:
    """All measurements, and facts about the run for the report; ``clips`` are the edits', by name.

    ``edits.jsonl`` is written edit by edit; ``resume``: what an interrupted run, by the same
    weights, has written there is kept. InputError if no edit can be made.
    """
    work = EditExperiment(editor, clips, out, earlier, adapt)
    out.mkdir(parents=True, exist_ok=True)
    path, rows, failed = out / "edits.jsonl", list[Measured](), list[str]()
    if resume and path.exists():
        cut_unfinished(path)
        rows = read_rows(path)
    done = {row.edit for row in rows}
    with open(path, "a" if resume else "w", encoding="utf-8") as file:
        for edit in tqdm(edits, unit="edit", disable=None):
            if edit.name in done:
                continue
            try:
                own = list(work.measure(edit, conditions))
            except (InputError, AlignmentError) as error:
                failed.append(f"{edit.name} ({error})")
                continue
            rows += own
            # At once: an interrupted run has all of an edit's rows or none.
            file.write("".join(json.dumps(row.to_json()) + "\n" for row in own))
            file.flush()
    if not rows:
        raise InputError(f"No edit could be made: {'; '.join(failed) or 'the list is empty'}")
    learnt = [f"Voices learnt from the recordings: {adapt}"] if adapt != "never" else []
    facts = [
        f"Model: {editor.name} (sha256 {editor.sha256[:12]}); vocoder: {editor.vocoder.name}",
        f"{len(edits) - len(failed)} edits of {len({row.voice for row in rows})} unseen voices",
    ]
    return rows, facts + learnt + ([f"Failed: {'; '.join(failed)}"] if failed else [])


def _read(path: Path) -> np.ndarray:
    """Mono samples (n,) at 24 kHz."""
    samples, rate = soundfile.read(path, dtype="float32")
    return samples if rate == SAMPLE_RATE else soxr.resample(samples, rate, SAMPLE_RATE)


def labelled_phones(alignment: Alignment, frames: int) -> list[LabelledPhone]:
    """The phones of a whole recording, of which a plan may have only a part."""
    scores = [word.score for word in alignment.spoken]
    return [
        LabelledPhone(
            phone.symbol,
            phone.first,
            phone.last,
            phone.word,
            phone.word < 0 or scores[phone.word] >= SURE,
        )
        for phone in on_grid(alignment, frames)
    ]


def _phones_after(plan: EditPlan, before: Sequence[LabelledPhone]) -> list[LabelledPhone]:
    """The output's phones; the word numbers are unique, but not in order."""
    edit = plan.edits[0]
    first, last = edit.source
    growth = edit.frames - (last - first)
    phones = [phone for phone in before if phone.last <= first]
    place = first
    for new in edit.phones:
        word = -1 if new.word < 0 else 10_000 + new.word
        phones.append(LabelledPhone(new.symbol, place, place + new.frames, word))
        place += new.frames
    for phone in before:
        if phone.first >= last:
            phones.append(replace(phone, first=phone.first + growth, last=phone.last + growth))
    return phones


def _joints(source: LabelledSound, output: LabelledSound, places: Span) -> dict[str, float]:
    """For each measure, the share of an edit's two joints that exceed the 95th percentile of the
    source's natural places of the same kind."""
    natural = joints.Natural()
    before = [joints.PhoneSamples(p.symbol, p.first * HOP, p.last * HOP) for p in source.phones]
    natural.add(source.samples, before)
    after = [joints.PhoneSamples(p.symbol, p.first * HOP, p.last * HOP) for p in output.phones]
    inside = [
        place
        for place in places
        if SAMPLE_RATE // 10 < place < len(output.samples) - SAMPLE_RATE // 10
    ]
    if not inside:
        return {}
    values = joints.measure(output.samples, inside)
    ranks = [
        natural.percentile(joints.kind_of(after, place), here)
        for place, here in zip(inside, values, strict=True)
    ]
    shares = (np.array(ranks) > 0.95).mean(axis=0)
    return {
        f"joint_{name}": float(share) for name, share in zip(joints.MEASURES, shares, strict=True)
    }
