"""The two networks of an edit, with their weights: A3T and the duration predictor."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from a3t.errors import InputError
from a3t.model.a3t import A3T
from a3t.model.legacy import network_of
from a3t.model.threads import one_thread
from a3t.model.variance.durations import DurationPredictor
from a3t.pretrained import check_sizes, checkpoint_folder, load_checkpoint, part_of


@dataclass(frozen=True)
class Networks:
    """``name`` and ``sha256`` are those of A3T's weights."""

    model: A3T
    durations: DurationPredictor
    name: str
    sha256: str


@one_thread()
def load_networks(name_or_path: str | Path, device: str = "cpu") -> Networks:
    """Load a shipped model by name, or a folder's; InputError if it can't be used.

    The name may be one of Hugging Face's hub (`a3t.pretrained.checkpoint_folder`). The duration
    predictor, a small one that stays on the processor, is the one in the model's folder, or beside
    it, or the shipped one; the configuration may name another (``durations_from``).
    """
    try:
        torch.empty(1, device=device).item()  # the device "meta" has tensors, but no numbers
    except (RuntimeError, AssertionError, ImportError):  # unknown, or not in this build of torch
        raise InputError(f"There is no device {device!r} here: use cpu.") from None
    folder = checkpoint_folder(name_or_path)
    config, tensors, sha256 = load_checkpoint(folder)
    timing = config.get("durations_from", "durations")
    timing_config, timing_tensors, _ = load_checkpoint(part_of(folder, timing) or timing)
    for settings in (config, timing_config):
        for part in ("model", "durations"):
            if isinstance(settings.get(part), dict):
                check_sizes(settings[part], folder)
    try:
        # Shapes without memory, until they are those of the weights.
        with torch.device("meta"), _Unfilled():
            shapes = {name: value.shape for name, value in network_of(config).state_dict().items()}
        if {name: value.shape for name, value in tensors.items()} != shapes:
            raise KeyError("its weights don't have the shapes in its configuration")
        with torch.device(device), _Unfilled():
            model = network_of(config)
        with _Unfilled():
            durations = DurationPredictor.from_config(timing_config)
        model.load_state_dict(tensors)
        durations.load_state_dict(timing_tensors)
    except (LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        first = str(error).splitlines()[0]
        raise InputError(f"{folder} does not hold an A3T model: {first}") from None
    return Networks(model.eval(), durations.eval(), folder.name, sha256)


class _Unfilled(TorchFunctionMode):
    """Parameters aren't drawn at random while it is entered: weights will take their place.

    On the device "meta", where there is nothing to draw, the drawing alone would make torch import
    its compiler: 0.8 s.
    """

    DRAWS = (
        torch.Tensor.normal_,
        torch.Tensor.uniform_,
        nn.init.normal_,
        nn.init.uniform_,
        nn.init.xavier_uniform_,
        nn.init.kaiming_uniform_,
    )

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func in self.DRAWS:
            return args[0] if args else kwargs["tensor"]
        return func(*args, **kwargs)
