"""The Viterbi search over the network's posteriors."""

from __future__ import annotations

import numpy as np

# What leaving its guess costs a state at most: beyond, the guess was lost and says nothing.
LOST = 8.0


def best_path(
    scores: np.ndarray,
    indices: np.ndarray,
    guesses: np.ndarray,
    optional: np.ndarray,
    reach: int,
    leaving: float,
) -> np.ndarray | None:
    """The state of each frame, (T,), on the best path; None when there is no way through.

    `scores` (T, symbols); for each of n states its symbol, the frame where it probably begins
    (rising), and whether the path may pass it by. A state begins within `reach` frames of its guess
    and loses `leaving` for each frame in between, at most LOST; only the
    states within reach are looked at.
    """
    frames, states = len(scores), len(indices)
    opens = np.maximum(guesses - reach, 0)
    closes = np.append(guesses[1:] + reach, frames)
    low = np.minimum(np.searchsorted(closes, np.arange(frames), side="right"), states - 1)
    high = np.searchsorted(opens, np.arange(frames), side="right")
    steps = np.zeros((frames, int((high - low).max())), dtype=np.uint8)
    passable = np.append(False, optional[:-1])
    # The total of state j stands at j + 2; nothing comes before the first.
    total = np.full(states + 2, -np.inf)
    total[2] = scores[0, indices[0]]
    if optional[0] and states > 1:
        total[3] = scores[0, indices[1]]
    for t in range(1, frames):
        a, b = low[t], high[t]
        away = np.minimum(leaving * np.abs(t - guesses[a:b]), LOST)
        best = total[a + 2 : b + 2]
        step = np.zeros(b - a, dtype=np.uint8)
        passes = np.where(passable[a:b], total[a:b], -np.inf)
        for back, source in ((1, total[a + 1 : b + 1]), (2, passes)):
            entered = source - away
            better = entered > best
            best = np.where(better, entered, best)
            step[better] = back
        steps[t, : b - a] = step
        total[a + 2 : b + 2] = best + scores[t, indices[a:b]]
        total[: a + 2] = -np.inf
    state = states - 1
    if optional[-1] and total[-2] > total[-1]:
        state -= 1
    if not np.isfinite(total[state + 2]):
        return None
    path = np.zeros(frames, dtype=int)
    for t in range(frames - 1, -1, -1):
        path[t] = state
        if t:
            state -= int(steps[t, state - low[t]])
    return path
