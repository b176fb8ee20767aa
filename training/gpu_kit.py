"""A quarter of an hour of a GPU, prepared: code and data in one file, one command there.

python -m training.gpu_kit pack gpu-kit.tar --data DATA --features STORE
python -m training.gpu_kit run --device cuda --out OUT            # there, where it was unpacked

`make gpu-kit CORPORA=DIR` packs. `run` does, each in its own time: the paper's configuration on
random and on real batches, in float32 and bfloat16, in one process and two; the vocoder with pulses
against discriminators; the shipped A3T against a critic. OUT gets report.json, logs, curves and
weights. Missing packages may lie in ``wheels/`` beside run.sh. ``--trial`` tries it on a CPU.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import resource
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from dataclasses import asdict
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
import yaml

from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE
from a3t.learning.loop import CHECKPOINT
from training.configuration import merge, read_config
from training.devices import Place, compute, compute_options, refuse_missing
from training.features.store import OPTIONAL, Store, StoredClip, StoreWriter
from training.pretrain import Pretraining
from training.programs import Program, option
from training.training_runs import TrainingRun, initial_weights

ROOT = Path(__file__).resolve().parents[1]
CODE = ("a3t", "alignment", "training", "recipes")
BEGUN = ("small", "vocoder-small")  # shipped models that are trained on, as NAME.pt in the data
DATA_MIB = 60  # features, sound and initial weights together
STEPS, WARM = 200, 20  # of the paper's configuration; those that are not timed
MINUTES = 5  # of each training
SLACK_S = 120  # of each part, for its start and its end
PAPER_FRAMES = 30_000  # of the paper's batch
FRAMES, PHONES, CLIPS = 300, 42, 64  # of a random clip; of them
RUN = """#!/bin/sh
# Unpacked on a machine with a GPU: ./run.sh --device cuda --out OUT
cd "$(dirname "$0")" || exit
if [ -d wheels ]; then
    python3 -m pip install -q --no-index --no-deps --target site wheels/*.whl || exit
fi
PYTHONPATH=.:site exec python3 -m training.gpu_kit run "$@"
"""
OWN = {  # of the shipped model's configuration, what the packed features lack
    "data": {"degraded": 0.0, "shares": None, "batch_frames": 24_000},
    "training": {"steps": 1_000_000, "decay": 1},
    "loss": {"speaker": 0.0},
}
# A trial: networks, batches, sounds and minutes that a busy CPU can do.
SMALL = {
    "model": {
        "width": 16, "heads": 2, "hidden": 16, "encoder_blocks": 1, "decoder_blocks": 1,
        "postnet_channels": 16,
    },
    "data": {"batch_frames": 300, "crop": [40, 60]},
}  # fmt: skip
TRIAL_STEPS, TRIAL_MINUTES, TRIAL_SOUNDS, TRIAL_LIMIT_S = 2, 0.05, 6, 1800


def pack(options: argparse.Namespace) -> None:
    """Write code, features and sound as one tar file; raises InputError without usable clips."""
    with TemporaryDirectory() as folder, tarfile.open(options.kit, "w") as kit:
        for name in BEGUN:  # without safetensors, which a GPU machine may lack
            save_halves({"average": initial_weights(name)}, Path(folder, f"{name}.pt"))
        count = pack_data(Store(options.features), sounds_of(options.data), Path(folder))
        kit.add(folder, "data")
        for name in CODE:
            kit.add(ROOT / name, name, filter=wanted)
        script = tarfile.TarInfo("run.sh")
        script.size, script.mode = len(RUN.encode()), 0o755
        kit.addfile(script, io.BytesIO(RUN.encode()))
    print(f"{options.kit}: {count} clips, {options.kit.stat().st_size / 2**20:.0f} MiB")


def wanted(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Return what the kit has of the code's folders: programs and configurations."""
    code = member.isdir() or Path(member.name).suffix in (".py", ".yaml", ".sh")
    return member if code and "__pycache__" not in member.name else None


def sounds_of(data: Path) -> dict[str, Path]:
    """Return the sound file of each clip of a recipe's data directories."""
    from training.corpora.kaldi import read_list

    lists = [read_list(path) for path in sorted(data.glob("*/wav.scp"))]
    return {name: Path(path) for each in lists for name, path in each.items()}


