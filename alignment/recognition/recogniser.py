"""Recognition for recordings without a text.

The phone network with a language model (alignment.recognition.network_recogniser), given the text
that the recording nearly says, or Whisper where a model was fetched
(alignment.recognition.whisper). evaluation.hearing.recognition measures them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from alignment.aligner import Pronunciations
from alignment.errors import AlignmentError
from alignment.recognition.whisper import MODELS, find_whisper, require_whisper

RECOGNISERS = ("auto", "network", "whisper", *MODELS)
NOTHING = "The recording has no audible words: give its text."


@dataclass(frozen=True, slots=True)
class RecognisedText:
    """The text heard, and the probability of each of its words, 0..1. `rival`: if it is all of the
    prior, what else it may be."""

    text: str
    confidences: tuple[float, ...]
    rival: str = ""


def whisper_model(recogniser: str) -> Path | None:
    """The folder of the model that one of RECOGNISERS, or a folder, means; None for the network.

    "auto" is what A3T_RECOGNISER names, else Whisper if a model of it was fetched.
    Raises AlignmentError for a recogniser that there isn't.
    """
    if recogniser == "auto":
        recogniser = os.environ.get("A3T_RECOGNISER") or "auto"
    if recogniser in ("auto", "network"):
        return find_whisper() if recogniser == "auto" else None
    if recogniser not in RECOGNISERS and not Path(recogniser).is_dir():
        raise AlignmentError(
            f'There is no recogniser "{recogniser}": choose {", ".join(RECOGNISERS)}, or the '
            "folder of a Whisper model."
        )
    return require_whisper(None if recogniser == "whisper" else recogniser)


def recognised_text(
    samples: np.ndarray,
    sample_rate: int,
    prior_words: Sequence[str] | None,
    pronunciations: Pronunciations,
) -> RecognisedText:
    """The words that the phone network hears in `samples` (mono, float, (n,), 8 kHz or more), lower
    case.

    `prior_words`: the text that the recording says but for a few words (of an edit, the new text);
    None when nothing is known. Words that the network's dictionary lacks are
    heard only if they stand in `prior_words` and have `pronunciations`.
    Raises AlignmentError when the recording can't be used or no word is heard.
    """
    from alignment.recognition.network_recogniser import recognise_by_network

    expected = [word.lower() for word in prior_words or ()]
    heard = recognise_by_network(samples, sample_rate, expected, pronunciations)
    if not heard.words:
        raise AlignmentError(NOTHING)
    return RecognisedText(
        " ".join(word.text for word in heard.words),
        tuple(word.confidence for word in heard.words),
        " ".join(heard.rival),
    )


def recognise(
    samples: np.ndarray,
    sample_rate: int,
    prior_words: Sequence[str] | None,
    pronunciations: Pronunciations,
) -> list[str]:
    """As `recognised_text`, the words alone."""
    return recognised_text(samples, sample_rate, prior_words, pronunciations).text.split()
