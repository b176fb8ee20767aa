"""Released checkpoints: what the package's own load_model and inference give is the reference."""

import pickle
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml

pytest.importorskip("h5py", reason="the extra `vocoders` is not installed")
from a3t.errors import InputError
from a3t.vocoder import load_vocoder, parallel_wavegan, vocode_span
from a3t.vocoder.base import placed_normal
from a3t.vocoder.parallel_wavegan import ParallelWaveGan, _package

try:
    _package()
except InputError:
    pytest.skip("parallel-wavegan is not installed", allow_module_level=True)

FEATURES: dict[str, Any] = {
    "sampling_rate": 24000,
    "fft_size": 2048,
    "hop_size": 300,
    "win_length": 1200,
    "window": "hann",
    "num_mels": 80,
    "fmin": 80,
    "fmax": 7600,
    "format": "npy",
    "version": "0.5.5",
}
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "parallel-wavegan": (
        "ParallelWaveGANGenerator",
        {
            "out_channels": 1,
            "layers": 4,
            "stacks": 2,
            "residual_channels": 4,
            "gate_channels": 8,
            "skip_channels": 4,
            "aux_context_window": 2,
            "upsample_params": {"upsample_scales": [4, 5, 3, 5]},
        },
    ),
    "hifigan": (
        "HiFiGANGenerator",
        {
            "out_channels": 1,
            "channels": 16,
            "upsample_scales": [5, 5, 4, 3],
            "upsample_kernel_sizes": [10, 10, 8, 6],
            "resblock_kernel_sizes": [3],
            "resblock_dilations": [[1, 3]],
        },
    ),
    "melgan": (
        "MelGANGenerator",
        {"out_channels": 1, "channels": 304, "upsample_scales": [5, 5, 4, 3], "stacks": 1},
    ),
    "multi-band-melgan": (
        "MelGANGenerator",
        {"channels": 80, "out_channels": 4, "upsample_scales": [5, 5, 3], "stacks": 1},
    ),
    "style-melgan": (
        "StyleMelGANGenerator",
        {
            "in_channels": 8,
            "out_channels": 1,
            "channels": 8,
            "noise_upsample_scales": [5, 2],
            "upsample_scales": [5, 2, 5, 3, 2, 1],
        },
    ),
}


def write_checkpoint(folder: Path, kind: str, stats: str = "npy", **changes: Any) -> Path:
    """A released folder with tiny random weights; returns the checkpoint."""
    generator_type, settings = KINDS[kind]
    torch.manual_seed(0)
    generator = getattr(_package(), generator_type)(**settings)
    config = FEATURES | {"generator_type": generator_type, "generator_params": settings} | changes
    (folder / "config.yml").write_text(yaml.safe_dump(config))
    random = np.random.default_rng(0)
    mean, scale = random.normal(-2, 1, 80), random.uniform(0.5, 1.5, 80)
    if stats == "npy":
        np.save(folder / "stats.npy", np.stack([mean, scale]))
    elif stats == "h5":
        import h5py

        with h5py.File(folder / "stats.h5", "w") as file:
            file["mean"], file["scale"] = mean, scale
    checkpoint = folder / "checkpoint-4000steps.pkl"
    # What the package's trainer writes beside the weights.
    state = {"model": {"generator": generator.state_dict()}, "steps": 4000, "epochs": 1}
    torch.save(state, checkpoint)
    return checkpoint


@pytest.fixture
def mel() -> torch.Tensor:
    return torch.randn(40, 80, generator=torch.Generator().manual_seed(1)) - 2


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_output_equals_the_packages_own(kind: str, tmp_path: Path, mel: torch.Tensor) -> None:
    from parallel_wavegan.utils import load_model

    checkpoint = write_checkpoint(tmp_path, kind)
    ours = load_vocoder(tmp_path)
    theirs = load_model(str(checkpoint)).eval()
    noise = {}
    if kind == "parallel-wavegan":
        noise["x"] = torch.from_numpy(placed_normal(0, 0, 40, 300)).float().view(-1, 1)
    torch.manual_seed(0)
    with torch.no_grad():
        expected = theirs.inference(mel, normalize_before=True, **noise).reshape(-1)
    found = ours(mel)
    assert found.shape == (40 * 300,)
    assert found.abs().max() > 1e-4
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)
    assert ours.sha256 is not None and ours.name == tmp_path.name


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_span_equals_the_whole(kind: str, tmp_path: Path, mel: torch.Tensor) -> None:
    write_checkpoint(tmp_path, kind)
    vocoder = load_vocoder(tmp_path)
    whole = vocoder(mel)
    span = vocode_span(vocoder, mel, 22, 25)
    torch.testing.assert_close(span, whole[22 * 300 : 25 * 300], atol=1e-5, rtol=0)
    if kind != "style-melgan":
        assert vocoder.receptive_frames < 20


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_bad_mel_is_refused(kind: str, tmp_path: Path) -> None:
    write_checkpoint(tmp_path, kind)
    vocoder = load_vocoder(tmp_path)
    for bad in (torch.zeros(0, 80), torch.zeros(5, 79), torch.full((4, 80), float("nan"))):
        with pytest.raises(InputError) as refusal:
            vocoder(bad)
        assert "mel" in str(refusal.value)


