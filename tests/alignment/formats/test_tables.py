"""Label files: which are such, and labels that Audacity leaves without a text."""

from pathlib import Path

import pytest

from alignment import Alignment
from alignment.formats import read_alignment, write_alignment
from alignment.formats.tables import is_label_file


def test_labels_without_a_text_are_no_words(tmp_path: Path, aligned: Alignment) -> None:
    write_alignment(aligned, tmp_path / "x.txt")
    expected = read_alignment(tmp_path / "x.txt")
    for name in ("x.txt", "x.phones.txt"):
        text = (tmp_path / name).read_text()
        (tmp_path / name).write_text(f"0.000000\t0.010000\t\n{text}2.000000\t2.000000\t \n")
    assert read_alignment(tmp_path / "x.txt") == expected


@pytest.mark.parametrize(
    ("name", "first", "labels"),
    [
        ("a.txt", "0.000000\t0.500000\tsee", True),
        ("a.txt", "0.000000\t0.500000\t", True),  # a label without a text
        ("a.txt", "12 30 people came", False),
        ("a.txt", "And you", False),
        ("a.lab", "0 5000000 sil", True),
        ("a.lab", "0.1 0.25 AH0 a", True),
        ("a.lab", "3 4 people came", False),
        ("a.lab", "10 5 S", False),
        ("a.lab", "", False),
    ],
)
def test_label_files_are_distinguished_from_transcripts(
    name: str, first: str, labels: bool, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(f"{first}\nand more\n")
    assert is_label_file(tmp_path / name) is labels
