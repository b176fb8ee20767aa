"""Released checkpoints of the parallel-wavegan package, as they are.

A folder with ``config.yml``, a checkpoint and (for most) ``stats.h5`` or ``stats.npy``. The
generators come from the package itself (0.6.1), imported when a checkpoint is loaded: its own
``load_model`` builds them, once what it would read has been checked.

What the package's authors released is fetched once by tag, and kept. The package names the archives
(on Google Drive) and publishes no checksums. So the sums of what was fetched are written down
beside it, and a folder that no longer has them is not opened.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tarfile
import tempfile
import warnings
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
import yaml
from torch import Tensor, nn

from a3t.audio.analysis.mel import FMAX_HZ, FMIN_HZ, MEL_WINDOW_SAMPLES, MELS, N_FFT
from a3t.audio.output.files import sha256_of
from a3t.errors import InputError
from a3t.grid import HOP, SAMPLE_RATE
from a3t.spans import Span
from a3t.user_folders import cache_folder
from a3t.vocoder.base import check_mel, placed_normal

# Those that turn a mel into a waveform and nothing else; the package has others, for codes or F0.
GENERATORS = (
    "ParallelWaveGANGenerator",
    "MelGANGenerator",
    "HiFiGANGenerator",
    "StyleMelGANGenerator",
)
# StyleMelGAN normalises over the whole length: every sample depends on every frame.
WHOLE_FRAMES = 1_000_000
RELEASE_TAG = re.compile(r"[a-z0-9_]+_(?:parallel_wavegan|hifigan|(?:\w+_)?melgan)\.v\d+(?:\.\w+)?")
WANTED_FILE = re.compile(r"config\.yml|stats\.(?:h5|npy)|checkpoint-\d+steps\.pkl")
SUMS_FILE = "sha256.json"


class ParallelWaveGan:
    """A generator of the package behind the vocoder's interface."""

    def __init__(
        self,
        generator: nn.Module,
        name: str,
        sha256: str | None = None,
        device: str = "cpu",
    ) -> None:
        self.name = name
        self.sha256 = sha256
        self.generator = generator.to(device).eval()
        self._device = torch.device(device)
        self._normalises = hasattr(generator, "mean")
        self._kind = type(generator).__name__

    @classmethod
    def load(cls, path: Path | str, device: str = "cpu") -> ParallelWaveGan:
        """Load the checkpoint at ``path`` (the file, or its folder: then the one of most steps).

        Raises InputError if files are missing or damaged, if the checkpoint holds code, or if it
        was trained for another rate, hop or mel.
        """
        path = Path(path)
        folder = path if path.is_dir() else path.parent
        config = _read_config(folder / "config.yml")
        _check_features(config, folder)
        checkpoint = _latest(folder) if path.is_dir() else path
        _check_weights(checkpoint)
        generator = _build(config, folder, checkpoint)
        digest = hashlib.sha256(checkpoint.read_bytes()).hexdigest()
        return cls(generator, folder.resolve().name, digest, device)

    @cached_property
    def receptive_frames(self) -> int:
        """Measured once: which frames one frame's samples depend on, as a NaN spreads."""
        if self._kind == "StyleMelGANGenerator":
            return WHOLE_FRAMES
        for reach in (32, 128):
            mel = torch.zeros(2 * reach + 1, MELS)
            mel[reach] = float("nan")
            reached = self._run(mel, 0, 0).view(-1, HOP).isnan().any(dim=1).nonzero().flatten()
            if len(reached) and reached[0] > 0 and reached[-1] < 2 * reach:
                return int(max(reach - reached[0], reached[-1] - reach))
        return WHOLE_FRAMES

    def __call__(
        self,
        mel: Tensor,
        first_frame: int = 0,
        seed: int = 0,
        finished: Sequence[Span] | None = None,
        pulse_gain: Tensor | None = None,
    ) -> Tensor:
        """Turn a mel (T, 80) into samples (300 T,), as `Vocoder` has it."""
        return self._run(check_mel(mel.detach()), first_frame, seed)

    @torch.inference_mode()
    def _run(self, mel: Tensor, first_frame: int, seed: int) -> Tensor:
        mel = mel.to(self._device)
        inputs: dict[str, Any] = {"c": mel, "normalize_before": self._normalises}
        # StyleMelGAN draws from torch's own generator: hold that fixed and leave it as it was.
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            if self._kind == "ParallelWaveGANGenerator":
                noise = placed_normal(seed, first_frame, len(mel), HOP)
                inputs["x"] = torch.from_numpy(noise).float().view(-1, 1).to(self._device)
            samples: Tensor = self.generator.inference(**inputs)  # type: ignore[operator]
        samples = samples.reshape(-1).cpu().clone()
        if len(samples) != len(mel) * HOP:
            raise InputError(
                f"The vocoder {self.name} made {len(samples)} samples of {len(mel)} frames, not "
                f"{HOP} a frame; its upsample_scales don't fit its hop."
            )
        return samples


