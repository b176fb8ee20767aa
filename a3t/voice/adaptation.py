"""Adapting a network to one voice, in minutes, on a CPU.

The material is stretches of a person's recordings, with their phones on the grid (T frames, L
phones). Their masked spectrogram is filled as in pretraining, and only a low-rank change of the
weights is trained. It is judged by pieces that are held out, and the best state is kept.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from a3t.audio.analysis.mel import mel_window
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.grid import HOP, SAMPLE_RATE, frames_of, seconds_of
from a3t.learning.batches import ClipBatches, StoredFeatures
from a3t.learning.loop import LossConfig, Objective, Run, Schedule, use_bfloat16, validate
from a3t.model.a3t import A3T
from a3t.model.conformer import Batch
from a3t.model.saved_voices import add_low_rank, take_low_rank
from a3t.model.threads import on_threads
from a3t.plan.word_grid import GridPhone, on_grid
from a3t.spans import Span
from a3t.text.phones import phone_ids
from alignment import Alignment
from alignment.result import DOUBTFUL_BELOW

LONGEST = frames_of(12.0)  # frames of a piece
SHORTEST = frames_of(0.8)
VOICE_PAUSE = frames_of(0.15)  # the shortest pause in which a piece may begin or end
MOST_DOUBTFUL = 0.2  # share of a piece's words
THREADS = 2  # always, since the changes depend on it; more gain little
LEAST_SECONDS = 8.0  # of speech: with less, words are less clear (docs/log.md)
# Up to so many seconds only the decoder learns, in more steps: what the encoder learns from little
# speech makes home recordings less clear (docs/log.md).
BRIEF_SECONDS, BRIEF_PARTS, BRIEF_STEPS = 80.0, ("decoder", "output"), 120
HELD_OUT = 0.12  # share of the pieces by which an adaptation is judged
LEAST_STEPS, MOST_STEPS = 60, 600
STEPS_A_SECOND = 4.0  # of speech
JUDGED_FROM = 6  # pieces: with fewer none is held out


@dataclass(frozen=True)
class VoicePiece:
    """A stretch of speech and its phones.

    mel: (T, 80) log10. phones, durations, words: (L,) ids, frames (their sum is T), and the index
    of each phone's word, -1 for a pause. pitch: (T,) log2 F0, 0 unvoiced; None where the package
    pyworld, which finds it, is not installed. score: the words' mean confidence. source, start:
    the recording, and where in it the stretch begins, in seconds.
    """

    name: str
    mel: np.ndarray
    phones: np.ndarray
    durations: np.ndarray
    words: np.ndarray
    pitch: np.ndarray | None
    score: float
    source: Path = Path()
    start: float = 0.0  # seconds

    @property
    def seconds(self) -> float:
        """The duration in seconds."""
        return seconds_of(len(self.mel))

    @property
    def spoken(self) -> Tensor:
        """The mel (n, 80) without pauses."""
        return torch.from_numpy(self.mel[np.repeat(self.words >= 0, self.durations)])


@dataclass(frozen=True)
class UnusedSpeech:
    """A recording, or a stretch of one, that can't be used, and why."""

    path: Path
    reason: str
    start: float = 0.0  # seconds

    def __str__(self) -> str:
        """Return the file, the place, and why it isn't used."""
        place = f" from {self.start:.1f} s" if self.start else ""
        return f"{self.path.name}{place}: {self.reason}"


def pieces_of(recording: Recording, alignment: Alignment) -> Iterator[VoicePiece | UnusedSpeech]:
    """Cut a recording's speech at pauses into pieces of at most 12 s."""
    frames = recording.frames
    grid = on_grid(alignment, frames)
    scores = [word.score for word in alignment.spoken]
    for number, part in enumerate(_cut(grid)):
        first, last = part[0].first, part[-1].last
        spoken = sorted({phone.word for phone in part if phone.word >= 0})
        doubtful = sum(scores[word] < DOUBTFUL_BELOW for word in spoken)
        if doubtful > MOST_DOUBTFUL * len(spoken):
            reason = f"{doubtful} of {len(spoken)} words don't sound like the text."
            yield UnusedSpeech(recording.path, reason, seconds_of(first))
            continue
        score = float(np.mean([scores[word] for word in spoken]))
        # Not by the file's name: several days' folders may each have a 01.wav.
        name = f"{recording.sha256[:16]}-{number}"
        yield _piece(recording, part, name, first, last, score)


def _piece(
    recording: Recording, part: Sequence[GridPhone], name: str, first: int, last: int, score: float
) -> VoicePiece:
    wave = recording.resampled(first * HOP, last * HOP, SAMPLE_RATE)
    return VoicePiece(
        name,
        mel_window(recording, first, last).numpy(),
        np.array(phone_ids(phone.symbol for phone in part)),
        np.array([phone.frames for phone in part]),
        np.array([phone.word for phone in part]),
        log_pitch_of(wave, last - first),
        score,
        recording.path,
        seconds_of(first),
    )


