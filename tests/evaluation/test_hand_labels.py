"""Labels by hand are read, and the aligner's boundaries are compared with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from alignment import Phone, Word
from evaluation.hearing.hand_labels import boundaries, labelled_words, read_labels

ROWS = """0.000	0.100	sil	-
0.100	0.130	q	an
0.130	0.200	AE	an	creak
0.200	0.250	N	an
0.250	0.300	sil	-
0.300	0.400	OW	owl
0.400	0.500	L	owl
"""


def test_a_glottal_stop_belongs_to_its_word_and_other_phones_are_not_compared(
    tmp_path: Path,
) -> None:
    (tmp_path / "1.tsv").write_text(ROWS)
    an, owl = labelled_words(read_labels(tmp_path / "1.tsv"))
    assert (an.start, an.before, an.after) == (pytest.approx(0.1), True, True)
    assert (owl.start, owl.end, owl.before, owl.after) == (0.3, 0.5, True, True)

    found = Word("an", 0.11, 0.26, 1.0, (Phone("AE1", 0.11, 0.21), Phone("N", 0.21, 0.26)))
    assert [row[1:] for row in boundaries(found, an)] == [
        ("after a pause: vowel", 0.11, an.start),
        ("inside", 0.21, 0.2),
        ("before a pause: nasal", 0.26, 0.25),
    ]
    other = Word("owl", 0.3, 0.5, 1.0, (Phone("AW1", 0.3, 0.42), Phone("L", 0.42, 0.5)))
    assert "inside" not in [row[1] for row in boundaries(other, owl)]
