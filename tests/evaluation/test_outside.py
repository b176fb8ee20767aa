"""Programs from outside are run without a shell, and their numbers are read by file."""

import sys
from pathlib import Path

import pytest

from a3t.errors import InputError
from evaluation import outside

# Says each file's length in bytes, as a table with other columns before and after.
LENGTHS = """
import sys, pathlib
print("rated 2 files, 17 s")
for k, path in enumerate(sorted(pathlib.Path(sys.argv[1]).glob("*.wav"))):
    print(k, path, f"{path.stat().st_size / 10:.2f}", "model2")
"""
COMMAND = [sys.executable, "-c", LENGTHS, outside.FOLDER]


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Files "a 1.wav" and "1.wav", the edited ones five bytes longer."""
    both = tmp_path / "original 3", tmp_path / "edited; rm"
    for folder, more in zip(both, (0, 5), strict=True):
        folder.mkdir()
        (folder / "a 1.wav").write_bytes(b"0" * (10 + more))
        (folder / "1.wav").write_bytes(b"0" * (20 + more))
    return both


def test_every_file_has_its_own_number(folders: tuple[Path, Path]) -> None:
    found = [outside.ratings(COMMAND, folder) for folder in folders]
    assert found == [{"a 1.wav": 1.0, "1.wav": 2.0}, {"a 1.wav": 1.5, "1.wav": 2.5}]
    cells = outside.compared(*found).splitlines()[2].split("|")
    assert [cell.strip() for cell in cells[1:-1]] == [
        "2", "1.500", "2.000", "+0.500", "0.000", "0 of 2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ([sys.executable, "-c", "pass"], "no {folder}"),
        ([sys.executable, "-c", "pass", "{folder}"], "2 files no number"),
        ([sys.executable, "-c", "raise SystemExit('no weights')", "{folder}"], "1: no weights"),
        (["/nowhere/program", "{folder}"], "can't be run"),
    ],
)
def test_a_program_that_rates_nothing_is_refused(
    folders: tuple[Path, Path], command: list[str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        outside.ratings(command, folders[0])


def test_folders_without_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no WAV"):
        outside.ratings(COMMAND, tmp_path)
    with pytest.raises(InputError, match="no file of the same name"):
        outside.compared({"a.wav": 1.0}, {"b.wav": 1.0})
