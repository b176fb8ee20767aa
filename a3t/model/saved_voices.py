"""Saved voices by name: each a folder with low-rank changes, a configuration and a card.

Low-rank changes of a network's weights, small enough to save one per voice.

To each linear layer's weight W a product U D of two narrow matrices is added, which alone is
trained (Hu et al. 2022, "LoRA: Low-Rank Adaptation of Large Language Models").
"""

from __future__ import annotations

import copy
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize

from a3t.audio.output.provenance import Weights
from a3t.errors import InputError
from a3t.user_folders import VOICE_NAME, voice_names, voices_folder

if TYPE_CHECKING:
    from a3t.model.loading import Networks


MIN_RANKS = 4  # times the rank: a smaller layer is cheaper to leave alone
CONFIG_FILE = "config.yaml"  # of `a3t.pretrained`: the last of a folder's files to be written
OF_RECORDING = "this-recording"  # a voice that earlier versions learnt from an edit's own recording
SPEAKER_TENSOR = "speaker"  # the name of the speaker's vector among the tensors of the changes
# What the names of a prompt's tensors begin with, among those of the changes.
PROMPT_PREFIX = "prompt."


class LowRank(nn.Module):
    """weight (rows, columns) -> weight + up (rows, rank) @ down (rank, columns); up begins at 0."""

    def __init__(self, rows: int, columns: int, rank: int) -> None:
        super().__init__()
        self.up = nn.Parameter(torch.zeros(rows, rank))
        self.down = nn.Parameter(torch.randn(rank, columns) / columns**0.5)

    def forward(self, weight: Tensor) -> Tensor:
        """Add the change to a weight."""
        return weight + self.up @ self.down


def add_low_rank(network: nn.Module, rank: int, parts: Sequence[str] = ()) -> None:
    """Let a network train nothing but a low-rank change of its linear layers.

    ``parts``: those that are changed; all by default.
    """
    for parameter in network.parameters():
        parameter.requires_grad_(False)
    for name, layer in _layers(network, rank):
        if parts and name.partition(".")[0] not in parts:
            continue
        rows, columns = layer.weight.shape
        change = LowRank(rows, columns, rank)
        parametrize.register_parametrization(layer, "weight", change)


def take_low_rank(network: nn.Module) -> dict[str, Tensor]:
    """Take out what `add_low_rank` added, by layer, in half precision.

    The network is then as it was before, ready for `apply_low_rank`.
    """
    changes: dict[str, Tensor] = {}
    for name, layer in list(network.named_modules()):
        if isinstance(layer, nn.Linear) and parametrize.is_parametrized(layer, "weight"):
            change = layer.get_submodule("parametrizations.weight.0")
            assert isinstance(change, LowRank)
            changes[f"{name}.up"] = change.up.detach().half()
            changes[f"{name}.down"] = change.down.detach().half()
            parametrize.remove_parametrizations(layer, "weight", leave_parametrized=False)
    for parameter in network.parameters():
        parameter.requires_grad_(True)
    return changes


@torch.no_grad()
def apply_low_rank(network: nn.Module, changes: Mapping[str, Tensor]) -> None:
    """Add changes to a network's weights for good; KeyError or RuntimeError if they don't fit."""
    layers = dict(network.named_modules())
    names = {name.rpartition(".")[0] for name in changes}
    for name in sorted(names):
        weight = layers[name].weight
        assert isinstance(weight, Tensor)
        up, down = (changes[f"{name}.{part}"].float().to(weight.device) for part in ("up", "down"))
        weight += up @ down


def _layers(network: nn.Module, rank: int) -> Iterator[tuple[str, nn.Linear]]:
    for name, layer in list(network.named_modules()):
        if isinstance(layer, nn.Linear) and min(layer.weight.shape) >= MIN_RANKS * rank:
            yield name, layer


