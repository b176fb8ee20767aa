"""Speech by a prompt, planned: [prompt ; target] with the target masked.

Section 4.3.6 of He Bai's thesis, "Novel Methods for Natural Language Modeling and Pretraining"
(University of Waterloo, 2023).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from a3t.audio.analysis.mel import MELS, mel_window
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.grid import FRAMES_PER_SECOND, frames_of
from a3t.model.variance.durations import DurationPredictor, whole_frames
from a3t.plan.edit_limits import check_characters, check_speech_length
from a3t.plan.edit_plan import PlannedPhone
from a3t.plan.edit_windows import WindowFrames
from a3t.plan.request import SpeechRequest
from a3t.plan.word_grid import GridPhone, on_grid
from a3t.source.records import AlignedRecording
from a3t.text.phones import PAUSE, PHONES, phone_ids
from a3t.text.transcript import Transcript, parsed

# 8 s: twice a crop of training, and still nearer to unseen voices than 4 s (similarity 0.79, 0.77).
MAX_PROMPT_FRAMES = frames_of(8.0)
EDGE = 6  # frames of silence before and after the target
# Seconds of the pause after each mark, as readers make them: the medians of 1,400 places in
# recordings of 190 people.
PAUSES = {",": 0.20, ".": 0.42, "?": 0.42, ":": 0.40, "—": 0.28}


OnePrompt = str | Path | Recording | AlignedRecording
Prompts = OnePrompt | Sequence[OnePrompt] | None


@dataclass(frozen=True)
class Prompt:
    """The frames of a voice that the network hears before it speaks.

    mel: (T, 80) log10. phones: with their frames, T in all. pace: the speaker's durations over the
    predicted ones.
    """

    mel: np.ndarray
    phones: tuple[GridPhone, ...]
    pace: float

    @classmethod
    def of(cls, heard: Sequence[AlignedRecording], durations: DurationPredictor) -> Prompt:
        """Make a prompt of the last seconds of each recording, `MAX_PROMPT_FRAMES` in all."""
        grids = [on_grid(each.alignment, each.recording.frames) for each in heard]
        mels: list[np.ndarray] = []
        phones: list[GridPhone] = []
        place = 0
        for each, grid, share in zip(heard, grids, _shares(grids), strict=True):
            used = _last(grid, share)
            mels.append(mel_window(each.recording, used[0].first, used[-1].last).numpy())
            for phone in used:
                phones.append(GridPhone(phone.symbol, place, place + phone.frames, -1))
                place += phone.frames
        pace = durations.pace(
            ([p.symbol for p in grid], [p.word for p in grid], [p.frames for p in grid])
            for grid in grids
        )
        return cls(np.concatenate(mels), tuple(phones), pace)

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, Tensor]) -> Prompt:
        """Read a saved prompt; InputError if the tensors don't make one."""
        try:
            mel, ids, frames = (tensors[name] for name in ("mel", "phones", "frames"))
            pace = float(tensors["pace"])
            ends = frames.long().cumsum(0).tolist()
            symbols = [PHONES[int(phone)] for phone in ids]
            phones = tuple(
                GridPhone(symbol, end - int(count), end, -1)
                for symbol, count, end in zip(symbols, frames, ends, strict=True)
            )
            fits = phones and mel.shape == (ends[-1], MELS) and min(frames) >= 1
            if not (fits and 0.1 < pace < 10 and bool(mel.isfinite().all())):
                raise ValueError
        except (KeyError, IndexError, ValueError, RuntimeError):
            raise InputError("The voice's prompt is damaged: make the voice again.") from None
        return cls(mel.float().numpy(), phones, pace)

    def to_tensors(self) -> dict[str, Tensor]:
        """Return the prompt as tensors, in half precision, as `from_tensors` reads them."""
        return {
            "mel": torch.from_numpy(self.mel).half(),
            "phones": torch.tensor(phone_ids([phone.symbol for phone in self.phones])),
            "frames": torch.tensor([phone.frames for phone in self.phones]),
            "pace": torch.tensor(self.pace),
        }


@dataclass(frozen=True)
class SpeechPlan:
    """All decisions: the words, the prompt, the frames.

    heard: the recordings in the prompt; none for a saved voice's own. target: the text. window: the
    frames of [prompt ; target], whose sources are frames of the prompt's mel. request: completed.
    """

    prompt: Prompt
    heard: tuple[AlignedRecording, ...]
    target: Transcript
    window: WindowFrames
    request: SpeechRequest

    @property
    def text(self) -> str:
        """The text that is said, as written."""
        return self.target.text

    @property
    def phones(self) -> tuple[PlannedPhone, ...]:
        """The phones to speak, with their frames."""
        return tuple(phone for phone in self.window.phones if isinstance(phone, PlannedPhone))