def _read_config(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise InputError(
            f"{path.parent} is not a vocoder's folder: it has neither config.yaml (built-in) nor "
            "config.yml (parallel-wavegan)."
        )
    try:
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError):
        raise InputError(f"{path} can't be read as YAML.") from None
    if not isinstance(config, dict) or not isinstance(config.get("generator_params"), dict):
        raise InputError(f"{path} is not a configuration of parallel-wavegan: no generator_params.")
    return config


def _check_features(config: dict[str, Any], folder: Path) -> None:
    """Raise InputError unless the checkpoint was trained on exactly the mels that are used here."""
    rate, low, high = (config.get(key) for key in ("sampling_rate", "fmin", "fmax"))
    features = {
        "rate": (rate, SAMPLE_RATE),
        "hop": (config.get("hop_size"), HOP),
        "FFT": (config.get("fft_size"), N_FFT),
        "window": (config.get("win_length") or config.get("fft_size"), MEL_WINDOW_SAMPLES),
        "mels": (config.get("num_mels"), MELS),
        "from": (0 if low is None else low, FMIN_HZ),
        "to": ((rate or 0) / 2 if high is None else high, FMAX_HZ),
        "window shape": (config.get("window", "hann"), "hann"),
    }
    differing = {key: pair for key, pair in features.items() if pair[0] != pair[1]}
    if differing:
        raise InputError(
            f"The vocoder in {folder} doesn't fit the model's mels: it was trained with "
            f"{', '.join(f'{key} {theirs}' for key, (theirs, _) in differing.items())}, the model "
            f"has {', '.join(f'{key} {ours}' for key, (_, ours) in differing.items())}."
        )


def _latest(folder: Path) -> Path:
    """Return the checkpoint with the most steps in its name, as the package names them."""
    checkpoints = [file for suffix in ("pkl", "pth", "pt") for file in folder.glob(f"*.{suffix}")]
    if not checkpoints:
        raise InputError(f"{folder} holds no checkpoint (*.pkl, *.pth or *.pt).")
    return max(
        checkpoints, key=lambda file: ([int(n) for n in re.findall(r"\d+", file.stem)], file.name)
    )


def _check_weights(checkpoint: Path) -> None:
    """Raise InputError unless a checkpoint is the package's, whole, and nothing but weights."""
    try:
        # Weights only: a pickle can carry code, and this one came from somebody else.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of what is then refused below
            state = torch.load(checkpoint, map_location="cpu", weights_only=True)
    except UnpicklingError:
        raise InputError(
            f"{checkpoint} is damaged or holds more than weights, and is not opened: its pickle "
            "could run code."
        ) from None
    except (OSError, RuntimeError, EOFError, ValueError, KeyError):
        raise InputError(f"{checkpoint} is cut off or damaged, or is no checkpoint.") from None
    try:
        dict(state["model"]["generator"])
    except (KeyError, TypeError, IndexError, ValueError):
        raise InputError(f"{checkpoint} is not of parallel-wavegan: no model/generator.") from None