def pack_data(store: Store, sounds: dict[str, Path], out: Path) -> int:
    """Write as many clips as `DATA_MIB` hold, a twentieth of them for validation; their number."""
    import soundfile

    from training.corpora.decoding import decode_floats

    room, count = DATA_MIB * 2**20 - sum(path.stat().st_size for path in out.iterdir()), 0
    (out / "sound").mkdir()
    for split, share in (("dev", 0.05), ("train", 1.0)):
        left = room * share
        with StoreWriter(out / "features" / split, [OPTIONAL]) as writer:
            for clip in spread(store.of_split(split)):
                path = out / "sound" / f"{split}.{clip.voice}.{clip.name}.opus"
                samples, _ = decode_floats(sounds[clip.name])
                soundfile.write(path, samples, SAMPLE_RATE, format="OGG", subtype="OPUS")
                size = path.stat().st_size + 170 * clip.frames
                if size > left:
                    path.unlink()
                    break
                arrays = {k: v for k, v in vars(store.read(clip)).items() if v is not None}
                writer.add(clip.name, arrays | {"score": np.array(clip.score)}, clip.voice, split)
                left, room, count = left - size, room - size, count + 1
    if not count:
        raise InputError("No clip of these features has its sound in --data: prepare them again.")
    return count


def spread(clips: list[StoredClip]) -> list[StoredClip]:
    """Return clips in an order in which neighbours are far apart."""
    return [clips[k] for k in np.random.default_rng(0).permutation(len(clips))]


def prepare(data: Path, work: Path, most: int | None) -> None:
    """Decode sounds for the vocoder, ``most`` of them, and make up clips of random features."""
    with (
        StoreWriter(work / "random" / "train") as train,
        StoreWriter(work / "random" / "dev") as dev,
    ):
        rng = np.random.default_rng(0)
        for k in range(CLIPS):
            arrays = {
                "mel": rng.normal(-2, 1, (FRAMES, 80)),
                "phones": rng.integers(3, 70, PHONES),
                "durations": np.diff(np.linspace(0, FRAMES, PHONES + 1).astype(int)),
                "words": np.arange(PHONES) // 4,
                "score": np.array(1.0),
            }
            writer, split = (train, "train") if k else (dev, "dev")
            writer.add(f"random{k}", arrays, "nobody", split)
    try:
        import soundfile
    except ImportError:
        return
    from training.vocoder.waveforms import INDEX, PITCHES, SAMPLES, CachedWave, measured_pitches

    cache = work / "wav24"
    cache.mkdir(exist_ok=True)
    parts, entries, at = [], [], 0
    for path in sorted((data / "sound").glob("*.opus"), reverse=True)[:most]:
        split, voice, name = path.stem.split(".", 2)
        corpus, _, speaker = voice.partition("-")
        samples = soundfile.read(path, dtype="int16")[0]
        rate = SAMPLE_RATE if corpus in ("ljspeech", "vctk", "kathleen") else 16_000
        entries.append(CachedWave(name, corpus, speaker, split, rate, at, len(samples)))
        parts.append(samples)
        at += len(samples)
    np.save(cache / SAMPLES, np.concatenate(parts))
    pitches = measured_pitches(np.load(cache / SAMPLES), entries)
    (cache / PITCHES).write_text(json.dumps(pitches))
    (cache / INDEX).write_text("".join(json.dumps(asdict(entry)) + "\n" for entry in entries))


def parts_of(options: argparse.Namespace, work: Path) -> Iterator[tuple[str, float, str]]:
    """Yield the name of each part, its limit in seconds, and its program with its arguments."""
    data, out, trial = options.data, options.out, " --trial" if options.trial else ""
    stores = {"random": work / "random", "real": data / "features"}
    for processes, precision, kind in product((1, 2), ("float32", "bfloat16"), stores):
        command = (
            f"training.gpu_kit measure --features {stores[kind]} --device {options.device} "
            f"--precision {precision} --processes {processes}{trial}"
        )
        yield f"paper {kind} {precision} {processes}", 60.0, command
    minutes = TRIAL_MINUTES if options.trial else MINUTES
    schedule = {"training": {"minutes": minutes, "by_clock": True}}
    for_both = f"--device {options.device} --workers {options.workers}"
    pulses = merge(read_config(ROOT / "recipes" / "vocoder" / "conf" / "pulses.yaml"), schedule)
    if options.trial:
        pulses["discriminators"]["alone"] = 0  # steps in which the vocoder waits
    (work / "pulses.yaml").write_text(yaml.safe_dump(pulses), encoding="utf-8")
    command = (
        f"training.vocoder --data {work / 'wav24'} --config {work / 'pulses.yaml'} "
        f"--out {out / 'vocoder'} --start {data / 'vocoder-small.pt'} --steps 1000000 {for_both}"
    )
    yield "vocoder", 60 * minutes, command
    shipped = read_config(ROOT / "a3t" / "pretrained" / "small" / "config.yaml")
    parts = {name: shipped[name] for name in ("model", "masking", "data", "loss", "training")}
    own = merge(merge(merge(parts, OWN), schedule), SMALL if options.trial else {})
    (work / "a3t.yaml").write_text(yaml.safe_dump(own), encoding="utf-8")
    command = (
        f"training.pretrain --config {work / 'a3t.yaml'} --features {data / 'features'} "
        f"--out {out / 'a3t'} --init {data / 'small.pt'} --critic {for_both}"
    )
    yield "a3t", 60 * minutes, command


