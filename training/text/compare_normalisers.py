"""Texts that kitten-text-processing reads otherwise: python -m training.text.compare_normalisers.

It has NeMo's grammars in Python and is an oracle for kinds of figures that no list of ours has; it
isn't a dependency:

    pip install --target kitten kitten-text-processing
    PYTHONPATH=kitten python -m training.text.compare_normalisers TEXT …

Prints each sentence with figures or signs that the two read otherwise, with both readings; how the
words are parted and "and" don't count.
"""

from __future__ import annotations

import argparse
import re
from importlib import import_module
from pathlib import Path

from a3t.errors import InputError
from a3t.text.transcript import Transcript
from training.programs import Program, counts, option
from training.text.punctuated_text import read_paragraphs

_SENTENCE = re.compile(r"[^.!?]{10,200}(?:[.!?](?!\s+[A-Z]|$)[^.!?]{0,100}){0,5}[.!?]")
_TOLD = re.compile(r"\d|[^\w\s.,;:!?'\"“”‘’()—–-]|\b[A-Z]{2,}\b")


def letters(reading: str) -> str:
    """The letters of a reading, without "and"."""
    return re.sub("[^a-z]", "", re.sub(r"\band\b", "", reading.lower()))


def work(options: argparse.Namespace) -> None:
    try:
        normalize = import_module("kitten_text_processing").normalize_text
    except ImportError:
        raise InputError(
            "kitten-text-processing isn't installed: pip install --target kitten "
            "kitten-text-processing, and put that folder on PYTHONPATH."
        ) from None
    read = different = 0
    for path in options.text:
        for paragraph in read_paragraphs(path):
            for sentence in _SENTENCE.findall(paragraph):
                if read >= options.sentences or not _TOLD.search(sentence):
                    continue
                read += 1
                ours = " ".join(Transcript.from_text(sentence).spoken)
                theirs = normalize(sentence)
                if letters(ours) != letters(theirs):
                    different += 1
                    print(f"{sentence.strip()}\n  a3t    {ours}\n  kitten {theirs}", flush=True)
    print(f"{different} of {read} sentences are read otherwise")


main = Program(
    work,
    option("text", type=Path, nargs="+", metavar="TEXT"),
    *counts(sentences=1000),
)


if __name__ == "__main__":
    raise SystemExit(main())