def _shares(grids: Sequence[Sequence[GridPhone]]) -> list[int]:
    """Return the frames to use of each recording.

    They get the same number; what a short one leaves, the others have.
    """
    shares = [0] * len(grids)
    left = MAX_PROMPT_FRAMES
    order = sorted(range(len(grids)), key=lambda k: grids[k][-1].last)
    for place, k in enumerate(order):
        shares[k] = min(grids[k][-1].last, left // (len(order) - place))
        left -= shares[k]
    return shares


def _last(grid: Sequence[GridPhone], frames: int) -> Sequence[GridPhone]:
    """Return the last whole phones that fit in so many frames, without the silent end."""
    last = max(k for k, phone in enumerate(grid) if phone.word >= 0)
    used = [p for p in grid[: last + 1] if p.first >= grid[last].last - frames]
    return used or [grid[last]]


def speech_plan(
    heard: Sequence[AlignedRecording],
    own: Prompt | None,
    target: Transcript,
    pronunciations: Sequence[Sequence[str]],
    durations: DurationPredictor,
    request: SpeechRequest,
) -> SpeechPlan:
    """Plan a text to be spoken after the recordings ``heard``.

    Without recordings the prompt is a voice's ``own``. Raises InputError if there is neither, or if
    the text is too long.
    """
    prompt = Prompt.of(heard, durations) if heard else own
    if prompt is None:
        raise InputError(
            "A prompt is needed: give a recording of the voice, or a voice made by a3t voice."
        )
    window = _lay_out(prompt, target, pronunciations, durations, request.speed)
    return SpeechPlan(prompt, tuple(heard), target, window, request)


def _lay_out(
    prompt: Prompt,
    target: Transcript,
    pronunciations: Sequence[Sequence[str]],
    durations: DurationPredictor,
    speed: float,
) -> WindowFrames:
    """Lay out the frames of [prompt ; target].

    Durations are scaled to the speaker's rate, as in editing. Punctuation pauses as readers do.
    """
    ratio = prompt.pace / speed
    requested = dict(target.pauses)
    pauses: dict[int, float] = {}  # place of a pause in `symbols` -> its frames
    symbols: list[tuple[str, int]] = [(PAUSE, -1)]
    for k, word in enumerate(target.words):
        symbols.extend((symbol, k) for symbol in pronunciations[k])
        if k + 1 < len(target.words) and (word.pause_after or k + 1 in requested):
            seconds = requested.get(k + 1) or PAUSES[word.mark or ","] * ratio
            pauses[len(symbols)] = seconds * FRAMES_PER_SECOND
            symbols.append((PAUSE, -1))
    symbols.append((PAUSE, -1))
    check_speech_length([1.0] * len(symbols))
    lengths = durations.frames([s for s, _ in symbols], [w for _, w in symbols])
    lengths = [pauses.get(k, length * ratio) for k, length in enumerate(lengths)]
    lengths[0] = lengths[-1] = float(EDGE)
    check_speech_length(lengths)
    new = [
        PlannedPhone(symbol, count, word)
        for (symbol, word), count in zip(symbols, whole_frames(lengths), strict=True)
    ]
    return WindowFrames.of([*prompt.phones, *new])


def with_texts(
    prompts: Prompts, texts: str | Sequence[str] | None
) -> list[tuple[Recording | AlignedRecording, Transcript | None]]:
    """Open each prompt and pair it with its text, None where none is given.

    Raises InputError if a prompt can't be used, or if the number of texts is another.
    """
    if prompts is None:
        prompts = ()
    elif isinstance(prompts, OnePrompt):
        prompts = (prompts,)
    opened = [Recording.open(each) if isinstance(each, str | Path) else each for each in prompts]
    if texts is None:
        return [(prompt, None) for prompt in opened]
    texts = (texts,) if isinstance(texts, str) else tuple(texts)
    if len(texts) != len(opened):
        raise InputError(
            f"There are {len(opened)} prompts and {len(texts)} texts of prompts: give one text "
            "for each, or none."
        )
    for text in texts:
        check_characters(text)
    return list(zip(opened, map(parsed, texts), strict=True))
