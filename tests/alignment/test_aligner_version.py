"""The version of the aligners is their code and weights."""

from __future__ import annotations

from pathlib import Path

from alignment.aligner import aligner_version

NAMES = ("code.py", "network/weights.safetensors", "README.md")


def written(folder: Path, changed: str = "") -> Path:
    for name in NAMES:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("second" if name == changed else "first")
    return folder


def test_the_version_changes_with_what_alignments_depend_on(tmp_path: Path) -> None:
    first, again = (
        aligner_version(written(tmp_path / "first")),
        aligner_version(written(tmp_path / "again")),
    )
    others = {name: aligner_version(written(tmp_path / name, name)) for name in NAMES}
    assert first == again == others["README.md"]
    assert len({first, others["code.py"], others["network/weights.safetensors"]}) == 3
