"""Speech corpora in their published layouts, and the one split of their clips.

Training, evaluation and the benchmarks read clips from here.
"""

from __future__ import annotations

from training.corpora.layouts import AUDIO_SUFFIXES
from training.corpora.shared_split import (
    UNSEEN_SPEAKERS,
    Clip,
    corpora_root,
    is_unseen,
    prompt_key,
    read_corpora,
    split_of,
)

__all__ = [
    "AUDIO_SUFFIXES",
    "UNSEEN_SPEAKERS",
    "Clip",
    "corpora_root",
    "is_unseen",
    "prompt_key",
    "read_corpora",
    "split_of",
]