def _build(config: dict[str, Any], folder: Path, checkpoint: Path) -> nn.Module:
    """Build the generator with weights, statistics and bands, by the package's ``load_model``."""
    kind = config.get("generator_type", "ParallelWaveGANGenerator")
    if kind not in GENERATORS:
        usable = ", ".join(GENERATORS)
        raise InputError(f"The vocoder in {folder} is a {kind}; usable are {usable}.")
    _package()
    from parallel_wavegan.utils import load_model

    settings = {"out_channels": 1} | config["generator_params"]
    whole = {"format": "hdf5"} | config | {"generator_params": settings}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the package's weight norm and versions are old
            generator: Any = load_model(str(checkpoint), whole)
            generator.remove_weight_norm()
        if hasattr(generator, "mean") and {*map(len, (generator.mean, generator.scale))} != {MELS}:
            raise ValueError(f"its statistics are not for {MELS} mels")
    except (TypeError, RuntimeError, ValueError, AssertionError, LookupError, OSError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"The files in {folder} don't fit its config.yml: {first}") from None
    return generator  # type: ignore[no-any-return]


def _package() -> Any:
    """Import ``parallel_wavegan.models``, once it is needed."""
    import scipy.signal

    if not hasattr(scipy.signal, "kaiser"):  # scipy moved it in 1.13; the package looks here
        scipy.signal.kaiser = scipy.signal.windows.kaiser
    try:
        import parallel_wavegan.models
    except ImportError as error:
        raise InputError(
            "Vocoders of parallel-wavegan need that package: pip install 'a3t[vocoders]' and "
            f"pip install --no-deps --no-build-isolation parallel-wavegan==0.6.1 ({error})."
        ) from None
    return parallel_wavegan.models


def archives() -> dict[str, str]:
    """Return the package's released vocoders: tag to the archive's identity on Google Drive."""
    _package()
    from parallel_wavegan.utils import PRETRAINED_MODEL_LIST

    return dict(PRETRAINED_MODEL_LIST)


def released(tag: str) -> Path:
    """Return the folder of a released vocoder; fetch it if it is not there, check it if it is.

    Raises InputError if there is no such tag, if it can't be fetched, or if its files have changed
    since they were.
    """
    folder = cache_folder("vocoders") / tag
    if not folder.is_dir():
        _fetch(tag, folder)
    try:
        sums = json.loads((folder / SUMS_FILE).read_text(encoding="utf-8"))
        whole = bool(sums) and all(sha256_of(folder / name) == sums[name] for name in sums)
    except (OSError, ValueError, TypeError):
        whole = False
    if not whole:
        raise InputError(
            f"{folder} has changed since it was fetched (its sha256 differs): delete it."
        )
    return folder


def _fetch(tag: str, folder: Path) -> None:
    """Download into a folder beside, then rename it: half a vocoder is none."""
    known = archives()
    if tag not in known:
        raise InputError(f"parallel-wavegan has no tag {tag!r}; it has {', '.join(sorted(known))}.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as place:
        archive, unpacked = Path(place, "archive"), Path(place, tag)
        download(known[tag], archive)
        unpacked.mkdir()
        try:
            with tarfile.open(archive) as members:
                for member in members:
                    name = Path(member.name).name  # the folders inside are of no use
                    content = members.extractfile(member) if WANTED_FILE.fullmatch(name) else None
                    if content is not None:
                        with content, open(unpacked / name, "wb") as out:
                            shutil.copyfileobj(content, out)
        except (tarfile.TarError, EOFError, OSError) as error:
            raise InputError(f"What was fetched for {tag} is not an archive: {error}.") from None
        sums = {path.name: sha256_of(path) for path in sorted(unpacked.iterdir())}
        (unpacked / SUMS_FILE).write_text(json.dumps(sums, indent=2), encoding="utf-8")
        unpacked.rename(folder)


def download(identity: str, path: Path) -> None:
    """Download a file of Google Drive; raise InputError where the network doesn't allow it."""
    try:
        import gdown
    except ImportError:
        raise InputError(
            "Fetching a released vocoder needs gdown: pip install 'a3t[vocoders]', or unpack the "
            "archive yourself and give its folder."
        ) from None
    try:
        gdown.download(id=identity, output=str(path), quiet=True)
    except (OSError, gdown.exceptions.DownloadError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InputError(
            f"The vocoder can't be fetched from Google Drive ({reason}): unpack its archive "
            "yourself and give its folder."
        ) from None
    if not path.is_file():
        raise InputError("The vocoder can't be fetched from Google Drive: nothing came.")
