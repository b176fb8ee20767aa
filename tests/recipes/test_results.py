"""What comes after pretraining: durations, packing, evaluation, pictures. No ESPnet is needed: a
training run of its is a folder with a configuration and tensors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch
import yaml

from a3t.editor import Editor
from a3t.errors import InputError
from a3t.evaluation import ablation as compare
from a3t.evaluation import figures as pictures
from a3t.evaluation import recipe_clips as evaluate
from a3t.model.a3t import A3T
from a3t.model.embeddings import Batch
from a3t.text.phones import PHONE_ID, PHONES
from a3t.training.espnet import durations as room
from a3t.training.espnet.durations import errors, phone_class, read_features, report
from a3t.training.espnet.pack import main as pack
from a3t.training.espnet.train import read_config
from tests.conftest import ARCTIC
from tests.espnet.toy import write_split

RECIPES = Path(__file__).parents[2] / "recipes"
TINY = read_config(RECIPES / "mini" / "conf" / "tiny.yaml")


@pytest.fixture(scope="module")
def dumped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Features of four splits of noise, as the dump leaves them."""
    folder = tmp_path_factory.mktemp("dump")
    for seed, split in enumerate(("train", "dev", "test", "test_unseen")):
        write_split(folder / split, clips=6, seed=seed)
        names = [line.split()[0] for line in (folder / split / "phones").read_text().splitlines()]
        for file, value in (("scores", "0.9"), ("utt2spk", "someone")):
            (folder / split / file).write_text("".join(f"{name} {value}\n" for name in names))
    return folder


@pytest.fixture(scope="module")
def trained(dumped: Path) -> Path:
    config = read_config(RECIPES / "mini" / "conf" / "tiny_durations.yaml")
    room.train(dumped, dumped / "durations", config)
    return dumped / "durations"