def _cut(grid: Sequence[GridPhone]) -> Iterator[Sequence[GridPhone]]:
    """Yield stretches with words in them, from pause to pause unless they are too long for that.

    Short pauses inside a stretch belong to it; long ones teach nothing about the voice.
    """
    runs: list[Span] = []  # places [first, last) in the grid
    for place, phone in enumerate(grid):
        if phone.word < 0 and phone.frames >= VOICE_PAUSE:
            continue
        if runs and runs[-1][1] == place and phone.last - grid[runs[-1][0]].first <= LONGEST:
            runs[-1] = (runs[-1][0], place + 1)
        else:
            runs.append((place, place + 1))
    joined: list[Span] = []
    for first, last in runs:
        near = joined and grid[first].first - grid[joined[-1][1] - 1].last <= 4 * VOICE_PAUSE
        if near and grid[last - 1].last - grid[joined[-1][0]].first <= LONGEST:
            joined[-1] = (joined[-1][0], last)
        else:
            joined.append((first, last))
    for first, last in joined:
        part = grid[first:last]
        if part[-1].last - part[0].first >= SHORTEST and any(phone.word >= 0 for phone in part):
            yield part


def log_pitch_of(wave: np.ndarray, frames: int) -> np.ndarray | None:
    """Return log2 of F0 in Hz, 0 unvoiced, (frames,), of a sound (n,) at 24 kHz.

    None without the package pyworld.
    """
    try:
        from a3t.audio.analysis.world_pitch import log_pitch

        return log_pitch(wave, frames)
    except ImportError:  # pyworld
        return None


@dataclass(frozen=True)
class AdaptationConfig:
    """The settings of an adaptation.

    Parameters
    ----------
    rank : int
        Of the change of each layer's weight.
    parts : tuple of str, optional
        Of the network, whose layers change; by default all (`()`), or with little speech
        `BRIEF_PARTS`.
    steps, rate
        Of AdamW; by default as many steps as `settled` finds for the speech.
    batch_frames : int
        Frames of a step.
    crop : tuple of int
        Shortest and longest stretch in frames.
    precision : str
        One of `a3t.learning.loop.PRECISIONS`.
    speaker, speaker_matching : float
        Weights of the losses of `a3t.learning.loop`.
    seed : int
        Of everything that is drawn.
    """

    rank: int = 8
    parts: tuple[str, ...] | None = None
    steps: int | None = None
    rate: float = 2e-3
    batch_frames: int = 1000
    crop: tuple[int, int] = (160, 320)
    precision: str = "auto"
    speaker: float = 3.0
    speaker_matching: float = 1.0
    seed: int = 0

    def settled(self, seconds: float) -> AdaptationConfig:
        """Return the settings with the parts and steps that ``seconds`` of speech are worth.

        Those that are given stay. Fewer steps leave most of five minutes unused; more make words
        less clear after ten seconds of speech (docs/log.md).
        """
        is_brief = seconds < BRIEF_SECONDS
        parts = (BRIEF_PARTS if is_brief else ()) if self.parts is None else self.parts
        least = BRIEF_STEPS if parts == BRIEF_PARTS else LEAST_STEPS
        steps = round(min(max(STEPS_A_SECOND * seconds, least), MOST_STEPS))
        return replace(self, parts=parts, steps=self.steps or steps)


@dataclass(frozen=True)
class Adaptation:
    """Changes for `a3t.model.saved_voices.apply_low_rank`, and what was measured.

    before and after: mean L1 in log10 units of the filled mel of what was held out, None where
    nothing was. step: the one whose weights these are.
    """

    changes: dict[str, Tensor]
    seconds: float
    step: int
    before: float | None
    after: float | None


