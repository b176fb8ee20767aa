"""Weights and configurations of strangers: never run, never larger than their own file."""

import io
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml

from a3t.errors import InputError
from a3t.model.loading import load_networks
from a3t.pretrained import CONFIG, WEIGHTS
from a3t.user_folders import SHIPPED_MODELS
from tests.training.convert.test_checkpoint import SETTINGS
from training.convert import convert, read_state


class Calls:
    """Pickled, it is a call."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


def in_zip(data: bytes) -> bytes:
    """As torch.save writes it since 1.6."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/data.pkl", data)
        archive.writestr("archive/version", "3\n")
    return file.getvalue()


def tricks(ran: str) -> dict[str, Any]:
    """A pickle that would make the file ``ran`` if it were executed."""
    code = f"open({ran!r}, 'w').close()"
    weight = torch.zeros(2)
    return {
        "system": Calls(os.system, f"touch {ran}"),
        "exec": Calls(exec, code),
        "eval": Calls(eval, code),
        "in a dict": {"model": Calls(exec, code)},
        "as a key": {Calls(eval, f"[{code}, 'key'][1]"): weight},
        "beside a weight": {"weight": weight, "more": Calls(exec, code)},
        "by import": Calls(__import__, "antigravity"),
        "getattr": Calls(getattr, Calls(__import__, "os"), "system"),
        "in a tensor's hooks": Calls(
            torch._utils._rebuild_tensor_v2, Calls(exec, code), 0, (1,), (1,), False, {}
        ),
        "by torch.load": Calls(torch.load, ran),
        "by runpy": Calls(__import__("runpy").run_path, ran),
    }


def test_nothing_is_run(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for trick in tricks(""):
        for packed in ["pickle", "zip"]:
            with subtests.test(trick=trick, packed=packed):
                ran, path = tmp_path / "ran", tmp_path / "weights.pth"
                for protocol in (0, 2, 4):
                    data = pickle.dumps(tricks(str(ran))[trick], protocol)
                    path.write_bytes(data if packed == "pickle" else in_zip(data))
                    with pytest.raises(InputError, match="could run code"):
                        read_state(path)
                    assert not ran.exists()


def test_a_file_without_a_network_is_refused(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for state in [
        {1: torch.zeros(2)},
        {("a",): torch.zeros(2)},
        {None: torch.zeros(2)},
        {"a": torch.zeros(1).expand(10**9)},
        {"a": torch.zeros(3).to_sparse()},
        {"a": torch.zeros(3, device="meta")},
        {"a": [1, 2]},
        [torch.zeros(2)],
        {"model": {3: torch.zeros(2)}},
    ]:
        with subtests.test(state=state):
            torch.save(state, tmp_path / "x.pth")
            with pytest.raises(InputError):
                read_state(tmp_path / "x.pth")


def test_half_a_file(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for size in [0, 1, 50, 400, 1000]:
        with subtests.test(size=size):
            torch.save({"weight": torch.arange(500.0)}, tmp_path / "x.pth")
            (tmp_path / "x.pth").write_bytes((tmp_path / "x.pth").read_bytes()[:size])
            with pytest.raises(InputError):
                read_state(tmp_path / "x.pth")


CONFIGS = {
    "deep lists": "[" * 600,
    "deep maps": "{a: " * 10_000,
    "deep blocks": "\n".join(" " * k + "a:" for k in range(900)),
    "keys of lists": "? [a]\n: b",
    "a number": "3",
    "nothing": "",
    "a tag": "!!python/object/apply:os.system ['false']",
    "a long number": "encoder_conf: " + "9" * 5000,
}


def test_configurations_that_are_none(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for case in CONFIGS:
        with subtests.test(case=case):
            config, weights = tmp_path / "config.yaml", tmp_path / "x.pth"
            config.write_text(CONFIGS[case])
            torch.save({"weight": torch.zeros(2)}, weights)
            with pytest.raises(InputError):
                convert(weights, config)
            (tmp_path / WEIGHTS).write_bytes(b"")
            with pytest.raises(InputError):
                load_networks(tmp_path)


def test_sizes_are_checked_before_memory_is_allocated(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for size in [10**6, 10**30, -5, 1.5, "many", None, float("nan")]:
        for name in ["attention_dim", "num_blocks"]:
            with subtests.test(size=size, name=name):
                config, weights = tmp_path / "config.yaml", tmp_path / "x.pth"
                stack = SETTINGS["encoder_conf"] | {name: size}
                config.write_text(yaml.safe_dump(SETTINGS | {"encoder_conf": stack}))
                state = {
                    "encoder.text_embed.0.weight": torch.zeros(2, 2),
                    "sfc.weight": torch.zeros(2, 2),
                }
                torch.save(state, weights)
                with pytest.raises(InputError):
                    convert(weights, config)


def test_a_folder_s_sizes_are_those_of_its_weights(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    weights = (SHIPPED_MODELS / "small" / WEIGHTS).read_bytes()
    for size in [65_536, -1, "many"]:
        for name in ["width", "encoder_blocks"]:
            with subtests.test(size=size, name=name):
                folder = tmp_path / "model"
                folder.mkdir(exist_ok=True)
                config = yaml.safe_load((SHIPPED_MODELS / "small" / CONFIG).read_text())
                config["model"][name] = size
                (folder / CONFIG).write_text(yaml.safe_dump(config))
                (folder / WEIGHTS).write_bytes(weights)
                with pytest.raises(InputError):
                    load_networks(folder)