def run(options: argparse.Namespace) -> None:
    """Do all parts, each in a process of its own; what fails is reported, and the next begins.

    Raises InputError at the end if a part failed.
    """
    refuse_missing(options.device)
    options.out.mkdir(parents=True, exist_ok=True)
    report: dict[str, Any] = {"torch": torch.__version__, "GPUs": torch.cuda.device_count()}
    failed: list[str] = []
    with TemporaryDirectory() as folder:
        work = Path(folder)
        prepare(options.data, work, TRIAL_SOUNDS if options.trial else None)
        for name, limit, command in parts_of(options, work):
            begun = time.monotonic()
            limit = TRIAL_LIMIT_S if options.trial else limit + SLACK_S
            report[name] = part = done(command.split(), limit, options.out / f"{name}.log")
            failed += [name] if part["exit"] else []
            part["seconds"] = round(time.monotonic() - begun, 1)
            print(name, json.dumps(part), flush=True)
            (options.out / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    for training in ("vocoder", "a3t"):
        keep_weights(options.out / training)
    if failed:
        raise InputError(f"Failed: {', '.join(failed)}; their logs are in {options.out}.")


def done(command: list[str], limit: float, log: Path) -> dict[str, Any]:
    """Run a program for ``limit`` seconds at most; its last line, read as JSON if it is that."""
    with open(log, "w", encoding="utf-8") as file:
        try:
            code = subprocess.run(
                [sys.executable, "-m", *command], stdout=file, stderr=file, timeout=limit,
                env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
                check=False,
            ).returncode  # fmt: skip
        except subprocess.TimeoutExpired:
            code = 124
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() or [""]
    try:
        return {"exit": code, **json.loads(lines[-1])}
    except (ValueError, TypeError):
        return {"exit": code, "said": lines[-1][-300:]}


def keep_weights(folder: Path) -> None:
    """Replace a checkpoint by its averaged weights, halved: what travels back and begins again."""
    path = folder / CHECKPOINT
    if path.exists():
        state = torch.load(path, map_location="cpu", weights_only=True)
        save_halves({name: state[name] for name in ("step", "average")}, folder / "average.pt")
        path.unlink()


def save_halves(state: dict[str, Any], path: Path) -> None:
    """Write averaged weights, matrices in half precision, as `initial_weights` reads them."""
    halves = {k: v.half() if v.dim() > 1 else v for k, v in state["average"].items()}
    torch.save(state | {"average": halves}, path)


def measure(options: argparse.Namespace) -> None:
    """Train the paper's configuration for some steps and print what they cost."""
    compute(options, measure_here)


def measure_here(options: argparse.Namespace, place: Place) -> None:
    """Print steps a second, memory in MiB and the loss of the last steps as JSON."""
    config = read_config(ROOT / "a3t" / "model" / "conf" / "paper.yaml")
    config["data"]["batch_frames"] = PAPER_FRAMES
    config = merge(config, SMALL if options.trial else {})
    steps = TRIAL_STEPS if options.trial else STEPS
    work = Pretraining(config, Store(options.features), place)
    with TemporaryDirectory() as folder:
        trained = TrainingRun(work.model, work.schedule, Path(folder), place=place)
        losses, begun, warm = [], 0.0, min(WARM, steps // 2)
        for step in range(steps):
            if step == warm:
                begun = finished(place.device)
            losses.append(trained.train_step(work.losses)["total"])
        seconds = finished(place.device) - begun
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    if place.device.startswith("cuda"):
        memory = torch.cuda.max_memory_allocated() / 2**20
    if place.rank == 0:
        rate = (steps - warm) / seconds
        last = float(torch.stack(losses[-10:]).mean())
        print(json.dumps({"steps_per_second": rate, "MiB": memory, "loss": last}))


def finished(device: str) -> float:
    """Return the time at which a device has finished its work."""
    if device.startswith("cuda"):
        torch.cuda.synchronize()
    return time.monotonic()


def work(options: argparse.Namespace) -> None:
    """Do what the first argument names."""
    {"pack": pack, "run": run, "measure": measure}[options.action](options)


main = Program(
    work,
    option("action", choices=["pack", "run", "measure"]),
    option("kit", nargs="?", type=Path, default=Path("gpu-kit.tar"), help="the file to write"),
    option("--data", type=Path, default=ROOT / "data", help="a recipe's data; the kit's folder"),
    option("--features", type=Path, help="feature store (training.extract --pitch)"),
    option("--out", type=Path, default=Path("out")),
    option("--trial", action="store_true", help="tiny networks, a few steps: does all of it work?"),
    *compute_options(),
)


if __name__ == "__main__":
    sys.exit(main())