def adapt(
    network: A3T,
    pieces: Sequence[VoicePiece],
    folder: Path,
    config: AdaptationConfig | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Adaptation:
    """Adapt to the speaker of some pieces; the network itself doesn't change.

    ``folder`` takes a checkpoint, from which the same call resumes after an interruption.
    ``progress`` is called with the steps done and all of them. Raises InputError if there is too
    little speech.
    """
    seconds = sum(piece.seconds for piece in pieces)
    config = (config or AdaptationConfig()).settled(seconds)
    if seconds < LEAST_SECONDS:
        raise InputError(
            f"There are {seconds:.1f} s of usable speech, and a voice needs {LEAST_SECONDS:g} s: "
            "give more or clearer recordings."
        )
    with on_threads(THREADS), torch.random.fork_rng(devices=[]):
        return _adapted(copy.deepcopy(network).cpu(), pieces, folder, config, progress)


def _adapted(
    network: A3T,
    pieces: Sequence[VoicePiece],
    folder: Path,
    config: AdaptationConfig,
    progress: Callable[[int, int], None] | None,
) -> Adaptation:
    """Adapt a copy of the network, which is changed."""
    torch.manual_seed(config.seed)
    losses = LossConfig(speaker=config.speaker, speaker_matching=config.speaker_matching)
    objective = Objective(network, losses)
    assert config.parts is not None and config.steps is not None
    add_low_rank(network, config.rank, config.parts)
    seconds, steps = sum(piece.seconds for piece in pieces), config.steps
    batches, judged = _batches(network, pieces, config)
    schedule = Schedule(
        steps=steps,
        rate=config.rate,
        warmup=10,
        decay=steps // 2,
        weight_decay=0.0,
        ema=0.95,
        seed=config.seed,
        epoch=max(1, steps // 5),
    )
    bfloat16 = use_bfloat16(config.precision)
    run = VoiceRun(objective, schedule, folder / "run", judged)
    before = run.judged_l1() if judged else None
    run.resume()

    def losses_at(step: int) -> dict[str, Tensor]:
        if progress is not None:
            progress(step, steps)
        found: dict[str, Tensor] = objective(batches(step), bfloat16)
        return found

    run.train(losses_at, run.keep_if_best)
    objective.load_state_dict(run.best or run.average)
    step = run.best_step or run.step
    return Adaptation(take_low_rank(network), seconds, step, before, run.l1)


class VoiceRun(Run):
    """A voice that is being learnt.

    It keeps the state that fills the held-out pieces best, or the last one if none are held out
    (``judged``: their batches).
    """

    def __init__(
        self, objective: Objective, schedule: Schedule, folder: Path, judged: Sequence[Batch]
    ) -> None:
        super().__init__(objective, schedule, folder)
        self.objective, self.judged = objective, judged
        self.l1: float | None = None  # of the best state
        self.best_step = 0
        self.best: dict[str, Tensor] = {}

    def load(self, state: Mapping[str, Any]) -> None:
        """Continue from what `state` returned."""
        super().load(state)
        self.l1, self.best_step, self.best = state.get("best", (None, 0, {}))

    def state(self) -> dict[str, Any]:
        """Return a checkpoint's contents, with the best state so far."""
        return super().state() | {"best": (self.l1, self.best_step, self.best)}

    def judge(self, validate: Callable[[], dict[str, float]]) -> dict[str, float]:
        """Validate, if something is held out.

        Otherwise nothing is done: putting the averaged weights in place takes time.
        """
        return super().judge(validate) if self.judged else {}

    def judged_l1(self) -> float:
        """Return the present validation loss on the held-out pieces."""
        return validate(self.objective, self.judged)["l1"]

    def keep_if_best(self) -> dict[str, float]:
        """Keep this state if none before was better."""
        found = self.judged_l1()
        if self.l1 is None or found < self.l1:
            state = self.objective.state_dict()
            self.l1, self.best_step = found, self.step
            self.best = {name: value.clone() for name, value in state.items()}
        return {"l1": found}


def _batches(
    network: A3T, pieces: Sequence[VoicePiece], config: AdaptationConfig
) -> tuple[ClipBatches, list[Batch]]:
    """Return the batches to learn from, and those to validate on if there are enough pieces."""
    pitched = network.pitch is not None and all(piece.pitch is not None for piece in pieces)
    clips = [(piece.name, _features(piece, pitched)) for piece in pieces]
    count = round(HELD_OUT * len(pieces)) if len(pieces) >= JUDGED_FROM else 0
    # Evenly spread, so that validation doesn't hang on one moment of one recording.
    held_out = set(np.linspace(0, len(pieces) - 1, count).round().astype(int).tolist())
    rows = network.alignment.num_embeddings if network.alignment is not None else 500
    shape = (config.crop, config.batch_frames, rows)
    taught = [clip for k, clip in enumerate(clips) if k not in held_out]
    train = ClipBatches(taught, *shape, seed=config.seed)
    if not held_out:
        return train, []
    judged = ClipBatches([clips[k] for k in sorted(held_out)], *shape, train=False)
    return train, [judged(step) for step in range(len(judged.groups))]


def _features(piece: VoicePiece, pitched: bool) -> StoredFeatures:
    """Return a piece's features, rounded as a training's store rounds them."""
    pitch = piece.pitch if pitched else None
    return StoredFeatures(
        piece.mel.astype(np.float16).astype(np.float32),
        piece.phones.astype(np.int64),
        piece.durations.astype(np.int64),
        piece.words.astype(np.int64),
        None if pitch is None else pitch.astype(np.float16).astype(np.float32),
    )
