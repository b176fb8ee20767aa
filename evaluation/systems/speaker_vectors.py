"""The speaker embedding of every clip of a feature store, for the systems that need one.

python -m evaluation.systems.speaker_vectors --corpora DIR --features STORE --out FILE.npz

A recipe's clips are found by their data directories instead: --data DIR.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from tqdm import tqdm

from a3t.audio.output.files import atomic_path
from a3t.errors import InputError
from evaluation.metrics import LEVEL
from evaluation.systems.interface import voice_vector
from training.corpora import read_corpora
from training.corpora.decoding import decode_floats
from training.corpora.kaldi import read_list
from training.features.store import Store
from training.programs import Program, option

Vectors = Mapping[str, npt.NDArray[np.float32]]  # of clips, by name: (256,)


def read_vectors(path: Path) -> Vectors:
    """Read the vectors of a file; InputError if it is none, or its voices were heard otherwise."""
    try:
        with np.load(path) as stored:
            names, vectors = stored["names"], stored["vectors"]
            if "level" not in stored or stored["level"] != LEVEL:
                raise ValueError("its voices were heard at other levels than they are now")
            return dict(zip(names.tolist(), vectors.astype(np.float32), strict=True))
    except (OSError, ValueError, KeyError) as error:
        raise InputError(
            f"{path} can't be used ({error}): move it away and make it anew with python -m"
            " evaluation.systems.speaker_vectors."
        ) from None


def write_vectors(vectors: Vectors, path: Path) -> None:
    """Write them; names as text, so that nothing is unpickled."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as temporary, open(temporary, "wb") as file:
        names, rows = np.array(list(vectors)), np.stack(list(vectors.values()))
        np.savez(file, names=names, vectors=rows, level=LEVEL)


def sounds_of(store: Store, corpora: Path | None, data: Path | None) -> dict[str, Path]:
    """Find the sound file of each clip of training or validation; InputError if one is missing."""
    names = [clip.name for clip in store.clips if clip.split in ("train", "dev")]
    if data is not None:
        found = {k: Path(v) for f in data.glob("*/wav.scp") for k, v in read_list(f).items()}
    elif corpora is not None:
        found = {clip.name: clip.path for clip in read_corpora(corpora)}
    else:
        raise InputError("Say where the recordings are, with --corpora or --data.")
    missing = [name for name in names if name not in found]
    if missing:
        raise InputError(
            f"{len(missing)} clips' recordings were not found, such as {missing[0]}'s."
        )
    return {name: found[name] for name in names}


def make_vectors(sounds: Mapping[str, Path], out: Path) -> int:
    """Compute what is missing in ``out``; returns how many vectors it then has."""
    vectors = dict(read_vectors(out)) if out.exists() else {}
    missing = [name for name in sounds if name not in vectors]
    for count, name in enumerate(tqdm(missing, unit="clip", disable=None), start=1):
        vectors[name] = voice_vector(decode_floats(sounds[name])[0])
        if count % 500 == 0:
            write_vectors(vectors, out)
    if not vectors:
        raise InputError("There are no clips to take speaker embeddings of.")
    write_vectors(vectors, out)
    return len(vectors)


def work(options: argparse.Namespace) -> None:
    """Embed the voices of a corpus, and write them."""
    torch.set_num_threads(1)  # its matrices are small: threads would only wait for each other
    sounds = sounds_of(Store(options.features), options.corpora, options.data)
    print(f"{make_vectors(sounds, options.out)} speaker embeddings: {options.out}")


main = Program(
    work,
    option("--corpora", type=Path, help="folder of corpora"),
    option("--data", type=Path, help="a recipe's data directories"),
    option("--features", type=Path, required=True, help="feature store (training.extract)"),
    option("--out", type=Path, required=True, metavar="NPZ"),
)


if __name__ == "__main__":
    sys.exit(main())
