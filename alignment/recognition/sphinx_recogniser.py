"""PocketSphinx as a recogniser, with a language model of the text that a recording nearly says."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from alignment.aligner import Pronunciations
from alignment.errors import AlignmentError
from alignment.recognition.language_model import dictionary_words, write_model
from alignment.sphinx_package import require_pocketsphinx
from alignment.waveform import model_waveform


def recognise_by_pocketsphinx(
    samples: np.ndarray,
    sample_rate: int,
    expected: Sequence[str],
    pronunciations: Pronunciations,
) -> list[str]:
    """The words heard in `samples` (mono, float, (n,), 16 kHz or more), lower case.

    `expected`: the text that the recording nearly says, lower case, or nothing. Words that
    PocketSphinx's dictionary lacks are heard only if they stand in it and have `pronunciations`.
    Raises AlignmentError when the recording can't be used.
    """
    pocketsphinx = require_pocketsphinx()
    waveform = model_waveform(samples, sample_rate)
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
    return hypothesis.hypstr.split() if hypothesis is not None else []


def _add(decoder: Any, word: str, pronunciations: Sequence[Sequence[str]]) -> None:
    plain = dict.fromkeys(
        " ".join(phone.rstrip("012") for phone in candidate) for candidate in pronunciations
    )
    for number, phones in enumerate(plain, 1):
        entry = word if number == 1 else f"{word}({number})"
        decoder.add_word(entry, phones, update=False)