@dataclass(frozen=True)
class Voice:
    """A saved voice.

    facts: for its card. model: the weights that it was made for. prompt: a few seconds of its
    speech (`a3t.plan.prompt`), or nothing. speaker: the vector of its speech
    (`a3t.model.speaker_encoder`).
    """

    name: str
    model: Mapping[str, str]  # name and sha256 of the weights
    facts: Mapping[str, Any]
    changes: Mapping[str, Tensor]
    sha256: str
    prompt: Mapping[str, Tensor] = field(default_factory=dict)
    speaker: Tensor | None = None

    @property
    def record(self) -> Weights:
        """Its entry in an edit.json."""
        return Weights(self.name, self.sha256)

    def adapted(self, networks: Networks) -> Networks:
        """Return networks with the voice's changes; those that are given stay as they are.

        Raises InputError if it was made for others.
        """
        if networks.sha256 != self.model.get("sha256"):
            raise InputError(
                f"The voice {self.name!r} was made for the model {self.model.get('name')!r} of "
                f"another version than {networks.name!r}: make it again from its recordings."
            )
        from a3t.model.threads import one_thread

        model = copy.deepcopy(networks.model)
        try:
            assert isinstance(model, torch.nn.Module)  # or it has nothing that changes
            with one_thread(), torch.random.fork_rng(devices=[]):
                apply_low_rank(model, self.changes)
        except (KeyError, RuntimeError, AttributeError, AssertionError):
            raise InputError(
                f"The voice {self.name!r} doesn't fit the model {networks.name!r}: make it again."
            ) from None
        return replace(networks, model=model)


def check_name(name: str) -> str:
    """Return the name; raise InputError if no voice can have it."""
    if not VOICE_NAME.fullmatch(name) or name == OF_RECORDING:
        raise InputError(
            f"{name!r} can't be the name of a voice: use at most 64 letters, digits, “.”, “-”, “_”."
        )
    return name


def load_voice(name: str) -> Voice:
    """Load a saved voice; raise InputError if none has that name, or it can't be used."""
    folder = voices_folder() / check_name(name)
    if not (folder / CONFIG_FILE).is_file():
        others = ", ".join(voice_names())
        there = f" (there are: {others})" if others else ""
        raise InputError(f"There is no voice {name!r}{there}: make one with a3t voice make.")
    from a3t.pretrained import load_checkpoint

    config, tensors, sha256 = load_checkpoint(folder)
    model, facts = config.get("model"), config.get("voice")
    if not isinstance(model, dict) or not isinstance(facts, dict):
        raise InputError(f"{folder} holds no voice: make it again.")
    prompt = {
        k.removeprefix(PROMPT_PREFIX): v for k, v in tensors.items() if k.startswith(PROMPT_PREFIX)
    }
    changes = {k: v for k, v in tensors.items() if not k.startswith(PROMPT_PREFIX)}
    speaker = changes.pop(SPEAKER_TENSOR, None)
    named = {k: str(v) for k, v in model.items()}
    return Voice(name, named, facts, changes, sha256, prompt, speaker)


def save_voice(
    name: str,
    model: Mapping[str, str],
    facts: Mapping[str, Any],
    changes: Mapping[str, Tensor],
    prompt: Mapping[str, Tensor] = MappingProxyType({}),
    speaker: Tensor | None = None,
) -> Path:
    """Save a voice, replacing one of the same name; returns its folder."""
    from a3t.pretrained import save_checkpoint

    folder = voices_folder() / check_name(name)
    config = {"model": dict(model), "voice": dict(facts)}
    tensors = {**changes, **{PROMPT_PREFIX + key: value for key, value in prompt.items()}}
    if speaker is not None:
        tensors[SPEAKER_TENSOR] = speaker
    save_checkpoint(folder, config, tensors, card(name, facts))
    return folder


def remove_voice(name: str) -> None:
    """Delete a voice; InputError if there is none."""
    shutil.rmtree(voices_folder() / load_voice(name).name)


def card(name: str, facts: Mapping[str, Any]) -> str:
    """Return a voice's facts for a person, as Markdown."""
    lines = [f"- {key.replace('_', ' ')}: {value}" for key, value in facts.items()]
    return "\n".join([f"# The voice {name}", "", *lines, ""])
