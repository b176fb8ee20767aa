"""Mel to waveform: one interface, three ways. See ``base.Vocoder``."""

from __future__ import annotations

from pathlib import Path

import torch

from a3t.errors import InputError
from a3t.model.threads import one_thread
from a3t.user_folders import SHIPPED_MODELS
from a3t.vocoder.base import Vocoder, vocode_span

__all__ = ["Vocoder", "load_vocoder", "vocode_span"]

BUILTIN_FOLDER = SHIPPED_MODELS / "vocoder-small"


@one_thread()
@torch.random.fork_rng(devices=[])  # the host program's draws stay as they are
def load_vocoder(name_or_path: str | Path = "builtin", device: str = "cpu") -> Vocoder:
    """Load the vocoder called "builtin" (shipped) or "griffin-lim", or the one in a folder.

    A folder holds either weights of the built-in network (config.yaml, model.safetensors) or a
    checkpoint of the parallel-wavegan package (config.yml, stats.h5 or stats.npy, checkpoint); one
    that its authors released goes by its tag, too ("vctk_hifigan.v1"), and is fetched once. Raises
    InputError if there is no such vocoder or its folder can't be used.
    """
    # Each kind is imported when asked for: the editor starts with one of them.
    if name_or_path == "griffin-lim":
        from a3t.vocoder.stft import GriffinLim

        return GriffinLim()
    if name_or_path == "builtin":
        from a3t.vocoder.builtin import BuiltinVocoder

        return BuiltinVocoder.load(BUILTIN_FOLDER, "builtin", device)
    path = Path(name_or_path)
    if not path.exists():
        from a3t.vocoder.parallel_wavegan import RELEASE_TAG, released

        if not RELEASE_TAG.fullmatch(str(name_or_path)):
            raise InputError(
                f"There is no vocoder {str(name_or_path)!r}; use builtin, griffin-lim, a tag of "
                "parallel-wavegan (vctk_hifigan.v1) or the path of a checkpoint folder."
            )
        path = released(str(name_or_path))
    if path.is_dir() and (path / "config.yaml").is_file():
        from a3t.vocoder.builtin import BuiltinVocoder

        return BuiltinVocoder.load(path, device=device)
    from a3t.vocoder.parallel_wavegan import ParallelWaveGan

    return ParallelWaveGan.load(path, device)
