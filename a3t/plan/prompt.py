"""The plan of prompt-based TTS: [prompt ; target] with the target masked.

Section 4.3.6 of He Bai's thesis, "Novel Methods for Natural Language Modeling and Pretraining"
(University of Waterloo, 2023).
"""

from __future__ import annotations

from collections.abc import Sequence

from a3t.grid import FRAMES_PER_SECOND
from a3t.model.durations import DurationPredictor
from a3t.plan.edit_limits import check_speech_length
from a3t.plan.edit_plan import PlannedPhone, Range
from a3t.plan.phone_grid import on_grid
from a3t.plan.speaking_rate import rate_ratio, whole_frames
from a3t.plan.timeline import scaled
from a3t.plan.windows import WindowFrames
from a3t.text.phones import PAUSE
from a3t.text.transcript import Transcript
from alignment import Alignment

PROMPT = 320  # frames of the prompt that the model sees: 4 s, the length of a training crop
EDGE = 6  # frames of silence before and after the target


def speech_plan(
    alignment: Alignment,
    target: Transcript,
    pronunciations: Sequence[Sequence[str]],
    durations: DurationPredictor,
    frames: int,
    speed: float = 1.0,
) -> tuple[WindowFrames, Range]:
    """The frames of [prompt ; target], and the frames [first, last) of the recording in the prompt.

    The last seconds of the recording serve as the prompt, beginning with a whole phone. Durations
    are scaled to the speaker's rate, as in editing.
    """
    grid = on_grid(alignment, frames)
    expected = durations.frames([p.symbol for p in grid], [p.word for p in grid])
    spoken = [k for k, phone in enumerate(grid) if phone.word >= 0]
    ratio = rate_ratio([grid[k].frames for k in spoken], [expected[k] for k in spoken]) / speed

    # Silence at the end of the prompt is of no use.
    last = spoken[-1]
    used = [p for p in grid[: last + 1] if p.first >= grid[last].last - PROMPT]
    prompt = [PlannedPhone(p.symbol, p.frames, -1, p.first) for p in used]

    pauses = dict(target.pauses)
    fixed: dict[int, float] = {}  # place of a pause of a requested length -> its frames
    symbols: list[tuple[str, int]] = [(PAUSE, -1)]
    for k, word in enumerate(target.words):
        symbols.extend((symbol, k) for symbol in pronunciations[k])
        if k + 1 < len(target.words) and (word.pause_after or k + 1 in pauses):
            if pauses.get(k + 1):
                fixed[len(symbols)] = pauses[k + 1] * FRAMES_PER_SECOND
            symbols.append((PAUSE, -1))
    symbols.append((PAUSE, -1))
    check_speech_length([1.0] * len(symbols))
    lengths = durations.frames([s for s, _ in symbols], [w for _, w in symbols])
    lengths = [scaled(s, x, ratio) for (s, _), x in zip(symbols, lengths, strict=True)]
    lengths[0] = lengths[-1] = float(EDGE)
    lengths = [fixed.get(k, length) for k, length in enumerate(lengths)]
    check_speech_length(lengths)
    new = [
        PlannedPhone(symbol, count, word)
        for (symbol, word), count in zip(symbols, whole_frames(lengths), strict=True)
    ]
    return WindowFrames.of(prompt + new), (used[0].first, used[-1].last)
