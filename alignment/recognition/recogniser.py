"""Recognition for recordings whose text is not given.

The phone network with a language model (alignment.recognition.network_recogniser), given the text
that the recording nearly says, or Whisper where a model is installed
(alignment.recognition.whisper). evaluation.hearing.recognition measures them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from alignment.aligner import Pronunciations
from alignment.errors import AlignmentError
from alignment.recognition.whisper import find_whisper, require_whisper, transcribe

RECOGNISERS = ("auto", "network", "whisper")


@dataclass(frozen=True, slots=True)
class RecognisedText:
    """The text heard, and the probability of each of its words, 0..1; no `confidences` where the
    recogniser says nothing of that. `rival`: if it is all of the prior, what else it may be."""

    text: str
    confidences: tuple[float, ...] = ()
    rival: str = ""


def recognised_text(
    samples: np.ndarray,
    sample_rate: int,
    prior_words: Sequence[str] | None,
    pronunciations: Pronunciations,
    recogniser: str = "auto",
) -> RecognisedText:
    """The text heard by one of RECOGNISERS; "auto" is Whisper if a model of it is installed, else
    the phone network.

    Whisper writes punctuation, and is not given the prior. Other arguments and errors are those
    of `recognise`.
    """
    if recogniser not in RECOGNISERS:
        raise AlignmentError(
            f'There is no recogniser "{recogniser}": choose {", ".join(RECOGNISERS)}.'
        )
    if recogniser in ("auto", "whisper"):
        model = require_whisper() if recogniser == "whisper" else find_whisper()
        if model is not None:
            return RecognisedText(transcribe(samples, sample_rate, model))
    return _recognised(samples, sample_rate, prior_words, pronunciations)


def recognise(
    samples: np.ndarray,
    sample_rate: int,
    prior_words: Sequence[str] | None,
    pronunciations: Pronunciations,
) -> list[str]:
    """The words heard in `samples` (mono, float, (n,), 8 kHz or more), lower case.

    `prior_words`: the text that the recording says but for a few words (of an edit, the new text);
    None when nothing is known. Words that the network's dictionary lacks are
    heard only if they stand in `prior_words` and have `pronunciations`.
    Raises AlignmentError when the recording can't be used or no word is heard.
    """
    return _recognised(samples, sample_rate, prior_words, pronunciations).text.split()


def _recognised(
    samples: np.ndarray,
    sample_rate: int,
    prior_words: Sequence[str] | None,
    pronunciations: Pronunciations,
) -> RecognisedText:
    """As `recognised_text`, by the phone network."""
    from alignment.recognition.network_recogniser import recognise_by_network

    expected = [word.lower() for word in prior_words or ()]
    heard = recognise_by_network(samples, sample_rate, expected, pronunciations)
    if not heard.words:
        raise AlignmentError("No word is heard in the recording: give its text.")
    return RecognisedText(
        " ".join(word.text for word in heard.words),
        tuple(word.confidence for word in heard.words),
        " ".join(heard.rival),
    )
