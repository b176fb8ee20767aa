"""Which words a recording says, if its text is not given.

PocketSphinx with a language model of the text that it nearly says, or Whisper where a model is
installed (alignment.recognition.whisper). benchmarks.recognition measures it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pocketsphinx

from alignment.aligner import Pronunciations
from alignment.errors import AlignmentError
from alignment.recognition.language_model import dictionary_words, write_model
from alignment.recognition.whisper import find_whisper, require_whisper, transcribe
from alignment.waveform import model_waveform

RECOGNISERS = ("auto", "pocketsphinx", "whisper")


def recognised_text(
    samples: np.ndarray,
    sample_rate: int,
    prior_words: Sequence[str] | None,
    pronunciations: Pronunciations,
    recogniser: str = "auto",
) -> str:
    """The text heard by one of RECOGNISERS; "auto" is Whisper if a model of it is installed.

    Whisper writes punctuation, and is not given the prior. Other arguments and errors are those
    of `recognise`.
    """
    if recogniser not in RECOGNISERS:
        raise AlignmentError(
            f'There is no recogniser "{recogniser}": choose {", ".join(RECOGNISERS)}.'
        )
    if recogniser != "pocketsphinx":
        model = require_whisper() if recogniser == "whisper" else find_whisper()
        if model is not None:
            return transcribe(samples, sample_rate, model)
    return " ".join(recognise(samples, sample_rate, prior_words, pronunciations))


def recognise(
    samples: np.ndarray,
    sample_rate: int,
    prior_words: Sequence[str] | None,
    pronunciations: Pronunciations,
) -> list[str]:
    """The words heard in `samples` (mono, float, (n,), 16 kHz or more), lower case.

    `prior_words`: the text that the recording says but for a few words (of an edit, the new text);
    None when nothing is known. Words that PocketSphinx's dictionary lacks are heard only if they
    stand in `prior_words` and have `pronunciations`.
    Raises AlignmentError when the recording can't be used or no word is heard.
    """
    waveform = model_waveform(samples, sample_rate)
    expected = [word.lower() for word in prior_words or ()]
    with tempfile.TemporaryDirectory() as folder:
        path = pocketsphinx.get_model_path("en-us/en-us.lm.bin")
        if expected:
            path = str(Path(folder) / "prior.lm")
            write_model(expected, Path(path))
        decoder = pocketsphinx.Decoder(lm=None, loglevel="FATAL")
        for word in dict.fromkeys(expected):
            if word not in dictionary_words():
                _add(decoder, word, pronunciations.get(word, ()))
        decoder.add_lm_file("text", path)
    decoder.activate_search("text")
    try:
        decoder.start_utt()
        decoder.process_raw(waveform.tobytes(), full_utt=True)
        decoder.end_utt()
    except RuntimeError as error:
        raise AlignmentError("The recording could not be recognised: give its text.") from error
    hypothesis = decoder.hyp()
    words = hypothesis.hypstr.split() if hypothesis is not None else []
    if not words:
        raise AlignmentError("No word is heard in the recording: give its text.")
    return words


def _add(decoder: pocketsphinx.Decoder, word: str, pronunciations: Sequence[Sequence[str]]) -> None:
    plain = dict.fromkeys(
        " ".join(phone.rstrip("012") for phone in candidate) for candidate in pronunciations
    )
    for number, phones in enumerate(plain, 1):
        entry = word if number == 1 else f"{word}({number})"
        decoder.add_word(entry, phones, update=False)
