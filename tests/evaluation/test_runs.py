"""Comparison of training runs: clips, masked middle thirds, and pictures."""

from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch

from a3t.errors import InputError
from a3t.model.a3t import A3T
from a3t.text.phones import PHONE_ID
from evaluation import thesis_figures
from evaluation.command_line import main
from evaluation.systems.networks import A3TSystem
from evaluation.thesis_figures import Attention
from tests.conftest import ARCTIC
from tests.training.stores import write_store
from tests.training.test_export import TINY, write_espnet_run


def test_runs_are_compared_on_the_same_clips(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = write_store(tmp_path / "store", {"test": 6, "test_unseen": 6})
    run = write_espnet_run(tmp_path / "exp")
    store.split_list.write(run)
    assert main(["runs", str(run), "--features", str(tmp_path / "store"), "--clips", "3"]) == 0
    _, _, *rows = capsys.readouterr().out.splitlines()
    cells = [[cell.strip() for cell in row.split("|")[1:3]] for row in rows if row]
    names = ("exp", "(mean spectrum)")
    assert cells == [[name, kind] for name in names for kind in ("seen", "unseen")]
    heard = write_store(tmp_path / "heard", {"train": 1, "test": 2})
    assert main(["runs", str(run), "--features", str(heard.folder)]) == 0
    (run / "split.tsv").write_text("name\tsplit\tvoice\ntest0\ttrain\tvoice0\n")
    assert main(["runs", str(run), "--features", str(heard.folder)]) == 1
    assert "does not hold out 2 of 2" in capsys.readouterr().err
    write_store(tmp_path / "other", {"train": 1})
    assert main(["runs", str(run), "--features", str(tmp_path / "other")]) == 1
    assert "no test clips" in capsys.readouterr().err


def test_attention_is_a_share_of_each_frames_attention(arctic: Path) -> None:
    clip = thesis_figures.read_clip(arctic, ARCTIC)
    torch.manual_seed(0)
    network = A3T.from_config(TINY).eval()
    system = A3TSystem(network)
    found = thesis_figures.attention(network, system.batch(thesis_figures.middle_gap(clip))[0])
    assert found.shape == (len(clip.mel), len(clip.phones))
    assert (found >= 0).all() and (found.sum(1) < 1).all() and found.sum() > 0
    assert clip.phones[0] in (PHONE_ID["sp"], PHONE_ID["AH0"], PHONE_ID["AE1"])


@pytest.mark.slow
def test_pictures_of_an_espnet_run(arctic: Path, tmp_path: Path) -> None:
    run = write_espnet_run(tmp_path / "exp")
    command = ["figures", str(run), str(run), str(arctic), "--text", ARCTIC]
    command += ["--out", str(tmp_path / "out")]
    assert main(command) == 0
    for name in ("reconstruction.png", "attention.png"):
        assert (tmp_path / "out" / name).read_bytes().startswith(b"\x89PNG")


def test_a_recording_that_cannot_be_aligned_is_reported(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "blip.wav", np.zeros(500), 16_000)
    with pytest.raises(InputError, match=r"can't be used: 0\.03 s"):
        thesis_figures.read_clip(tmp_path / "blip.wav", "Yes.")


def test_the_shown_part_stays_within_the_clip() -> None:
    whole = Attention(np.ones((40, 20)), tuple("abcdefghijklmnopqrst"), np.arange(0, 41, 2))
    for first, last in ((0, 1), (19, 20), (5, 18)):
        part = whole.around(first, last)
        assert set(whole.phones[first:last]) <= set(part.phones)
        assert part.weights.shape == (part.edges[-1] - part.edges[0], len(part.phones))