@pytest.fixture(scope="module")
def pretrained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ESPnet leaves behind, with random weights."""
    exp = tmp_path_factory.mktemp("exp")
    torch.manual_seed(0)
    network = A3T(**TINY["model_conf"])
    settings = {**TINY, "model_conf": TINY["model_conf"]}
    (exp / "config.yaml").write_text(yaml.safe_dump(settings))
    state = {f"network.{name}": value for name, value in network.state_dict().items()}
    torch.save(state, exp / "valid.loss.ave.pth")
    torch.save(state, exp / "7epoch.pth")
    return exp


def test_every_phone_has_its_class() -> None:
    classes = {symbol: phone_class(symbol) for symbol in PHONES}
    assert {symbol for symbol, name in classes.items() if name == "other"} == {
        "<blank>",
        "<unk>",
        "<sos/eos>",
    }
    assert classes["AH0"] == "vowels, unstressed" and classes["AH1"] == "vowels, stressed"
    assert (classes["NG"], classes["sp"], classes["CH"]) == ("nasals", "pauses", "affricates")


def test_features_of_a_dump_are_those_that_were_written(dumped: Path) -> None:
    found = read_features(dumped, ["train", "test"])
    assert [item.split for item in found.items] == ["train"] * 6 + ["test"] * 6
    lines = (dumped / "test" / "durations").read_text().splitlines()
    for item, line in zip(found.items[6:], lines, strict=True):
        name, *frames = line.split()
        assert item.name == name
        assert found.of(item)[2].tolist() == [int(value) for value in frames]


def test_a_perfect_predictor_has_no_error_at_any_rate(dumped: Path) -> None:
    found = read_features(dumped, ["test"])

    class Perfect:
        """Knows each clip, but speaks twice as fast."""

        def __init__(self) -> None:
            self.clips = iter(found.items)

        def frames(self, symbols: list[str], words: list[int]) -> list[float]:
            return [value / 2 for value in found.of(next(self.clips))[2].tolist()]

    rows = list(errors(Perfect(), found, ("test",)))  # type: ignore[arg-type]
    spoken = [error for _, name, error in rows if name != "pauses"]
    assert len(spoken) > 40 and max(spoken) < 1e-6


def test_errors_are_reported_for_both_kinds_of_speakers(trained: Path) -> None:
    table = [line.split("\t") for line in (trained / "errors.tsv").read_text().splitlines()]
    assert {row[0] for row in table[1:]} == {"test", "test_unseen"}
    said = report([("test", "nasals", 10.0), ("test", "nasals", 40.0), ("test", "pauses", 5.0)])
    assert "test\tnasals\t2\t25.0\t25.0" in said and "test\tall but pauses\t2" in said


def test_a_packed_recipe_is_a_model_for_the_editor(
    pretrained: Path, trained: Path, tmp_path: Path
) -> None:
    out = tmp_path / "packed" / "tiny"
    assert pack([str(pretrained), str(trained), str(out)]) == 0
    editor = Editor.load(out)
    assert editor.name == "tiny"
    assert "7 epochs" in (out / "README.md").read_text()
    weights = torch.load(pretrained / "valid.loss.ave.pth", weights_only=True)
    packed = editor.model.state_dict()
    assert torch.allclose(packed["output.weight"], weights["network.output.weight"], atol=1e-3)


def test_runs_are_compared_on_the_same_clips(dumped: Path, pretrained: Path) -> None:
    page = compare.compare(dumped, [pretrained], count=3)
    head, _, *rows = page.splitlines()
    assert head.count("seen voices") == 6 and head.count("unseen voices") == 3
    assert [row.split("|")[1].strip() for row in rows] == [pretrained.name, "(mean spectrum)"]


def test_what_fills_the_truth_has_no_error_and_speech_alone_sees_no_phones() -> None:
    clip = pictures.Clip(
        np.random.default_rng(0).normal(size=(30, 80)).astype(np.float32),
        np.arange(5, 15),
        np.full(10, 3),
    )
    seen: list[Batch] = []

    def truth(batch: Batch) -> torch.Tensor:
        seen.append(batch)
        return batch.mel

    assert compare.judge(compare.speech_only(truth), [clip.batch()]) == compare.Figures(
        0.0, 0.0, 1.0
    )
    assert seen[0].phones.shape == (1, 0) and (seen[0].frame_phone == -1).all()
    mean = compare.mean_spectrum(clip.batch())
    assert torch.allclose(mean[0, 12], mean[0, 13]) and not torch.equal(mean[0, 0], mean[0, 12])


def test_packing_says_what_is_missing(
    pretrained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert pack([str(tmp_path), str(tmp_path), str(tmp_path / "out")]) == 1
    assert "stage 5" in capsys.readouterr().err
    assert pack([str(pretrained), str(tmp_path), str(tmp_path / "out")]) == 1
    assert "stage 6" in capsys.readouterr().err


def test_test_clips_are_aligned_recordings_of_usable_length(dumped: Path, tmp_path: Path) -> None:
    dump = tmp_path / "dump" / "test"
    rng = np.random.default_rng(0)
    frames = {"long": 240, "short": 80}
    rows: dict[str, list[str]] = {}
    for name, count in frames.items():
        soundfile.write(tmp_path / f"{name}.wav", rng.normal(0, 0.1, count * 300), 24_000)
        (dump / "mel").mkdir(parents=True, exist_ok=True)
        np.save(dump / "mel" / f"{name}.npy", np.zeros((count, 80), np.float16))
        rows.setdefault("mel.scp", []).append(f"{name} {dump / 'mel' / f'{name}.npy'}")
        rows.setdefault("utt2spk", []).append(f"{name} p225")
        rows.setdefault("durations", []).append(f"{name} {' '.join([str(count // 8)] * 8)}")
        for key in ("phones", "words"):
            rows.setdefault(key, []).append(f"{name} 5 6 7 8 9 10 11 12")
    for key, lines in rows.items():
        (dump / key).write_text("\n".join(lines) + "\n")
    data = tmp_path / "data" / "test"
    data.mkdir(parents=True)
    (data / "wav.scp").write_text("".join(f"{n} {tmp_path / n}.wav\n" for n in frames))
    (item,) = evaluate.items(tmp_path / "data", tmp_path / "dump", "test", 5)
    assert (item.name, item.voice, item.seen, item.rate) == ("long", "p225", True, 24_000)
    assert len(item.samples) == 72_000 and item.durations.sum() == len(item.mel)


def test_attention_is_a_share_of_each_frames_attention(arctic: Path) -> None:
    clip = pictures.read_clip(arctic, ARCTIC)
    torch.manual_seed(0)
    network = A3T(**TINY["model_conf"]).eval()
    found = pictures.attention(network, clip.batch())
    assert found.shape == (len(clip.mel), len(clip.phones))
    assert (found >= 0).all() and (found.sum(1) < 1).all() and found.sum() > 0
    assert clip.phones[0] in (PHONE_ID["sp"], PHONE_ID["AH0"], PHONE_ID["AE1"])


def test_pictures_of_an_espnet_run(arctic: Path, pretrained: Path, tmp_path: Path) -> None:
    arguments = [str(pretrained), str(arctic), "--text", ARCTIC, "--out", str(tmp_path / "out")]
    assert pictures.main(arguments) == 0
    for name in ("reconstruction.png", "attention.png"):
        assert (tmp_path / "out" / name).read_bytes().startswith(b"\x89PNG")


def test_a_recording_that_cannot_be_aligned_is_said(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "blip.wav", np.zeros(500), 16_000)
    with pytest.raises(InputError, match=r"can't be used: 0\.03 s"):
        pictures.read_clip(tmp_path / "blip.wav", "Yes.")