def test_statistics_from_hdf5_or_none(tmp_path: Path, mel: torch.Tensor) -> None:
    outputs = {}
    for stats, file_format in (("npy", "npy"), ("h5", "hdf5"), ("none", "hdf5")):
        folder = tmp_path / stats
        folder.mkdir()
        write_checkpoint(folder, "melgan", stats, format=file_format)
        outputs[stats] = load_vocoder(folder)(mel)
    torch.testing.assert_close(outputs["h5"], outputs["npy"])
    assert not torch.allclose(outputs["none"], outputs["npy"])


def test_the_latest_checkpoint_is_used(tmp_path: Path) -> None:
    checkpoint = write_checkpoint(tmp_path, "melgan")
    later = tmp_path / "checkpoint-10000steps.pkl"
    later.write_bytes(checkpoint.read_bytes())
    checkpoint.write_bytes(b"not this one")
    assert load_vocoder(tmp_path).name == tmp_path.name
    assert load_vocoder(later).sha256 == load_vocoder(tmp_path).sha256


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sampling_rate": 22050, "hop_size": 256}, ["22050", "24000", "256", "300"]),
        ({"fmax": None}, ["12000", "7600"]),
        ({"num_mels": 40}, ["40", "80"]),
        ({"generator_type": "VQVAE"}, ["VQVAE"]),
    ],
)
def test_another_kind_of_mel_is_refused(
    changes: dict[str, Any], words: list[str], tmp_path: Path
) -> None:
    write_checkpoint(tmp_path, "melgan", **changes)
    with pytest.raises(InputError) as refusal:
        load_vocoder(tmp_path)
    assert all(word in str(refusal.value) for word in words)


class _Code:
    def __reduce__(self) -> Any:
        return (open, ("ran.txt", "w"))


DAMAGE = {
    "code": "holds more than weights",
    "cut": "cut off or damaged",
    "other": "not of parallel-wavegan",
    "missing": "holds no checkpoint",
    "config": "can't be read as YAML",
    "weights": "don't fit its config.yml",
    "kind": "don't fit its config.yml",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_checkpoint_is_refused_in_one_sentence(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    checkpoint = write_checkpoint(tmp_path, "melgan")
    if damage == "code":
        checkpoint.write_bytes(pickle.dumps({"model": {"generator": _Code()}}))
    elif damage == "cut":
        checkpoint.write_bytes(checkpoint.read_bytes()[:1000])
    elif damage == "other":
        torch.save({"weights": torch.zeros(3)}, checkpoint)
    elif damage == "missing":
        checkpoint.unlink()
    elif damage == "config":
        (tmp_path / "config.yml").write_text("{")
    elif damage == "weights":
        torch.save({"model": {"generator": {"w": torch.zeros(3)}}}, checkpoint)
    elif damage == "kind":
        (tmp_path / "hifigan").mkdir()
        other = write_checkpoint(tmp_path / "hifigan", "hifigan")
        checkpoint.write_bytes(other.read_bytes())
    with pytest.raises(InputError, match=DAMAGE[damage]) as refusal:
        ParallelWaveGan.load(tmp_path)
    assert "\n" not in str(refusal.value)
    assert not (tmp_path / "ran.txt").exists()


@pytest.fixture
def drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Google Drive with one archive, of a tiny MelGAN, and a link out; what was asked of it."""
    source = tmp_path / "source"
    source.mkdir()
    write_checkpoint(source, "melgan")
    asked = []

    def download(identity: str, path: Path) -> None:
        asked.append(identity)
        with tarfile.open(path, "w:gz") as archive:
            for file in source.iterdir():
                archive.add(file, f"exp/train/{file.name}")
            archive.add(source / "config.yml", "../../outside.yml")

    monkeypatch.setattr(parallel_wavegan, "download", download)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    return asked


def test_a_released_vocoder_is_fetched_once_and_checked(
    drive: list[str], tmp_path: Path, mel: torch.Tensor
) -> None:
    tag = "vctk_multi_band_melgan.v2"
    vocoder = load_vocoder(tag)
    assert vocoder.name == tag and vocoder(mel).abs().max() > 1e-4
    assert load_vocoder(tag).sha256 == vocoder.sha256
    assert len(drive) == 1
    assert not list(tmp_path.rglob("outside.yml"))
    (tmp_path / "caches" / "a3t" / "vocoders" / tag / "stats.npy").write_bytes(b"")
    with pytest.raises(InputError, match="sha256 differs"):
        load_vocoder(tag)
    with pytest.raises(InputError, match=r"has no tag.*vctk_hifigan\.v1"):
        load_vocoder("nobody_hifigan.v1")


def test_half_a_download_is_none(
    drive: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = parallel_wavegan.download
    monkeypatch.setattr(
        parallel_wavegan, "download", lambda _, path: path.write_bytes(b"<html>quota")
    )
    with pytest.raises(InputError, match="not an archive"):
        load_vocoder("vctk_hifigan.v1")
    monkeypatch.setattr(parallel_wavegan, "download", good)
    assert load_vocoder("vctk_hifigan.v1").name == "vctk_hifigan.v1"
    assert len(list((tmp_path / "caches" / "a3t" / "vocoders").iterdir())) == 1
