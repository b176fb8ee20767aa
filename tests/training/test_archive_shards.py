"""Folders split into parcels are restored, and damage is named before anything is written."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from training import archive_shards as parcels


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "features"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "mel.npy").write_bytes(np.random.default_rng(0).bytes(300_000))
    (folder / "index.jsonl").write_text("{}\n")
    (folder / "empty").write_bytes(b"")
    return folder


def test_splitting_and_joining_restores_the_folder(folder: Path, tmp_path: Path) -> None:
    written = parcels.split(folder, tmp_path / "parcels", megabytes=0.1)
    assert len(written) == 3 or len(written) == 4
    assert all(path.stat().st_size <= 0.1 * 2**20 for path in written)
    parcels.join(tmp_path / "parcels", tmp_path / "again")
    for path in folder.rglob("*"):
        if path.is_file():
            assert (tmp_path / "again" / path.relative_to(folder)).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("harm", ["missing", "damaged"])
def test_a_bad_piece_is_named(
    harm: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    second = parcels.split(folder, tmp_path / "parcels", megabytes=0.1)[1]
    second.unlink() if harm == "missing" else second.write_bytes(b"?")
    assert parcels.main(["join", str(tmp_path / "parcels"), str(tmp_path / "again")]) == 1
    assert "parcel-001 is missing or damaged" in capsys.readouterr().err
    assert not (tmp_path / "again").exists()


def test_nothing_is_written_outside_the_folder(tmp_path: Path) -> None:
    import hashlib
    import json

    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as together:
        together.writestr("../escaped", "")
    store = tmp_path / "parcels"
    store.mkdir()
    (store / "parcel-000").write_bytes(data.getvalue())
    digest = hashlib.sha256(data.getvalue()).hexdigest()
    (store / parcels.INDEX).write_text(json.dumps({"parcel-000": digest}))
    parcels.join(store, tmp_path / "again")
    assert not (tmp_path / "escaped").exists()
